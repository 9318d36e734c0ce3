// Selection and editing of the active scene's splats. Each edit is a job of the edit worker.
#include <fmt/format.h>

#include <algorithm>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/session/session.h"
#include "app/viewer/view/crop_box.h"
#include "core/options.h"

namespace mote {
namespace {

/// Whether another scene than the active one is shown, which the user may have meant.
bool shows_others(const Session& session) {
  return std::ranges::any_of(session.documents.list(), [&](const Document& document) {
    return document.shown && document.scene && &document != session.documents.active();
  });
}

/// Selects in the active scene only. A message says so if it has no splat in the region but another
/// scene is shown.
void pick(Session& session, ImageRegion region, MaskOperation operation) {
  const Document& document = active_scene(session);
  if (!document.shown) {
    session.notices.add(NoticeKind::warning,
                        fmt::format("{} is hidden, so nothing of it was selected; show it, or make "
                                    "another scene the active one",
                                    document.name));
    return;
  }
  const Camera camera = camera_before(document.transform, session.camera());
  const auto job = [&session, camera, region = std::move(region), operation, id = document.id,
                    name = document.name, others = shows_others(session),
                    scene = checked_scene(document)] {
    bool any = false;
    const EditState state = scene->change([&](SplatEditor& editor) {
      const SplatMask picked = pick_in_image(editor.cloud(), {.camera = camera, .region = region});
      any = picked.any();
      editor.select(picked, operation);
    });
    return [&session, state, id, name, any, others] {
      if (session.documents.find(id) != nullptr) session.documents.set_edit(id, state);
      if (any || !others) return;
      session.notices.add(NoticeKind::info,
                          fmt::format("{} has no splats there. Selections are of the active scene; "
                                      "choose another one in the panel Scenes.",
                                      name));
    };
  };
  queue_edit(session, job);
}

glm::dvec2 place_at(const Session& session, const Arguments& arguments, std::size_t i) {
  return {arguments.number(i) * session.view.width, arguments.number(i + 1) * session.view.height};
}

void rectangle(Session& session, const Arguments& arguments) {
  const glm::dvec2 a = place_at(session, arguments, 0), b = place_at(session, arguments, 2);
  pick(session, RectangleRegion{glm::min(a, b), glm::max(a, b)}, operation_at(arguments, 4));
}

void brush(Session& session, const Arguments& arguments) {
  const MaskOperation operation = operation_at(arguments, 0);
  BrushRegion region;
  region.radius_px = arguments.number(1);
  if (!(region.radius_px > 0)) arguments.refuse(1, "a number of pixels above 0");
  for (std::size_t i = 2; i < arguments.size(); i += 2) {
    region.points_px.push_back(place_at(session, arguments, i));
  }
  pick(session, std::move(region), operation);
}

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
  edit(session, [distance](SplatEditor& editor) { editor.grow_selection(distance); });
}

void shrink(Session& session, const Arguments& arguments) {
  const double distance = distance_of(arguments) / active_scene(session).transform.scale;
  edit(session, [distance](SplatEditor& editor) { editor.shrink_selection(distance); });
}

void hide_selected(Session& session, const Arguments&) {
  edit(session, [](SplatEditor& editor) { editor.hide_selected(); });
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

void undo(Session& session, const Arguments&) {
  if (edit_all_frames(session, [](MovingEdits& edits) { edits.undo(); })) return;
  if (edit_field(session, [](FieldScene& field) { field.undo(); })) return;
  edit(session, [](SplatEditor& editor) { editor.undo(); });
}

void redo(Session& session, const Arguments&) {
  if (edit_all_frames(session, [](MovingEdits& edits) { edits.redo(); })) return;
  if (edit_field(session, [](FieldScene& field) { field.redo(); })) return;
  edit(session, [](SplatEditor& editor) { editor.redo(); });
}

}  // namespace

std::vector<Action> selection_actions() {
  constexpr std::string_view kGroup = "Edit";
  const ActionArgument how{"HOW", "replace (default), add, subtract or intersect", true};
  return {
      {"select rectangle",
       kGroup,
       "select the splats in a rectangle of the picture",
       "",
       {{"X0", "of the picture's width"}, {"Y0", "of its height"}, {"X1", ""}, {"Y1", ""}, how},
       rectangle},
      {"select brush",
       kGroup,
       "select the splats that a round brush touches",
       "",
       {{"HOW", "replace, add, subtract or intersect"},
        {"RADIUS", "px"},
        {"X", "of the picture's width"},
        {"Y", "of its height"},
        {"X Y", "further places", true, true}},
       brush},
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
      {"undo", kGroup, "undo the last edit", "Ctrl+Z", {}, undo, false, any_to_undo},
      {"redo", kGroup, "redo the last undone edit", "Ctrl+Y", {}, redo, false, any_to_redo},
  };
}

}  // namespace mote
