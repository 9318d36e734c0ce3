#include "app/viewer/view/path_marks.h"

#include <algorithm>
#include <glm/geometric.hpp>
#include <limits>

#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/view_lines.h"

namespace mote {

bool path_is_drawn(const Session& session) {
  const WindowState& window = session.window;
  const bool open = window.side != nullptr && window.side->name == "path" && !window.view_only;
  return open && session.settings().camera_path && !session.path.empty() &&
         !session.path.playing() && !comparing(session);
}

double path_mark_depth(const Session& session) {
  // Small enough to keep neighbours apart, and large enough to be clicked.
  constexpr double kMostOfSpread = 0.15, kShare = 0.5, kLeastOfScene = 0.03;
  const std::vector<CameraKeyframe>& keys = session.path.path().keyframes;
  const auto count = static_cast<double>(keys.size());
  glm::dvec3 middle(0);
  for (const CameraKeyframe& key : keys) middle += key.position_world / count;
  double spread = 0;
  for (const CameraKeyframe& key : keys) {
    spread = std::max(spread, glm::length(key.position_world - middle));
  }
  const double radius = session.documents.empty() ? 1 : session.documents.extent().radius;
  return std::max(kLeastOfScene * radius, spread * std::min(kMostOfSpread, kShare / count));
}

Pyramid path_mark(const Session& session, std::size_t number, double depth) {
  const CameraKeyframe& key = session.path.path().keyframes[number];
  return pyramid_of(camera_of(key, session.view.width, session.view.height), depth);
}

bool path_mark_is_drawn(const Session& session, std::size_t number, double depth) {
  constexpr double kInside = 0.5;
  const glm::dvec3 eye = session.navigator.pose().eye_world;
  const glm::dvec3& place = session.path.path().keyframes[number].position_world;
  return glm::length(place - eye) > kInside * depth;
}

std::optional<std::size_t> path_mark_under(const Session& session, const glm::dvec2& px,
                                           double reach_px) {
  if (!path_is_drawn(session)) return {};
  const Camera camera = shown_camera(session);
  const double depth = path_mark_depth(session), nearest = 0.01 * depth;
  std::optional<std::size_t> found;
  double found_z = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < session.path.size(); ++i) {
    if (!path_mark_is_drawn(session, i, depth)) continue;
    const Pyramid pyramid = path_mark(session, i, depth);
    const double z = (camera.cam_from_world * pyramid.eye + camera.translation).z;
    if (z >= found_z || !is_under(camera, pyramid, px, reach_px, nearest)) continue;
    found = i;
    found_z = z;
  }
  return found;
}

}  // namespace mote
