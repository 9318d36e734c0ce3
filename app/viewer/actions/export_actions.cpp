// Actions on the colours of the active scene, and its export.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/actions/field_export.h"
#include "app/viewer/actions/named_arguments.h"
#include "app/viewer/session/session.h"
#include "core/options.h"
#include "core/spelling.h"
#include "io/splats/format_lists.h"
#include "splats/feature_cloud.h"
#include "splats/transform.h"

namespace mote {
namespace {

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
  const Document& document = active_scene(session);
  if (document.movement && document.movement->shown.splats) {
    check_colors_can_change(*document.movement->shown.splats);
  }
  const auto to_frames = [&](MovingEdits& edits) { edits.set_colors(adjustment, continued); };
  if (edit_all_frames(session, to_frames)) return;
  edit(session, [adjustment, continued](SplatEditor& editor) {
    check_colors_can_change(editor.cloud());
    editor.set_colors(adjustment, continued);
  });
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
  if (!may_have_model(document) || document.stream) refuse_without_splats(document);
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
    transform_scene(splats.cloud, place);
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
       {{"NAME=VALUE", "as for `color`", false, true}},
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
