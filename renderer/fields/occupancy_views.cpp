#include "fields/occupancy_views.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/matrix.hpp>

#include "cameras/lens_rays.h"
#include "cameras/shutter_motion.h"
#include "core/error.h"
#include "fields/field_camera.h"

namespace mote {
namespace {

/// The points that a camera sees are those with no negative distance to four planes, through the
/// camera and the edges of its image. This implies that they are in front of the camera. Or they
/// are those in a cone.
struct ViewRegion {
  struct Plane {
    Vec3<float> normal;  // inwards, of length 1
    float offset;
  };
  std::array<Plane, 4> planes;
  float widest_rad = 0;  // above 0: the cone around `axis`, instead of the planes
  Vec3<float> apex{}, axis{};

  /// The distance of a point to the border, field's units, or less; negative outside.
  float depth_inside(Vec3<float> point) const {
    if (widest_rad > 0) return depth_in_cone(point);
    float least = dot(planes[0].normal, point) + planes[0].offset;
    for (std::size_t i = 1; i < planes.size(); ++i) {
      least = std::min(least, dot(planes[i].normal, point) + planes[i].offset);
    }
    return least;
  }

  /// The distance to the straight line of the cone's border in the plane of the point and the axis.
  float depth_in_cone(Vec3<float> point) const {
    const Vec3<float> from_apex = point - apex;
    const float along = dot(from_apex, axis);
    const float across = std::sqrt(std::max(dot(from_apex, from_apex) - along * along, 0.0f));
    return along * std::sin(widest_rad) - across * std::cos(widest_rad);
  }
};

ViewRegion region_of(const SeenView& view) {
  const CameraFloats& camera = view.camera;
  const float* m = camera.cam_from_world;
  const Mat3<float> cam_from_world{{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}};
  const float* t = camera.translation;
  const auto plane = [&](Vec3<float> normal_cam) {
    const Vec3<float> normal = transpose_times(cam_from_world, normal_cam);
    const float inverse = 1 / std::sqrt(dot(normal, normal));
    return ViewRegion::Plane{normal * inverse,
                             inverse * dot(normal_cam, Vec3<float>{t[0], t[1], t[2]})};
  };
  const float* p = camera.position_world;
  const Vec3<float> axis{m[6], m[7], m[8]};
  return {{plane({camera.focal_x, 0, camera.center_x}),
           plane({-camera.focal_x, 0, camera.width - camera.center_x}),
           plane({0, camera.focal_y, camera.center_y}),
           plane({0, -camera.focal_y, camera.height - camera.center_y})},
          view.widest_rad,
          {p[0], p[1], p[2]},
          axis * (1 / std::sqrt(dot(axis, axis)))};
}

/// Upper bound on the share of the motion between the middle and any point of the image.
double widest_share(const ShutterMotion& motion) {
  return 0.5 *
         (std::abs(motion.by_column) + std::abs(motion.by_row) + std::abs(motion.by_exposure));
}

/// The pinhole camera whose image is the rectangle of slopes.
void set_slopes(const LensRays::Slopes& slopes, CameraFloats& camera) {
  camera.focal_x = camera.focal_y = 1;
  camera.center_x = static_cast<float>(-slopes.least.x);
  camera.center_y = static_cast<float>(-slopes.least.y);
  camera.width = static_cast<float>(slopes.most.x - slopes.least.x);
  camera.height = static_cast<float>(slopes.most.y - slopes.least.y);
}

/// Walks through cubes of cells in Morton order. A cube in the view of one camera is seen, a cube
/// outside of all views is unseen, and the others are divided.
class SeenCells {
 public:
  SeenCells(std::span<const SeenView> views, std::span<float> densities) : densities_(densities) {
    for (const SeenView& view : views) candidates_.back().push_back(region_of(view));
  }

  /// Marks the 8^level cells from `first` on. The cameras that may see some of them are among
  /// candidates_[level + 1].
  void mark(std::size_t first, int level) {
    constexpr float kHalfDiagonal = 0.8660254f * 1.001f;  // of a cube of side 1, rounded up
    const auto cells = static_cast<float>(1 << level);
    const Vec3<float> center = point_of(first, 0.5f * cells, 0.5f * cells, 0.5f * cells);
    const float radius = kHalfDiagonal * cells * (point_of(first, 1, 0, 0).x - point_of(first).x);
    const auto at = static_cast<std::size_t>(level);
    std::vector<ViewRegion>& own = candidates_[at];
    own.clear();
    for (const ViewRegion& camera : candidates_[at + 1]) {
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
      return std::any_of(candidates_[0].begin(), candidates_[0].end(),
                         [&](const ViewRegion& camera) { return camera.depth_inside(point) >= 0; });
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
  std::array<std::vector<ViewRegion>, kOccupancyBitsPerAxis + 2> candidates_;  // by level
};

}  // namespace

std::vector<SeenView> seen_views(const Camera& camera) {
  std::vector<Camera> poses{camera};
  if (camera.motion) {
    const ShutterMotion& motion = *camera.motion;
    poses.clear();
    for (const double share : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
      const CameraPose pose = motion.pose_cam(share * widest_share(motion));
      Camera moved = camera;
      const glm::dmat3 cam_from_middle = glm::transpose(pose.world_from_cam);
      moved.cam_from_world = cam_from_middle * camera.cam_from_world;
      moved.translation = cam_from_middle * (camera.translation - pose.position_world);
      poses.push_back(moved);
    }
  }
  std::vector<SeenView> views;
  for (const Camera& pose : poses) {
    SeenView view{camera_floats(pose)};
    if (camera.lens && camera.lens->slopes()) {
      set_slopes(*camera.lens->slopes(), view.camera);
    } else if (camera.lens) {
      view.widest_rad = static_cast<float>(camera.lens->widest_rad());
    }
    views.push_back(view);
  }
  return views;
}

void mark_unseen_cells(std::span<const SeenView> views, OccupancyDensities& densities) {
  CHECK(densities.values.size() == static_cast<std::size_t>(densities.cascades) * kOccupancyCells);
  SeenCells seen(views, densities.values);
  for (int cascade = 0; cascade < densities.cascades; ++cascade) {
    seen.mark(static_cast<std::size_t>(cascade) * kOccupancyCells, kOccupancyBitsPerAxis);
  }
}

void start_occupancy(const FieldPlacement& placement, std::span<const Camera> cameras,
                     OccupancyDensities& densities) {
  std::vector<SeenView> seen;
  for (const Camera& camera : cameras) {
    const auto views = seen_views(camera_in_field(placement, camera));
    seen.insert(seen.end(), views.begin(), views.end());
  }
  if (!seen.empty()) mark_unseen_cells(seen, densities);
  for (float& value : densities.values) {
    if (value == 0) value = 2 * kOccupiedDensity;
  }
}

}  // namespace mote
