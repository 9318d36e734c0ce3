// Actions that move, rotate and scale the selected splats, and the tools for it.
#include <glm/trigonometric.hpp>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/session/session.h"
#include "core/options.h"

namespace mote {
namespace {

glm::dvec3 vector_at(const Arguments& arguments, std::size_t first) {
  return {arguments.number(first), arguments.number(first + 1), arguments.number(first + 2)};
}

double factor_at(const Arguments& arguments, std::size_t i) {
  constexpr double kLeast = 1e-6, kMost = 1e6;
  const double factor = arguments.number(i);
  if (!(factor >= kLeast && factor <= kMost)) arguments.refuse(i, "a number from 1e-6 to 1e6");
  return factor;
}

/// The map of the world, in the frame of a scene that is placed there.
Similarity in_scene(const Similarity& world, const Similarity& world_from_scene) {
  return chained(chained(world_from_scene, world), inverse(world_from_scene));
}

/// Applies the change about the centre of the selection. It is found by the worker, since earlier
/// edits may still change the selection.
void change_selected(Session& session, const Similarity& change) {
  const Document& document = active_scene(session);
  const auto job = [&session, change, t = document.transform, id = document.id,
                    name = document.name, scene = checked_scene(document)] {
    const auto extent = scene->state().selection_extent;
    if (!extent) throw UsageError("nothing is selected", name, "select splats first");
    const glm::dvec3 center = placed_extent(*extent, t).center;
    const EditState state = scene->change([&](SplatEditor& editor) {
      editor.transform_selected(in_scene(about(change, center), t));
    });
    return [&session, id, state] {
      if (session.documents.find(id) != nullptr) session.documents.set_edit(id, state);
    };
  };
  queue_edit(session, job);
}

void move_selected(Session& session, const Arguments& arguments) {
  change_selected(session, {.translation = vector_at(arguments, 0)});
}

void turn_selected(Session& session, const Arguments& arguments) {
  change_selected(session,
                  {.rotation = rotation_about_axes(glm::radians(vector_at(arguments, 0)))});
}

void scale_selected(Session& session, const Arguments& arguments) {
  change_selected(session, {.scale = factor_at(arguments, 0)});
}

/// All parts at once, about a point; `continued`: instead of the last call's.
void place_by_numbers(Session& session, const Arguments& arguments, bool continued) {
  const Similarity change =
      about({.scale = factor_at(arguments, 6),
             .rotation = rotation_about_axes(glm::radians(vector_at(arguments, 3))),
             .translation = vector_at(arguments, 0)},
            vector_at(arguments, 7));
  const Similarity own = in_scene(change, active_scene(session).transform);
  edit(session,
       [own, continued](SplatEditor& editor) { editor.transform_selected(own, continued); });
}

void place_selected(Session& session, const Arguments& arguments) {
  place_by_numbers(session, arguments, false);
}

void place_selected_further(Session& session, const Arguments& arguments) {
  place_by_numbers(session, arguments, true);
}

void cancel_selected(Session& session, const Arguments&) {
  edit(session, [](SplatEditor& editor) { editor.take_back("transform"); });
}

/// Chooses the tool, or the camera if it is chosen already.
template <Tool TOOL>
void toggle_tool(Session& session, const Arguments&) {
  session.view.tool = session.view.tool == TOOL ? Tool::navigate : TOOL;
}

}  // namespace

std::vector<Action> transform_actions() {
  constexpr std::string_view kGroup = "Transform";
  const std::vector<ActionArgument> xyz{{"X", ""}, {"Y", ""}, {"Z", ""}};
  const std::vector<ActionArgument> numbers{{"X", "world units"},
                                            {"Y", ""},
                                            {"Z", ""},
                                            {"RX", "degrees"},
                                            {"RY", "degrees"},
                                            {"RZ", "degrees"},
                                            {"SCALE", "factor"},
                                            {"PX", "the fixed point of rotation and scale"},
                                            {"PY", ""},
                                            {"PZ", ""}};
  return {
      {"gizmo move",
       kGroup,
       "move the selection or the scene with a gizmo",
       "T",
       {},
       toggle_tool<Tool::move>,
       false,
       any_scene},
      {"gizmo rotate",
       kGroup,
       "rotate the selection or the scene with a gizmo",
       "Y",
       {},
       toggle_tool<Tool::rotate>,
       false,
       any_scene},
      {"gizmo scale",
       kGroup,
       "scale the selection or the scene with a gizmo",
       "U",
       {},
       toggle_tool<Tool::scale>,
       false,
       any_scene},
      {"select move", kGroup, "move the selected splats by world units", "", xyz, move_selected},
      {"select turn", kGroup,
       "rotate the selected splats about the world's axes through their centre, degrees", "", xyz,
       turn_selected},
      {"select scale",
       kGroup,
       "scale the selected splats about their centre",
       "",
       {{"FACTOR", "1e-6 to 1e6"}},
       scale_selected},
      {"select place", kGroup, "rotate and scale the selected splats about a point, and move them",
       "", numbers, place_selected},
      {"select place further", kGroup, "the same instead of the last one, as dragging does it", "",
       numbers, place_selected_further},
      {"select cancel",
       kGroup,
       "take the last transform of the selection back, as Escape does it during a drag",
       "",
       {},
       cancel_selected},
  };
}

}  // namespace mote
