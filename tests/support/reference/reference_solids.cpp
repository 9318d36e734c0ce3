#include "reference_solids.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <limits>

namespace mote {
namespace {

struct Solid {
  glm::dvec3 center_cam;
  glm::dmat3 unit_from_cam;  // maps the ellipsoid, apart from its centre, to the unit sphere
  glm::dvec2 mean_px;
  double radius_px;  // of a point
  glm::dvec3 color;
};

/// The nearest intersection of a ray with one splat.
struct Cut {
  double depth;
  double beyond_rim;  // 0 at the rim, negative inside; about 1 at one more radius
  glm::dvec3 color;
};

bool prepare(const ReferenceCloud& cloud, std::size_t i, const Camera& camera,
             const RenderSettings& settings, Solid& solid) {
  const double opacity = 1 / (1 + std::exp(-cloud.at(i, Field::logit_opacity)));
  const glm::dvec3 mean(cloud.at(i, Field::mean_x), cloud.at(i, Field::mean_y),
                        cloud.at(i, Field::mean_z));
  const glm::dvec3 p = camera.cam_from_world * mean + camera.translation;
  if (!(opacity >= 0.1) || !(p.z >= 0.01)) return false;
  const double factor = static_cast<double>(settings.splat_scale);
  solid.center_cam = p;
  solid.mean_px = camera.focal_px * glm::dvec2(p.x, p.y) / p.z + camera.center_px;
  solid.radius_px = std::max(0.71, 1.5 * factor);
  solid.color = reference_color(cloud, i, std::min(settings.max_sh_degree, cloud.sh_degree),
                                glm::normalize(mean - camera.position_world()));
  glm::dvec3 radii(0);
  for (int axis = 0; axis < 3; ++axis) {
    const auto field = static_cast<Field>(static_cast<int>(Field::log_scale_x) + axis);
    radii[axis] = std::max(2 * factor * std::exp(cloud.at(i, field)),
                           0.7 * p.z / std::min(camera.focal_px.x, camera.focal_px.y));
  }
  const glm::dmat3 rotation = camera.cam_from_world * reference_rotation(cloud, i);
  double reach2 = 0;
  for (int axis = 0; axis < 3; ++axis) reach2 += std::pow(radii[axis] * rotation[axis].z, 2);
  if (settings.shape == SplatShape::ellipsoid && !(p.z - std::sqrt(reach2) >= 0.01)) return false;
  solid.unit_from_cam = glm::dmat3(1 / radii.x, 0, 0, 0, 1 / radii.y, 0, 0, 0, 1 / radii.z) *
                        glm::transpose(rotation);
  return true;
}

Cut cut_point(const Solid& solid, glm::dvec2 px) {
  return {solid.center_cam.z, glm::length(px - solid.mean_px) / solid.radius_px - 1, solid.color};
}

Cut cut_ellipsoid(const Solid& solid, glm::dvec3 ray) {
  const glm::dvec3 from = solid.unit_from_cam * -solid.center_cam;
  const glm::dvec3 along = solid.unit_from_cam * ray;
  const double a = glm::dot(along, along), b = glm::dot(from, along);
  const double beyond = glm::dot(from, from) - b * b / a - 1;
  const double depth = (-b - std::sqrt(std::max(0.0, -a * beyond))) / a;
  const glm::dvec3 normal =
      glm::normalize(glm::transpose(solid.unit_from_cam) * (from + depth * along));
  const double lambert = std::max(0.0, -glm::dot(normal, glm::dvec3(0.36, 0.48, 0.8)));
  return {depth, beyond, (0.25 + 0.75 * lambert) * solid.color};
}

}  // namespace

ReferenceFrame render_reference_solids(const SplatCloud& cloud, const Camera& camera,
                                       const RenderSettings& settings) {
  constexpr double kRim = 0.01, kSameDepth = 1e-5;
  const ReferenceCloud values(cloud);
  std::vector<Solid> solids;
  for (std::size_t i = 0; i < values.count; ++i) {
    if (Solid s; prepare(values, i, camera, settings, s)) solids.push_back(s);
  }
  ReferenceFrame frame;
  frame.width = camera.width;
  frame.height = camera.height;
  std::vector<bool> seen(solids.size());
  std::vector<Cut> cuts(solids.size());
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      const glm::dvec2 px(x + 0.5, y + 0.5);
      const glm::dvec3 ray((px - camera.center_px) / camera.focal_px, 1);
      Cut nearest{std::numeric_limits<double>::infinity(), 0, {}};
      std::size_t shown = solids.size();
      for (std::size_t i = 0; i < solids.size(); ++i) {
        cuts[i] = settings.shape == SplatShape::point ? cut_point(solids[i], px)
                                                      : cut_ellipsoid(solids[i], ray);
        if (cuts[i].beyond_rim > 0 || cuts[i].depth >= nearest.depth) continue;
        nearest = cuts[i];
        shown = i;
      }
      const bool covered = shown < solids.size();
      if (covered) seen[shown] = true;
      bool doubtful = false;
      for (std::size_t i = 0; i < solids.size(); ++i) {
        const bool in_front = cuts[i].depth < nearest.depth * (1 + kSameDepth);
        doubtful |= in_front &&
                    (std::abs(cuts[i].beyond_rim) < kRim || (cuts[i].beyond_rim < 0 && i != shown));
      }
      for (int c = 0; c < 3; ++c) {
        const auto channel = static_cast<std::size_t>(c);
        frame.rgb.push_back(covered ? nearest.color[c]
                                    : static_cast<double>(settings.background[channel]));
      }
      frame.alpha.push_back(covered ? 1 : 0);
      frame.depth_expected.push_back(covered ? nearest.depth : 0);
      frame.depth_median.push_back(covered ? nearest.depth : 0);
      frame.overdraw.push_back(covered ? 1 : 0);
      frame.at_threshold.push_back(doubtful);
    }
  }
  frame.visible = static_cast<std::uint64_t>(std::count(seen.begin(), seen.end(), true));
  return frame;
}

}  // namespace mote
