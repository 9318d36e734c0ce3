// Actions on open scenes: loading, the list of scenes, placement and colours.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/trigonometric.hpp>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/actions/field_export.h"
#include "app/viewer/actions/named_arguments.h"
#include "app/viewer/session/apply_settings.h"
#include "app/viewer/session/session.h"
#include "app/viewer/view/photograph_view.h"
#include "core/options.h"
#include "core/spelling.h"
#include "io/splats/format_lists.h"
#include "splats/transform.h"

namespace mote {
namespace {

/// The named scene, or the active one.
const Document& chosen(const Session& session, const Arguments& arguments) {
  return arguments.has(0) ? session.documents.named(arguments.word(0)) : active_scene(session);
}

void open_scenes(Session& session, const Arguments& arguments) {
  for (const std::string& path : arguments.words()) session.loader.open(path);
}

void cancel_loading(Session& session, const Arguments&) {
  session.loader.cancel();
}

void close_scene(Session& session, const Arguments& arguments) {
  const Document& document = chosen(session, arguments);
  if (document.training) {
    throw UsageError("is being trained", document.name, "stop the training first");
  }
  const std::uint32_t id = document.id;
  std::shared_ptr<const void> scene = StillModel{document.scene, document.field}.source(),
                              movement = document.movement;
  session.documents.remove(id);
  for (DocumentSwap& swap : session.swaps) {
    if (swap.scene != id) continue;
    for (Document& other : swap.closed) session.let_go(std::move(other.scene));
  }
  std::erase_if(session.swaps, [id](const DocumentSwap& swap) { return swap.scene == id; });
  if (session.box_scene == id || session.documents.empty()) session.box.reset();
  session.let_go(std::move(scene));
  session.let_go(std::move(movement));
  const auto is_its = [id](const CameraSet& set) { return set.id == id; };
  for (CameraSet& set : session.cameras) {
    if (is_its(set)) session.let_go(std::move(set.data));
  }
  std::erase_if(session.cameras, is_its);
  if (session.photograph && session.find_cameras(session.photograph->set) == nullptr) {
    session.photograph.reset();
  }
}

/// Whether the active scene can be closed.
bool any_to_close(const Session& session) {
  return any_scene(session) && !session.documents.active()->training;
}

void activate_scene(Session& session, const Arguments& arguments) {
  const Document& document = session.documents.named(arguments.word(0));
  session.documents.set_active(document.id);
  if (session.find_cameras(document.id) != nullptr) choose_cameras(session, document.id);
}

void show_scene(Session& session, const Arguments& arguments) {
  session.documents.set_shown(chosen(session, arguments).id, true);
}

void hide_scene(Session& session, const Arguments& arguments) {
  session.documents.set_shown(chosen(session, arguments).id, false);
}

void toggle_scene(Session& session, const Arguments& arguments) {
  const Document& document = chosen(session, arguments);
  session.documents.set_shown(document.id, !document.shown);
}

/// Places the active scene, as a step of its history; a neural field and a scene under training
/// have no history. Throws UsageError if there is no model. `continued`: part of the same gesture
/// as the last call.
void put(Session& session, const Similarity& after, bool continued = false) {
  const Document& document = active_scene(session);
  const Similarity before = document.transform;
  if (document.movement) {
    session.documents.place(document.id, after);
    edit_all_frames(session, [&](MovingEdits& edits) { edits.place(before, after, continued); });
    return;
  }
  if (document.training || document.field) {
    session.documents.set_transform(document.id, after);
    return;
  }
  edit(session,
       [before, after, continued](SplatEditor& editor) { editor.place(before, after, continued); });
  session.documents.place(document.id, after);
}

void then(Session& session, const Similarity& change) {
  put(session, chained(active_scene(session).transform, change));
}

/// Applies the change about the current center of the scene.
void about_its_middle(Session& session, const Similarity& change) {
  const glm::dvec3 middle = placed_extent(active_scene(session)).center;
  Similarity whole = change;
  whole.translation = middle - change.scale * (change.rotation * middle);
  then(session, whole);
}

glm::dvec3 three_numbers(const Arguments& arguments) {
  return {arguments.number(0), arguments.number(1), arguments.number(2)};
}

void move_scene(Session& session, const Arguments& arguments) {
  then(session, {.translation = three_numbers(arguments)});
}

void turn_scene(Session& session, const Arguments& arguments) {
  about_its_middle(session,
                   {.rotation = rotation_about_axes(glm::radians(three_numbers(arguments)))});
}

double factor_of(const Arguments& arguments) {
  const double factor = arguments.number(0);
  if (!(factor > 0)) arguments.refuse(0, "a number above 0");
  return factor;
}

void scale_scene(Session& session, const Arguments& arguments) {
  about_its_middle(session, {.scale = factor_of(arguments)});
}

void unit(Session& session, const Arguments& arguments) {
  const double was = factor_of(arguments), is = arguments.number(1);
  if (!(is > 0)) arguments.refuse(1, "a number above 0");
  then(session, {.scale = is / was});
}

/// Turns the scene so that the view's up direction becomes the world's up.
void upright(Session& session, const Arguments&) {
  const glm::dvec3 from = -session.navigator.pose().down();
  const glm::dvec3 to = glm::normalize(session.navigator.up_world());
  const glm::dvec3 axis = glm::cross(from, to);
  const double sine = glm::length(axis), cosine = glm::dot(from, to);
  if (sine < 1e-9 && cosine > 0) return;
  const glm::dvec3 about = sine < 1e-9 ? session.navigator.pose().right() : axis / sine;
  about_its_middle(session,
                   {.rotation = glm::mat3_cast(glm::angleAxis(std::atan2(sine, cosine), about))});
  session.navigator.level();
}

void reset_place(Session& session, const Arguments&) {
  put(session, {});
}

/// Sets the whole placement: the position of the scene's origin, its angles and its scale.
void put_by_numbers(Session& session, const Arguments& arguments, bool continued) {
  const glm::dvec3 at = three_numbers(arguments);
  const glm::dvec3 angles{arguments.number(3), arguments.number(4), arguments.number(5)};
  if (!(arguments.number(6) > 0)) arguments.refuse(6, "a number above 0");
  put(session,
      {.scale = arguments.number(6),
       .rotation = rotation_about_axes(glm::radians(angles)),
       .translation = at},
      continued);
}

void place_scene(Session& session, const Arguments& arguments) {
  put_by_numbers(session, arguments, false);
}

void place_further(Session& session, const Arguments& arguments) {
  put_by_numbers(session, arguments, true);
}

/// Arguments are `exposure=0.5 tint=1,0.9,0.8 ...`, or `reset`.
void change_color(Session& session, const Arguments& arguments, bool continued) {
  ColorAdjustment adjustment;
  if (arguments.word(0) != "reset") {
    adjustment = active_scene(session).edit.colors;
    std::vector<double> tint{adjustment.tint.x, adjustment.tint.y, adjustment.tint.z};
    OptionTable table;
    describe_color(table, adjustment, tint);
    for (std::size_t i = 0; i < arguments.size(); ++i) set_named(table, arguments.word(i));
    adjustment.tint = {tint[0], tint[1], tint[2]};
  }
  const auto to_frames = [&](MovingEdits& edits) { edits.set_colors(adjustment, continued); };
  if (edit_all_frames(session, to_frames)) return;
  edit(session,
       [adjustment, continued](SplatEditor& editor) { editor.set_colors(adjustment, continued); });
}

void color(Session& session, const Arguments& arguments) {
  change_color(session, arguments, false);
}

void color_further(Session& session, const Arguments& arguments) {
  change_color(session, arguments, true);
}

/// Splats to write, and the words about them in the message.
struct ExportedSplats {
  SplatCloud cloud;
  std::uint64_t content = 0;  // as in SavedState; 0 for a run's splats, whose folder saves them
  std::string of;
};

/// A function for a worker that returns the splats of the active scene: for a moving scene those of
/// the shown moment, for a scene under training those after the current step.
std::function<ExportedSplats()> exported_splats(Session& session, const Document& document) {
  if (document.training) {
    return [run = session.trainer.scene()] {
      const TrainedScene& trained = run.get();
      return ExportedSplats{trained.model.splats->exported(), 0,
                            fmt::format(", the splats after step {}", trained.step)};
    };
  }
  if (!document.movement) {
    return [scene = document.scene] {
      auto [cloud, content] = scene->exported_content();
      return ExportedSplats{std::move(cloud), content, ""};
    };
  }
  const Movement& movement = *document.movement;
  if (!movement.shown.exact || session.clock.playing()) {
    throw UsageError("it is playing", document.name, "pause it at the frame to write");
  }
  return [moment = shown_source(movement), content = movement.edits.now().content,
          of = fmt::format(", frame {} of {}", movement.shown.number + 1,
                           frame_count(*movement.scene))] {
    return ExportedSplats{moment->splats(), content, of};
  };
}

/// Exports the active scene with its placement and colours.
void export_scene(Session& session, const Arguments& arguments) {
  const Document& document = active_scene(session);
  if (!may_have_model(document)) refuse_without_splats(document);
  const std::filesystem::path path = arguments.word(0);
  if (document.field || document.trains_field) {
    export_field(session, document, path);
    return;
  }
  writable_scene_format(path);
  const Existing existing = named_file(session, path).existing;
  const auto job = [&session, path, existing, id = document.id, trains = document.training,
                    read = exported_splats(session, document), place = document.transform] {
    ExportedSplats splats = read();
    transform(splats.cloud, place);
    return [&session, path, of = splats.of, id, trains, saved = SavedState{splats.content, place},
            warnings = save_scene(splats.cloud, path, existing)] {
      if (!trains && session.documents.find(id) != nullptr) session.documents.set_saved(id, saved);
      for (const std::string& warning : warnings) {
        session.notices.add(NoticeKind::warning, fmt::format("{}: {}", path.string(), warning));
      }
      session.notices.add(NoticeKind::info, fmt::format("{}: written{}", path.string(), of));
    };
  };
  session.writer.add(job, true);
}

/// The extensions of the files that hold such models, shortest first, separated by blanks.
std::string extensions_of(ModelKind kind) {
  std::vector<std::string_view> extensions;
  for (const SceneFormat& format : scene_formats()) {
    if (format.model != kind || !format.can_be_written()) continue;
    extensions.insert(extensions.end(), format.extensions.begin(), format.extensions.end());
  }
  std::ranges::stable_sort(extensions, {}, &std::string_view::size);
  return fmt::format("{}", fmt::join(extensions, " "));
}

}  // namespace

std::vector<Action> scene_actions() {
  constexpr std::string_view kGroup = "Scenes";
  const std::vector<ActionArgument> which{
      {"SCENE", "its name, or its number in the list; default: the active scene", true}};
  return {
      {"open",
       kGroup,
       "open scenes, datasets, folders of runs or of frames",
       "Ctrl+O",
       {{"PATH", "a file or a folder", false, true, PathUse::file_or_folder}},
       open_scenes},
      {"cancel", kGroup, "stop loading", "", {}, cancel_loading},
      {"close", kGroup, "close a scene and its cameras", "Ctrl+W", which, close_scene, false,
       any_to_close},
      {"activate",
       kGroup,
       "choose the scene that edits act on",
       "",
       {{"SCENE", "its name, or its number in the list"}},
       activate_scene},
      {"show", kGroup, "show a scene", "", which, show_scene},
      {"hide", kGroup, "hide a scene", "", which, hide_scene},
      {"toggle", kGroup, "show or hide a scene", "", which, toggle_scene},
  };
}

std::vector<Action> placement_actions() {
  constexpr std::string_view kGroup = "Scenes";
  const std::vector<ActionArgument> xyz{{"X", ""}, {"Y", ""}, {"Z", ""}};
  const std::vector<ActionArgument> numbers{{"X", ""},
                                            {"Y", ""},
                                            {"Z", ""},
                                            {"RX", "degrees"},
                                            {"RY", "degrees"},
                                            {"RZ", "degrees"},
                                            {"SCALE", "factor on its size in the file"}};
  return {
      {"place move", kGroup, "move the active scene by world units", "", xyz, move_scene},
      {"place turn", kGroup, "rotate the active scene about the world's axes, degrees", "", xyz,
       turn_scene},
      {"place scale",
       kGroup,
       "scale the active scene about its center",
       "",
       {{"FACTOR", "above 0"}},
       scale_scene},
      {"place unit",
       kGroup,
       "scale the active scene so that a length gets another value",
       "",
       {{"WAS", "the current length"}, {"IS", "the new length"}},
       unit},
      {"place upright",
       kGroup,
       "rotate the active scene so that the view's up direction becomes the world's",
       "",
       {},
       upright},
      {"place set", kGroup, "place the active scene: origin, angles about x, y and z, and scale",
       "", numbers, place_scene},
      {"place further", kGroup, "the same as part of the last placement, as dragging does it", "",
       numbers, place_further},
      {"place reset", kGroup, "reset the placement of the active scene", "", {}, reset_place},
  };
}

std::vector<Action> color_and_export_actions() {
  constexpr std::string_view kGroup = "Scenes";
  static const std::vector<std::string> kWritable = format_extensions(FormatUse::write);
  static const std::string kExported = "a " + listed(kWritable);
  const auto extensions = [](const Session& session) -> std::string_view {
    static const std::string kOfSplats = extensions_of(ModelKind::splats),
                             kOfFields = extensions_of(ModelKind::field);
    const Document* document = session.documents.active();
    const bool is_field = document != nullptr && (document->field || document->trains_field);
    return is_field ? kOfFields : kOfSplats;
  };
  return {
      {"color",
       kGroup,
       "change the active scene's colours",
       "",
       {{"NAME=VALUE", "exposure (stops), contrast, saturation, tint (r,g,b); or reset", false,
         true}},
       color},
      {"color further",
       kGroup,
       "the same as part of the last change, as dragging does it",
       "",
       {{"NAME=VALUE", "as for color", false, true}},
       color_further},
      {"export",
       kGroup,
       R"(write the active scene with its edits; the extension selects the format; for a moving scene the shown frame)",
       "Ctrl+E",
       {{"PATH", kExported, false, false, PathUse::new_file, {}, extensions}},
       export_scene,
       false,
       any_scene},
  };
}

}  // namespace mote
