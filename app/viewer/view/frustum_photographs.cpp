#include "app/viewer/view/frustum_photographs.h"

#include <algorithm>
#include <functional>
#include <glm/common.hpp>
#include <optional>
#include <utility>

#include "app/viewer/view/photograph_view.h"
#include "app/viewer/view/view_lines.h"

namespace mote {
namespace {

constexpr double kLeastSide_px = 12;

/// Whether the plane is seen from its back.
bool is_mirrored(const std::array<glm::dvec3, 4>& corners) {
  const auto px = [&](std::size_t i) { return glm::dvec2(corners[i]) / corners[i].z; };
  const glm::dvec2 right = px(1) - px(0), down = px(2) - px(0);
  return right.x * down.y - right.y * down.x < 0;
}

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
  if (is_mirrored(placed.corners)) {
    std::swap(placed.corners[0], placed.corners[1]);
    std::swap(placed.corners[2], placed.corners[3]);
  }
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

present::PictureCells visible_cells(const PictureDepth& depth,
                                    const FrustumPhotograph& photograph) {
  present::PictureCells cells;
  const auto& corners = photograph.corners;
  for (int row = 0; row < present::PictureCells::kSide; ++row) {
    for (int column = 0; column < present::PictureCells::kSide; ++column) {
      const double u = (column + 0.5) / present::PictureCells::kSide,
                   v = (row + 0.5) / present::PictureCells::kSide;
      const glm::dvec3 at =
          glm::mix(glm::mix(corners[0], corners[1], u), glm::mix(corners[2], corners[3], u), v);
      if (depth.hides(glm::dvec2(at) / at.z, at.z)) cells.hide(column, row);
    }
  }
  return cells;
}

}  // namespace mote
