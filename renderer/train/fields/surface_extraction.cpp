#include "train/fields/surface_extraction.h"

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/buffer.h"
#include "core/error.h"
#include "fields/applications/field_layout.h"
#include "fields/field_camera.h"
#include "fields/planes.h"
#include "fields/proposals/contraction.h"
#include "meshes/marching_cubes.h"

namespace mote {
namespace {

/// A grid of cubes that covers the box.
SurfaceGrid grid_over(const FieldBox& box, int resolution) {
  const glm::vec3 size = box.max - box.min;
  const float longest = std::max({size.x, size.y, size.z});
  if (!(std::min({size.x, size.y, size.z}) > 0) || !std::isfinite(longest)) {
    throw Error("has no size", "the box of the surface", "give a box around the surface");
  }
  SurfaceGrid grid;
  grid.cell = glm::vec3(longest / static_cast<float>(resolution));
  grid.low = box.min;
  for (int axis = 0; axis < 3; ++axis) {
    const double cells = std::ceil(static_cast<double>(size[axis]) / grid.cell.x - 1e-3);
    grid.points[static_cast<std::size_t>(axis)] = std::max(static_cast<int>(cells), 1) + 1;
  }
  return grid;
}

/// The part of the box in which the places of a field are those of its cube.
FieldBox box_without_contraction(const SurfaceRequest& request) {
  if (!request.facts.proposals) return request.box;
  const float reach = inner_reach(request.facts.aabb_scale);
  return {glm::max(request.box.min, glm::vec3(0.5f - reach)),
          glm::min(request.box.max, glm::vec3(0.5f + reach))};
}

/// Evaluates the field at the points of a plane that may be inside.
class PlaneFilling {
 public:
  PlaneFilling(const SurfaceRequest& request, const SurfaceGrid& grid)
      : request_(request), grid_(grid), cube_(field_cube(request.facts.aabb_scale)) {
    if (!request.facts.occupancy.values.empty()) occupied_.emplace(request.facts.occupancy);
  }

  void fill(int z, std::span<float> values) {
    find_points(z, values);
    field_values_.resize_discard(stride_);
    if (!chosen_.empty()) {
      request_.field.evaluate(positions_.data(), chosen_.size(), stride_, field_values_.data());
    }
    const bool is_density = request_.facts.application == FieldApplication::nerf;
    const auto level = static_cast<float>(std::log(request_.density));
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      const float value = is_density ? level - field_values_[i] : field_values_[i];
      values[chosen_[i]] = cut(value, point_at(chosen_[i], z));
    }
    if (request_.progress) request_.progress(static_cast<double>(z + 1) / grid_.points[2]);
  }

 private:
  void find_points(int z, std::span<float> values) {
    chosen_.clear();
    stride_ = field_plane_stride(values.size());
    positions_.resize_discard(3 * stride_);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const glm::vec3 point = point_at(i, z);
      if (!may_be_inside(point)) {
        values[i] = kFarOutside;
        continue;
      }
      const glm::vec3 place =
          glm::clamp((point - cube_.min) / (cube_.max - cube_.min), glm::vec3(0), glm::vec3(1));
      for (int axis = 0; axis < 3; ++axis) {
        positions_.data()[static_cast<std::size_t>(axis) * stride_ + chosen_.size()] = place[axis];
      }
      chosen_.push_back(i);
    }
  }

  /// Point `i` of the plane.
  glm::vec3 point_at(std::size_t i, int z) const {
    const auto row = static_cast<std::size_t>(grid_.points[0]);
    return grid_.low + grid_.cell * glm::vec3(i % row, i / row, z);
  }

  /// The value of the field that is cropped to its turned boxes: above 0 outside of them.
  float cut(float value, const glm::vec3& point) const {
    for (const OrientedBox& box : request_.facts.crops) {
      value = std::max(value, static_cast<float>(signed_distance(box, glm::dvec3(point))));
    }
    return value;
  }

  bool may_be_inside(const glm::vec3& point) const {
    if (!occupied_) return true;
    const glm::vec3 from_center = glm::abs(point - 0.5f);
    const float reach = std::max({from_center.x, from_center.y, from_center.z});
    int cascade = 0;
    while (cascade + 1 < request_.facts.occupancy.cascades &&
           reach >= 0.5f * cascade_side(cascade)) {
      ++cascade;
    }
    return occupied_->occupied({point.x, point.y, point.z}, cascade);
  }

  static constexpr float kFarOutside = 1;

  const SurfaceRequest& request_;
  const SurfaceGrid& grid_;
  const FieldBox cube_;
  std::optional<OccupancyBits> occupied_;
  std::vector<std::size_t> chosen_;  // points of the plane that are evaluated
  std::size_t stride_ = 0;
  Buffer<float> positions_, field_values_;
};

}  // namespace

TriangleMesh extract_surface(const SurfaceRequest& request) {
  const FieldApplication application = request.facts.application;
  if (application != FieldApplication::sdf && application != FieldApplication::nerf) {
    throw Error("has no surface: it is of --model " +
                    std::string(kFieldApplicationNames[static_cast<std::size_t>(application)]),
                request.name, "give a signed distance field or a NeRF");
  }
  CHECK(request.resolution >= 1);
  const SurfaceGrid grid = grid_over(box_without_contraction(request), request.resolution);
  PlaneFilling filling(request, grid);
  TriangleMesh mesh =
      marching_cubes(grid, [&](int z, std::span<float> values) { filling.fill(z, values); });
  if (mesh.triangles.empty()) {
    throw Error("has no surface in the box", request.name,
                application == FieldApplication::nerf ? "lower --density, or give another --box"
                                                      : "give another --box");
  }
  for (glm::vec3& position : mesh.positions) {
    position = glm::vec3(world_from_field(request.facts.placement, glm::dvec3(position)));
  }
  return mesh;
}

}  // namespace mote
