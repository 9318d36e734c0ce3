#include "app/viewer/view/frustum_photographs.h"

#include <algorithm>
#include <functional>
#include <glm/common.hpp>
#include <optional>

#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/view_lines.h"

namespace mote {
namespace {

constexpr double kLeastSide_px = 12;

/// The place of the pyramid's image plane in the view. Empty if a corner is behind the eye, if the
/// plane is outside the view, or if it is too small to see a photograph in it.
std::optional<FrustumPhotograph> placed_in(const Camera& camera, const Pyramid& pyramid,
                                           double nearest) {
  FrustumPhotograph placed;
  glm::dvec2 low(camera.width, camera.height), high(0);
  constexpr std::array<std::size_t, 4> kOrder{0, 1, 3, 2};  // of a pyramid's corners
  for (std::size_t i = 0; i < 4; ++i) {
    const glm::dvec3 p = camera.cam_from_world * pyramid.corners[kOrder[i]] + camera.translation;
    if (!(p.z >= nearest)) return {};
    const glm::dvec2 scaled = camera.focal_px * glm::dvec2(p.x, p.y) + camera.center_px * p.z;
    placed.corners[i] = {scaled, p.z};
    low = i == 0 ? scaled / p.z : glm::min(low, scaled / p.z);
    high = i == 0 ? scaled / p.z : glm::max(high, scaled / p.z);
  }
  if (high.x < 0 || high.y < 0 || low.x > camera.width || low.y > camera.height) return {};
  placed.side_px = std::max(high.x - low.x, high.y - low.y);
  if (placed.side_px < kLeastSide_px) return {};
  return placed;
}

}  // namespace

std::vector<FrustumPhotograph> frustum_photographs(const Session& session) {
  std::vector<FrustumPhotograph> found;
  if (!session.settings().frustum_photographs || session.frame == nullptr) return found;
  if (comparing(session)) return found;
  const Camera camera = shown_camera(session);
  const CameraSet* meant = shown_cameras(session);
  for (const CameraSet& set : session.cameras) {
    if (is_hidden(session, set) || shows_run_of(session, set)) continue;
    const double depth = pyramid_depth(set);
    for (std::size_t i = 0; i < set.views.size(); ++i) {
      const double opacity = mark_opacity(session, set, i) * (meant == &set ? 1 : 0.5);
      if (set.views[i].image.empty() || opacity == 0) continue;
      auto placed = placed_in(camera, pyramid_of(set.views[i].camera, depth), 0.01 * depth);
      if (!placed) continue;
      placed->mark = {set.id, static_cast<std::uint32_t>(i)};
      placed->opacity = opacity;
      found.push_back(*placed);
    }
  }
  if (found.size() > kMostFrustumPhotographs) {
    std::ranges::nth_element(found, found.begin() + kMostFrustumPhotographs, std::greater{},
                             &FrustumPhotograph::side_px);
    found.resize(kMostFrustumPhotographs);
  }
  std::ranges::sort(found, std::greater{}, [](const FrustumPhotograph& one) {
    return one.corners[0].z + one.corners[3].z;
  });
  return found;
}

}  // namespace mote
