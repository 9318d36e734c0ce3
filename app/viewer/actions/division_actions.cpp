// Separating a selection into a scene of its own, and merging scenes. Both are steps of the active
// scene's history.
#include <fmt/format.h>

#include <utility>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/session/session.h"
#include "core/options.h"
#include "splats/extent.h"
#include "splats/transform.h"

namespace mote {
namespace {

/// The document of splats that were taken out of another one.
Document part_of(const Document& whole, SplatCloud splats) {
  Document part{
      .name = fmt::format("{}, part", whole.name), .format = whole.format, .points = whole.points};
  part.extent = scene_extent(splats);
  part.scene = std::make_shared<EditableScene>(std::move(splats));
  part.run = whole.run;
  part.transform = whole.transform;
  part.saved = {kInNoFile, whole.transform};
  return part;
}

void separate(Session& session, const Arguments&) {
  const Document& document = active_scene(session);
  const auto job = [&session, whole = document, scene = checked_scene(document)] {
    SplatCloud taken;
    const EditState state = scene->change([&](SplatEditor& editor) {
      taken = editor.selected_splats();
      editor.delete_selected("separate");
    });
    if (taken.count() == 0) {
      throw UsageError("nothing is selected", whole.name, "select splats first");
    }
    return [&session, state, id = whole.id, part = part_of(whole, std::move(taken))] {
      if (session.documents.find(id) == nullptr) return;
      session.documents.set_edit(id, state);
      session.swaps.push_back(
          {.scene = id, .content = state.content, .opened = {session.documents.add(part)}});
      session.documents.set_active(id);  // undo refers to it
    };
  };
  session.path_edited_last = false;
  queue_edit(session, job);
}

/// Whether the scene can be merged into the target and looks as before: splats that stand still,
/// without cameras. The points of datasets are drawn in another way than splats.
bool can_be_merged(const Session& session, const Document& target, const Document& document) {
  return document.scene && !document.training && document.points == target.points &&
         session.find_cameras(document.id) == nullptr;
}

/// The named scenes, or all others that are shown.
std::vector<Document> scenes_to_merge(const Session& session, const Document& target,
                                      const Arguments& arguments) {
  std::vector<Document> scenes;
  for (const std::string& name : arguments.words()) {
    const Document& document = session.documents.named(name);
    if (document.id == target.id) continue;
    if (!can_be_merged(session, target, document)) {
      throw UsageError(document.points != target.points
                           ? fmt::format("consists of {}, and the active scene of {}",
                                         counted(document), counted(target))
                           : std::string("is not a scene of still splats without cameras"),
                       document.name, "name others, or export its splats and open the file");
    }
    scenes.push_back(document);
  }
  if (arguments.size() == 0) {
    for (const Document& document : session.documents.list()) {
      const bool other = document.id != target.id && document.shown;
      if (other && can_be_merged(session, target, document)) scenes.push_back(document);
    }
  }
  if (scenes.empty()) {
    throw UsageError("there is no other scene of splats to merge", target.name,
                     "open and show one, or name it");
  }
  return scenes;
}

/// The splats of the scenes in the frame of the target, and the hidden ones among them.
std::pair<SplatCloud, SplatMask> splats_of(const std::vector<Document>& scenes,
                                           const Similarity& target) {
  SplatCloud all;
  std::vector<bool> hidden;
  for (const Document& document : scenes) {
    auto [splats, mask] = document.scene->look([](const SplatEditor& editor) {
      return std::pair(editor.exported(), editor.hidden_of_exported());
    });
    transform_scene(splats, chained(document.transform, inverse(target)));
    for (std::size_t i = 0; i < mask.size(); ++i) hidden.push_back(mask.test(i));
    if (all.count() == 0) {
      all = std::move(splats);
    } else if (splats.count() > 0 &&
               (splats.kind() != all.kind() || splats.motion() != all.motion() ||
                splats.deformation != all.deformation || splats.decoder != all.decoder)) {
      throw UsageError("has another kind of splats than the others", document.name,
                       "merge scenes of the same kind");
    } else if (splats.count() > 0) {
      all = joined(all, splats);
    }
  }
  SplatMask of_all(hidden.size());
  for (std::size_t i = 0; i < hidden.size(); ++i) of_all.set(i, hidden[i]);
  return {std::move(all), std::move(of_all)};
}

void merge(Session& session, const Arguments& arguments) {
  const Document& target = active_scene(session);
  const auto job = [&session, id = target.id, place = target.transform,
                    scene = checked_scene(target),
                    scenes = scenes_to_merge(session, target, arguments)] {
    std::pair<SplatCloud, SplatMask> taken = splats_of(scenes, place);
    const std::size_t count = taken.first.count();
    const EditState state = scene->change(
        [&](SplatEditor& editor) { editor.append(std::move(taken.first), taken.second); });
    return [&session, state, id, count, scenes] {
      if (session.documents.find(id) == nullptr) return;
      session.documents.set_edit(id, state);
      if (count == 0) return;
      DocumentSwap swap{.scene = id, .content = state.content};
      for (const Document& merged : scenes) {
        const Document* document = session.documents.find(merged.id);
        if (document == nullptr) continue;
        swap.closed.push_back(*document);
        session.documents.remove(merged.id);
      }
      session.swaps.push_back(std::move(swap));
      session.documents.set_active(id);
    };
  };
  session.path_edited_last = false;
  queue_edit(session, job);
}

bool any_to_merge(const Session& session) {
  return any_to_edit(session) && session.documents.list().size() > 1;
}

}  // namespace

std::vector<Action> division_actions() {
  constexpr std::string_view kGroup = "Edit";
  return {
      {"separate",
       kGroup,
       "move the selected splats into a scene of their own",
       "",
       {},
       separate,
       false,
       any_selected},
      {"merge",
       kGroup,
       "move the splats of other scenes into the active one",
       "",
       {{"SCENE", "names or numbers; default: all others that are shown", true, true}},
       merge,
       false,
       any_to_merge},
  };
}

}  // namespace mote
