#include "train/fields/field_placing.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/vector_relational.hpp>
#include <vector>

#include "fields/field_camera.h"

namespace mote {
namespace {

constexpr double kCameraDistance = 4.0 * 0.33;  // of NeRF-synthetic, times instant-ngp's scale

/// The distance from the centre that 97 percent of the points do not exceed, as half the side of a
/// cube.
double reach_of_points(const PointCloud& points, const FieldPlacement& placement) {
  std::vector<double> reaches;
  for (const glm::dvec3& point : points.positions) {
    const glm::dvec3 from_center = glm::abs(field_from_world(placement, point) - 0.5);
    const double reach = std::max({from_center.x, from_center.y, from_center.z});
    if (std::isfinite(reach)) reaches.push_back(reach);
  }
  if (reaches.empty()) return 0;
  const auto nth =
      reaches.begin() + static_cast<std::ptrdiff_t>(0.97 * static_cast<double>(reaches.size() - 1));
  std::nth_element(reaches.begin(), nth, reaches.end());
  return *nth;
}

int chosen_aabb_scale(const Dataset& dataset, const FieldPlacement& placement) {
  if (dataset.points.positions.empty()) return dataset.is_cut_out ? 1 : kUsualAabbScale;
  const double reach = reach_of_points(dataset.points, placement);
  int scale = 1;
  while (scale < kMostAabbScale && 0.5 * scale < reach) scale *= 2;
  return scale;
}

}  // namespace

FieldSite place_field(const Dataset& dataset, const SceneLayout& layout, int aabb_scale) {
  FieldSite site;
  const FieldHints& hints = dataset.field_hints;
  if (hints.place) {
    site.placement = {hints.place->scale, hints.place->offset};
  } else {
    site.placement.scale =
        kCameraDistance / (layout.in_one_place ? layout.extent : layout.distance);
    site.placement.offset = glm::dvec3(0.5) - site.placement.scale * layout.focus;
  }
  site.aabb_scale = aabb_scale > 0         ? aabb_scale
                    : hints.aabb_scale > 0 ? hints.aabb_scale
                                           : chosen_aabb_scale(dataset, site.placement);
  site.render_box = field_cube(site.aabb_scale);
  if (!hints.render_box) return site;
  const FieldBox part{glm::max(site.render_box.min, hints.render_box->min),
                      glm::min(site.render_box.max, hints.render_box->max)};
  if (glm::all(glm::lessThan(part.min, part.max))) site.render_box = part;
  return site;
}

}  // namespace mote
