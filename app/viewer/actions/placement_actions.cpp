// Actions that place the active scene.
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <glm/trigonometric.hpp>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/edits.h"
#include "app/viewer/session/session.h"

namespace mote {
namespace {

/// Places the active scene, as a step of its history; a neural field and a scene under training
/// have no history. Throws UsageError if there is no model. `continued`: part of the
/// same gesture as the last call.
void put(Session& session, const Similarity& after, bool continued = false) {
  const Document& document = active_scene(session);
  const Similarity before = document.transform;
  if (document.movement || document.stream) {
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

/// Takes back what a drag has done, without a redo.
void cancel_placing(Session& session, const Arguments&) {
  if (edit_all_frames(session, [&](MovingEdits& edits) { edits.take_back("scene transform"); }))
    return;
  edit(session, [](SplatEditor& editor) { editor.take_back("scene transform"); });
}

void place_scene(Session& session, const Arguments& arguments) {
  put_by_numbers(session, arguments, false);
}

void place_further(Session& session, const Arguments& arguments) {
  put_by_numbers(session, arguments, true);
}

}  // namespace

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
       "scale the active scene about its centre",
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
      {"place set", kGroup,
       "transform the active scene: origin, angles about x, y and z, and scale", "", numbers,
       place_scene},
      {"place further", kGroup, "the same as part of the last transform, as dragging does it", "",
       numbers, place_further},
      {"place cancel",
       kGroup,
       "take the last transform back, as Escape does it during a drag",
       "",
       {},
       cancel_placing},
      {"place reset", kGroup, "reset the transform of the active scene", "", {}, reset_place},
  };
}

}  // namespace mote
