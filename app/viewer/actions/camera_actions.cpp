// Actions of the camera.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/trigonometric.hpp>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/named_arguments.h"
#include "app/viewer/session/apply_settings.h"
#include "app/viewer/session/session.h"
#include "app/viewer/session/settled_scene.h"
#include "app/viewer/view/display.h"
#include "app/viewer/view/photograph_view.h"
#include "core/options.h"
#include "core/spelling.h"

namespace mote {
namespace {

constexpr std::string_view kPhotograph = "camera photograph";

void orbit(Session& session, const Arguments& arguments) {
  session.navigator.orbit(glm::radians(arguments.number(0)), glm::radians(arguments.number(1)));
}

void look(Session& session, const Arguments& arguments) {
  session.navigator.look(glm::radians(arguments.number(0)), glm::radians(arguments.number(1)));
}

void pan(Session& session, const Arguments& arguments) {
  session.navigator.pan(
      {arguments.number(0) * session.view.width, arguments.number(1) * session.view.height});
}

void zoom(Session& session, const Arguments& arguments) {
  const double factor = arguments.number(0);
  if (!(factor >= 1e-3 && factor <= 1e3)) arguments.refuse(0, "a number from 0.001 to 1000");
  session.navigator.zoom({arguments.number_or(1, 0.5) * session.view.width,
                          arguments.number_or(2, 0.5) * session.view.height},
                         1 / factor);
}

void fly(Session& session, const Arguments& arguments) {
  session.navigator.fly(
      {{arguments.number(0), arguments.number(1), arguments.number(2)}, arguments.number_or(3, 1)});
}

void move_camera(Session& session, const Arguments& arguments) {
  const Navigator& navigator = session.navigator;
  session.navigator.go_to(flown(navigator.target(), navigator.up_world(),
                                {arguments.number(0), arguments.number(1), arguments.number(2)}),
                          false);
}

void camera_speed(Session& session, const Arguments& arguments) {
  if (!(arguments.number(0) > 0)) arguments.refuse(0, "a number above 0");
  session.navigator.set_speed(arguments.number(0));
}

void focus(Session& session, const Arguments& arguments) {
  const auto surface = surface_at(session, {arguments.number(0), arguments.number(1)});
  if (!surface) {
    throw UsageError("there is no surface to orbit", "camera focus",
                     "wait until the view stands still, and choose a splat");
  }
  session.navigator.focus(*surface);
}

void frame(Session& session, const Arguments& arguments) {
  session.navigator.frame(arguments.has(0)
                              ? placed_extent(session.documents.named(arguments.word(0)))
                              : session.documents.extent());
}

/// The selection of the active scene, else the active scene, else everything.
void frame_selection(Session& session, const Arguments&) {
  const Document* document = session.documents.active();
  if (document == nullptr || !document->shown || !has_model(*document)) {
    session.navigator.frame(session.documents.extent());
    return;
  }
  SceneExtent extent = placed_extent(*document);
  if (document->edit.selection_extent) {
    const SceneExtent selection =
        placed_extent(*document->edit.selection_extent, document->transform);
    // A single splat has no size of its own.
    constexpr double kLeast = 1e-3;
    extent = {selection.center, std::max(selection.radius, kLeast * extent.radius)};
  }
  session.navigator.frame(extent);
}

/// Which way a standard view looks: `forward` along the front's view, `right` and `up` of it.
template <int RIGHT, int UP, int FORWARD>
void stand(Session& session, const Arguments&) {
  const glm::dvec3 up = glm::normalize(session.navigator.up_world());
  session.navigator.face(static_cast<double>(RIGHT) * front_right(up) +
                         static_cast<double>(UP) * up +
                         static_cast<double>(FORWARD) * front_forward(up));
}

/// Looks at the focus from a side that an axis names.
void look_from(Session& session, const Arguments& arguments) {
  const std::string name = arguments.word(0);
  if (std::find(kAxisNames.begin(), kAxisNames.end(), name) == kAxisNames.end()) {
    arguments.refuse(0, "one of " + listed(kAxisNames));
  }
  session.navigator.face(-axis_named(name));
}

void toggle_orthographic(Session& session, const Arguments& arguments) {
  Navigator& navigator = session.navigator;
  const bool on = arguments.has(0) ? arguments.on_or_off(0) : !navigator.is_orthographic();
  if (on && shows_field(session)) {
    throw UsageError("neural fields are drawn with perspective only", "camera orthographic",
                     "hide the field");
  }
  navigator.set_orthographic(on);
}

void level_camera(Session& session, const Arguments&) {
  session.navigator.level();
}

void reset_camera(Session& session, const Arguments&) {
  session.photograph.reset();
  apply_camera_settings(session);
  look_at_everything(session);
}

void up(Session& session, const Arguments& arguments) {
  const std::string name = arguments.word(0);
  if (name == "view") {
    session.navigator.set_up(-session.navigator.target().down());
    return;
  }
  if (name == "cameras") {
    if (session.cameras.empty()) arguments.refuse(0, "an axis, since no cameras are open");
    session.navigator.set_up(up_of(meant_cameras(session, "camera up")));
  } else if (std::find(kAxisNames.begin(), kAxisNames.end(), name) != kAxisNames.end()) {
    session.navigator.set_up(axis_named(name));
  } else {
    arguments.refuse(0, "one of " + listed(kAxisNames) + ", view or cameras");
  }
  session.navigator.level();
}

void lens(Session& session, const Arguments& arguments) {
  const double degrees = arguments.number(0);
  if (!(degrees >= 1 && degrees <= 170)) arguments.refuse(0, "an angle from 1 to 170 degrees");
  session.navigator.set_lens(make_lens(glm::radians(degrees)));
}

void place_camera(Session& session, const Arguments& arguments) {
  glm::dvec3 points[2];
  for (int i = 0; i < 6; ++i) points[i / 3][i % 3] = arguments.number(static_cast<std::size_t>(i));
  const double distance = glm::length(points[1] - points[0]);
  if (!(distance > 0)) arguments.refuse(3, "another point than the eye");
  Camera camera = session.camera();
  look_at(camera, points[0], points[1], session.navigator.up_world());
  session.navigator.go_to(pose_of(camera, distance), true);
}

void cameras(Session& session, const Arguments& arguments) {
  choose_cameras(session, named_cameras(session, arguments, 0).id);
}

/// Numbers start at 1, independent of the photographs' names.
void photograph_by_number(Session& session, const Arguments& arguments) {
  const CameraSet& set = meant_cameras(session, kPhotograph);
  stand_at(session, set.id, view_number(set, arguments, 0));
}

/// Finds a photograph by its name; if no name matches, by its number.
void photograph(Session& session, const Arguments& arguments) {
  const CameraSet& set = meant_cameras(session, kPhotograph);
  const std::string name = arguments.word(0);
  const auto found = std::find_if(set.views.begin(), set.views.end(),
                                  [&](const ViewMark& mark) { return mark.name == name; });
  if (found != set.views.end()) {
    stand_at(session, set.id, static_cast<std::size_t>(found - set.views.begin()));
    return;
  }
  if (name.find_first_not_of("0123456789") != std::string::npos) {
    arguments.refuse(
        0, fmt::format("a photograph's name, or a number from 1 to {}", set.views.size()));
  }
  stand_at(session, set.id, view_number(set, arguments, 0));
}

void step_photograph(Session& session, std::size_t forward) {
  const CameraSet& set = meant_cameras(session, kPhotograph);
  const std::size_t count = set.views.size();
  const bool any = session.photograph && session.photograph->set == set.id;
  stand_at(session, set.id, any ? (session.photograph->index + forward) % count : 0);
}

bool any_photograph(const Session& session) {
  return !session.cameras.empty();
}

void next_photograph(Session& session, const Arguments&) {
  step_photograph(session, 1);
}

void previous_photograph(Session& session, const Arguments&) {
  step_photograph(session, meant_cameras(session, kPhotograph).views.size() - 1);
}

}  // namespace

std::vector<Action> camera_actions() {
  constexpr std::string_view kGroup = "Camera";
  const std::vector<ActionArgument> angles{{"RIGHT", "degrees"}, {"UP", "degrees"}};
  const std::vector<ActionArgument> way{{"RIGHT", ""}, {"UP", ""}, {"FORWARD", ""}};
  std::vector<ActionArgument> flying = way;
  flying.push_back({"FACTOR", "of the set speed", true});
  return {
      {"camera orbit", kGroup, "orbit the target", "", angles, orbit},
      {"camera look", kGroup, "turn the view about the eye", "", angles, look},
      {"camera pan",
       kGroup,
       "move the camera sideways",
       "",
       {{"RIGHT", "of the picture's width"}, {"DOWN", "of its height"}},
       pan},
      {"camera zoom",
       kGroup,
       "move towards a point in the picture",
       "",
       {{"FACTOR", "above 1 is nearer"},
        {"X", "of the picture's width", true},
        {"Y", "of its height", true}},
       zoom},
      {"camera fly", kGroup, R"(fly in a direction until the next fly action; 0 0 0 stops)", "",
       flying, fly},
      {"camera move", kGroup, "move by world units", "", way, move_camera},
      {"camera speed",
       kGroup,
       "set the flying speed",
       "",
       {{"SPEED", "world units per second"}},
       camera_speed},
      {"camera focus",
       kGroup,
       "set the target to the surface at a point in the picture",
       "",
       {{"X", "of the picture's width"}, {"Y", "of its height"}},
       focus},
  };
}

std::vector<Action> camera_place_actions() {
  constexpr std::string_view kGroup = "Camera";
  return {
      {"camera frame",
       kGroup,
       "move back until everything shown is in the picture",
       "Home",
       {{"SCENE", "name of a scene, to fit only this one", true}},
       frame},
      {"camera level", kGroup, "make the horizon level", "Shift+L", {}, level_camera},
      {"camera reset", kGroup, "look at everything from the front", "Shift+R", {}, reset_camera},
      {"camera up",
       kGroup,
       "set the up direction",
       "",
       {{"AXIS",
         R"(x, -x, y, -y, z, -z, view (up in the current view) or cameras (mean up of the cameras))"}},
       up},
      {"camera lens",
       kGroup,
       "field of view across the shorter side",
       "",
       {{"ANGLE", "degrees"}},
       lens},
      {"camera place",
       kGroup,
       "move to a point and look at another",
       "",
       {{"EX", ""}, {"EY", ""}, {"EZ", ""}, {"TX", ""}, {"TY", ""}, {"TZ", ""}},
       place_camera},
  };
}

std::vector<Action> standard_view_actions() {
  constexpr std::string_view kGroup = "Camera";
  return {
      {"camera frame selection",
       kGroup,
       "move back until the selection, or the active scene, is in the picture",
       "F",
       {},
       frame_selection},
      {"camera front", kGroup, "look from the front", "1", {}, stand<0, 0, 1>},
      {"camera back", kGroup, "look from the back", "Ctrl+1", {}, stand<0, 0, -1>},
      {"camera right", kGroup, "look from the right", "3", {}, stand<-1, 0, 0>},
      {"camera left", kGroup, "look from the left", "Ctrl+3", {}, stand<1, 0, 0>},
      {"camera top", kGroup, "look from above", "7", {}, stand<0, -1, 0>},
      {"camera bottom", kGroup, "look from below", "Ctrl+7", {}, stand<0, 1, 0>},
      {"camera from",
       kGroup,
       "look from a side",
       "",
       {{"AXIS", "x, -x, y, -y, z or -z"}},
       look_from},
      {"camera orthographic",
       kGroup,
       "show everything without perspective, or with it again",
       "5",
       {{"on|off", "default: toggle", true}},
       toggle_orthographic},
  };
}

std::vector<Action> photograph_actions() {
  constexpr std::string_view kGroup = "Camera";
  return {
      {"cameras",
       kGroup,
       "choose the dataset for photograph actions",
       "",
       {{"DATASET", "its name, or its number in the order of opening"}},
       cameras},
      {"photograph",
       kGroup,
       "move to the camera of a photograph",
       "",
       {{"NAME", "name of the photograph, or its number if no name matches"}},
       photograph},
      {"photograph number",
       kGroup,
       "move to the camera of a photograph, by its number only",
       "",
       {{"NUMBER", "from 1, in the order of the names"}},
       photograph_by_number},
      {"photograph next",
       kGroup,
       "move to the next photograph",
       "PageDown",
       {},
       next_photograph,
       false,
       any_photograph},
      {"photograph previous",
       kGroup,
       "move to the previous photograph",
       "PageUp",
       {},
       previous_photograph,
       false,
       any_photograph},
  };
}

}  // namespace mote
