#include "fields/occupancy_views.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"

namespace mote {
namespace {

/// The points that a camera sees are those with no negative distance to four planes, through the
/// camera and the edges of its image. This implies that they are in front of the camera.
struct ViewPyramid {
  struct Plane {
    Vec3<float> normal;  // inwards, of length 1
    float offset;
  };
  std::array<Plane, 4> planes;

  /// The least distance of a point to the planes, field's units.
  float depth_inside(Vec3<float> point) const {
    float least = dot(planes[0].normal, point) + planes[0].offset;
    for (std::size_t i = 1; i < planes.size(); ++i) {
      least = std::min(least, dot(planes[i].normal, point) + planes[i].offset);
    }
    return least;
  }
};

ViewPyramid pyramid_of(const CameraFloats& camera) {
  const float* m = camera.cam_from_world;
  const Mat3<float> cam_from_world{{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}};
  const float* t = camera.translation;
  const auto plane = [&](Vec3<float> normal_cam) {
    const Vec3<float> normal = transpose_times(cam_from_world, normal_cam);
    const float inverse = 1 / std::sqrt(dot(normal, normal));
    return ViewPyramid::Plane{normal * inverse,
                              inverse * dot(normal_cam, Vec3<float>{t[0], t[1], t[2]})};
  };
  return {{plane({camera.focal_x, 0, camera.center_x}),
           plane({-camera.focal_x, 0, camera.width - camera.center_x}),
           plane({0, camera.focal_y, camera.center_y}),
           plane({0, -camera.focal_y, camera.height - camera.center_y})}};
}

/// Walks through cubes of cells in Morton order. A cube in the view of one camera is seen, a cube
/// outside of all views is unseen, and the others are divided.
class SeenCells {
 public:
  SeenCells(std::span<const CameraFloats> cameras, std::span<float> densities)
      : densities_(densities) {
    for (const CameraFloats& camera : cameras) candidates_.back().push_back(pyramid_of(camera));
  }

  /// Marks the 8^level cells from `first` on. The cameras that may see some of them are among
  /// candidates_[level + 1].
  void mark(std::size_t first, int level) {
    constexpr float kHalfDiagonal = 0.8660254f * 1.001f;  // of a cube of side 1, rounded up
    const auto cells = static_cast<float>(1 << level);
    const Vec3<float> center = point_of(first, 0.5f * cells, 0.5f * cells, 0.5f * cells);
    const float radius = kHalfDiagonal * cells * (point_of(first, 1, 0, 0).x - point_of(first).x);
    const auto at = static_cast<std::size_t>(level);
    std::vector<ViewPyramid>& own = candidates_[at];
    own.clear();
    for (const ViewPyramid& camera : candidates_[at + 1]) {
      const float depth = camera.depth_inside(center);
      if (depth >= radius) return set(first, level, true);
      if (depth > -radius) own.push_back(camera);
    }
    if (own.empty()) return set(first, level, false);
    if (level == 0) return set(first, level, sees_a_point(first));
    for (std::size_t part = 0; part < 8; ++part) {
      mark(first + (part << (3 * (level - 1))), level - 1);
    }
  }

 private:
  static Vec3<float> point_of(std::size_t cell, float x = 0, float y = 0, float z = 0) {
    return cell_position(static_cast<std::uint32_t>(cell), {x, y, z});
  }

  bool sees_a_point(std::size_t cell) const {
    const auto seen = [&](Vec3<float> point) {
      return std::any_of(
          candidates_[0].begin(), candidates_[0].end(),
          [&](const ViewPyramid& camera) { return camera.depth_inside(point) >= 0; });
    };
    if (seen(point_of(cell, 0.5f, 0.5f, 0.5f))) return true;
    for (int corner = 0; corner < 8; ++corner) {
      const auto axis = [&](int a) { return static_cast<float>(corner >> a & 1); };
      if (seen(point_of(cell, axis(0), axis(1), axis(2)))) return true;
    }
    return false;
  }

  void set(std::size_t first, int level, bool seen) {
    for (float& density : densities_.subspan(first, std::size_t{1} << (3 * level))) {
      density = seen ? std::max(density, 0.0f) : kUnseenDensity;
    }
  }

  std::span<float> densities_;
  std::array<std::vector<ViewPyramid>, kOccupancyBitsPerAxis + 2> candidates_;  // by level
};

}  // namespace

void mark_unseen_cells(std::span<const CameraFloats> cameras, OccupancyDensities& densities) {
  CHECK(densities.values.size() == static_cast<std::size_t>(densities.cascades) * kOccupancyCells);
  SeenCells seen(cameras, densities.values);
  for (int cascade = 0; cascade < densities.cascades; ++cascade) {
    seen.mark(static_cast<std::size_t>(cascade) * kOccupancyCells, kOccupancyBitsPerAxis);
  }
}

}  // namespace mote
