// Changes of the selection and edits of the active scene's splats. Each edit is a job of the edit
// worker.
#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/session/session.h"
#include "app/viewer/view/crop_box.h"
#include "core/options.h"

namespace mote {
namespace {

double distance_of(const Arguments& arguments) {
  if (!(arguments.number(0) > 0)) arguments.refuse(0, "a number above 0");
  return arguments.number(0);
}

void select_all(Session& session, const Arguments&) {
  edit(session, [](SplatEditor& editor) { editor.select_all(); });
}

void select_none(Session& session, const Arguments&) {
  edit(session, [](SplatEditor& editor) { editor.select_none(); });
}

void invert(Session& session, const Arguments&) {
  edit(session, [](SplatEditor& editor) { editor.invert_selection(); });
}

void grow(Session& session, const Arguments& arguments) {
  const double distance = distance_of(arguments) / active_scene(session).transform.scale;
  edit(session, [distance, shown = shown_slice(session)](SplatEditor& editor) {
    editor.grow_selection(distance, shown);
  });
}

void shrink(Session& session, const Arguments& arguments) {
  const double distance = distance_of(arguments) / active_scene(session).transform.scale;
  edit(session, [distance, shown = shown_slice(session)](SplatEditor& editor) {
    editor.shrink_selection(distance, shown);
  });
}

void hide_selected(Session& session, const Arguments&) {
  edit(session, [](SplatEditor& editor) { editor.hide_selected(); });
}

void isolate(Session& session, const Arguments&) {
  edit(session, [](SplatEditor& editor) { editor.isolate_selected(); });
}

void show_all(Session& session, const Arguments&) {
  edit(session, [](SplatEditor& editor) { editor.show_all(); });
}

void duplicate(Session& session, const Arguments&) {
  edit(session, [](SplatEditor& editor) { editor.duplicate_selected(); });
}

void remove_selected(Session& session, const Arguments&) {
  edit(session, [](SplatEditor& editor) { editor.delete_selected(); });
}

/// The box is axis-aligned in the viewer's world; in the frame of a turned scene it is oblique.
void crop(Session& session, const Arguments& arguments) {
  glm::dvec3 corners[2];
  for (std::size_t i = 0; i < 6; ++i) {
    corners[i / 3][static_cast<int>(i % 3)] = arguments.number(i);
  }
  const OrientedBox box =
      before(active_scene(session).transform, box_between({corners[0], corners[1]}, glm::dmat3(1)));
  crop_to(session, box);
}

void crop_time(Session& session, const Arguments& arguments) {
  const LifeRange range{arguments.number(0), arguments.number(1)};
  if (!(active_scene(session).edit.times.duration_s > 0)) {
    throw UsageError("the splats of the active scene do not move", "crop time",
                     "open splats that move");
  }
  if (!(range.from_s < range.to_s)) arguments.refuse(1, "a time after the first one");
  edit(session, [range](SplatEditor& editor) { editor.crop_time(range); });
}

/// Takes a step in the history of the active scene. Documents that the step opens and closes
/// follow.
void step_in_scene(Session& session, bool (SplatEditor::*step)()) {
  const Document& document = active_scene(session);
  const auto job = [&session, id = document.id, scene = checked_scene(document), step] {
    std::uint64_t before = 0;
    const EditState state = scene->change([&](SplatEditor& editor) {
      before = editor.content();
      (editor.*step)();
    });
    return [&session, id, state, before] {
      if (session.documents.find(id) == nullptr) return;
      session.documents.set_edit(id, state);
      follow_history(session.documents, session.swaps, id, before, state.content);
    };
  };
  queue_edit(session, job);
}

void undo_in_scene(Session& session, const Arguments&) {
  session.path_edited_last = false;
  if (edit_all_frames(session, [](MovingEdits& edits) { edits.undo(); })) return;
  if (edit_field(session, [](FieldScene& field) { field.undo(); })) return;
  step_in_scene(session, &SplatEditor::undo);
}

void redo_in_scene(Session& session, const Arguments&) {
  session.path_edited_last = false;
  if (edit_all_frames(session, [](MovingEdits& edits) { edits.redo(); })) return;
  if (edit_field(session, [](FieldScene& field) { field.redo(); })) return;
  step_in_scene(session, &SplatEditor::redo);
}

// Undo and redo refer to the camera path or to the active scene: to the one that was edited last,
// or to the other one if it has no steps.

void undo(Session& session, const Arguments& arguments) {
  const bool of_path = session.path_edited_last || !any_in_scene_to_undo(session);
  if (of_path && session.path.undo_steps() > 0) {
    session.path.undo();
  } else {
    undo_in_scene(session, arguments);
  }
}

void redo(Session& session, const Arguments& arguments) {
  const bool of_path = session.path_edited_last || !any_in_scene_to_redo(session);
  if (of_path && session.path.redo_steps() > 0) {
    session.path.redo();
  } else {
    redo_in_scene(session, arguments);
  }
}

}  // namespace

std::vector<Action> selection_actions() {
  constexpr std::string_view kGroup = "Edit";
  return {
      {"select all",
       kGroup,
       "select all visible splats",
       "Ctrl+A",
       {},
       select_all,
       false,
       any_to_edit},
      {"select none", kGroup, "select nothing", "Ctrl+D", {}, select_none, false, any_to_edit},
      {"select invert", kGroup, "invert the selection", "Ctrl+I", {}, invert, false, any_to_edit},
      {"select grow",
       kGroup,
       "add splats near the selection",
       "",
       {{"DISTANCE", "world units"}},
       grow},
      {"select shrink",
       kGroup,
       "remove splats near the edge of the selection",
       "",
       {{"DISTANCE", "world units"}},
       shrink},
      {"select hide",
       kGroup,
       "hide the selected splats",
       "H",
       {},
       hide_selected,
       false,
       any_to_edit},
      {"select isolate",
       kGroup,
       "show only the selected splats",
       "I",
       {},
       isolate,
       false,
       any_selected},
      {"select show",
       kGroup,
       "show the hidden splats",
       "Shift+H",
       {},
       show_all,
       false,
       any_to_edit},
      {"select duplicate", kGroup, "duplicate the selected splats in place", "", {}, duplicate},
  };
}

std::vector<Action> edit_actions() {
  constexpr std::string_view kGroup = "Edit";
  return {
      {"delete",
       kGroup,
       "delete the selected splats",
       "Delete",
       {},
       remove_selected,
       false,
       any_selected},
      {"crop",
       kGroup,
       "delete everything outside a box",
       "",
       {{"X0", ""}, {"Y0", ""}, {"Z0", ""}, {"X1", ""}, {"Y1", ""}, {"Z1", ""}},
       crop},
      {"crop time",
       kGroup,
       "delete the splats that are seen at no time between two",
       "",
       {{"FROM", "s"}, {"TO", "s"}},
       crop_time},
      {"undo", kGroup, "undo the last edit", "Ctrl+Z", {}, undo, false, any_to_undo},
      {"redo",
       kGroup,
       "redo the last undone edit",
       "Ctrl+Y",
       {},
       redo,
       false,
       any_to_redo,
       "Ctrl+Shift+Z"},
      {"undo scene",
       kGroup,
       "undo the last edit of the active scene",
       "",
       {},
       undo_in_scene,
       false,
       any_in_scene_to_undo},
      {"redo scene",
       kGroup,
       "redo the last undone edit of the active scene",
       "",
       {},
       redo_in_scene,
       false,
       any_in_scene_to_redo},
  };
}

}  // namespace mote
