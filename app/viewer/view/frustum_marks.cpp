#include "app/viewer/view/frustum_marks.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/view_lines.h"

namespace mote {
namespace {

/// Whether the pixel lies in the quadrilateral; corners are in order around it.
bool within(const std::array<glm::dvec2, 4>& corners, const glm::dvec2& px) {
  int left = 0, right = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const glm::dvec2 side = corners[(i + 1) % 4] - corners[i], way = px - corners[i];
    const double turn = side.x * way.y - side.y * way.x;
    left += turn > 0 ? 1 : 0;
    right += turn < 0 ? 1 : 0;
  }
  return left == 0 || right == 0;
}

}  // namespace

bool is_under(const Camera& camera, const Pyramid& pyramid, const glm::dvec2& px, double reach_px,
              double nearest) {
  std::array<glm::dvec2, 4> corners;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto eye_edge = projected(camera, pyramid.eye, pyramid.corners[i], nearest);
    if (eye_edge && distance_to(*eye_edge, px) <= reach_px) return true;
    const auto side = projected(camera, pyramid.corners[i], pyramid.corners[(i + 1) % 4], nearest);
    if (side && distance_to(*side, px) <= reach_px) return true;
    const auto corner = projected(camera, pyramid.corners[i], nearest);
    if (!corner) return false;
    corners[i] = *corner;
  }
  return within(corners, px);
}

double pyramid_depth(const CameraSet& set) {
  // The spacing of cameras that share the area around their center equally.
  constexpr double kShare = 0.35, kMostOfExtent = 0.12;
  const double count = std::max<double>(1, static_cast<double>(set.views.size()));
  return set.extent * std::min(kMostOfExtent, kShare / std::sqrt(count));
}

Pyramid pyramid_of(const Camera& camera, double depth) {
  Pyramid pyramid{.eye = camera.position_world()};
  const auto at = [&](double x, double y) {
    const glm::dvec2 slope = (glm::dvec2(x, y) - camera.center_px) / camera.focal_px;
    return pyramid.eye + glm::transpose(camera.cam_from_world) * (depth * glm::dvec3(slope, 1));
  };
  const double w = camera.width, h = camera.height;
  pyramid.corners = {at(0, 0), at(w, 0), at(w, h), at(0, h)};
  pyramid.tip = at(0.5 * w, -0.2 * h);
  return pyramid;
}

const CameraSet* shown_cameras(const Session& session) {
  const CameraSet* chosen =
      session.photograph ? session.find_cameras(session.photograph->set) : nullptr;
  if (chosen == nullptr) chosen = session.find_cameras(session.chosen_cameras);
  if (chosen != nullptr) return chosen;
  for (const CameraSet& set : session.cameras) {
    if (set.data || chosen == nullptr || !chosen->data) chosen = &set;
  }
  return chosen;
}

bool shows_run_of(const Session& session, const CameraSet& set) {
  const auto& list = session.documents.list();
  return set.data && std::any_of(list.begin(), list.end(), [&](const Document& document) {
           const bool trained =
               document.id == session.training.document && session.training.data == set.source;
           return document.shown && (trained || document.run.dataset == set.source);
         });
}

bool is_hidden(const Session& session, const CameraSet& set) {
  // A run hides the points that it started from, but not the cameras.
  if (shows_run_of(session, set)) return false;
  const Document* document = session.documents.find(set.id);
  return document != nullptr && !document->shown;
}

double mark_opacity(const Session& session, const CameraSet& set, std::size_t index) {
  if (!session.settings().frusta || session.window.view_only) return 0;
  // Distances from the eye, in depths of a pyramid.
  constexpr double kGone = 1, kWhole = 3;
  // An orthographic view has no eye near the marks.
  if (session.navigator.is_orthographic()) return 1;
  const glm::dvec3 eye = session.navigator.pose().eye_world;
  const double away =
      glm::length(set.views[index].camera.position_world() - eye) / pyramid_depth(set);
  return std::clamp((away - kGone) / (kWhole - kGone), 0.0, 1.0);
}

std::optional<MarkId> mark_under(const Session& session, const glm::dvec2& px, double reach_px) {
  constexpr double kLeastOpacity = 0.5;
  if (comparing(session)) return {};
  const Camera camera = shown_camera(session);
  std::optional<MarkId> found;
  double found_z = std::numeric_limits<double>::infinity();
  for (const CameraSet& set : session.cameras) {
    if (is_hidden(session, set)) continue;
    const double depth = pyramid_depth(set), nearest = 0.01 * depth;
    for (std::size_t i = 0; i < set.views.size(); ++i) {
      if (mark_opacity(session, set, i) < kLeastOpacity) continue;
      const Pyramid pyramid = pyramid_of(set.views[i].camera, depth);
      const double z = (camera.cam_from_world * pyramid.eye + camera.translation).z;
      if (z >= found_z || !is_under(camera, pyramid, px, reach_px, nearest)) continue;
      found = MarkId{set.id, static_cast<std::uint32_t>(i)};
      found_z = z;
    }
  }
  return found;
}

}  // namespace mote
