#pragma once

// Which splats are meant by a gesture in the image, by a shape in the world, or by what they are
// like. A splat is where its mean is. Means that are not finite are nowhere: no shape holds them.
// Every look passes once over the splats, on all CPUs.

#include <glm/mat3x3.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <limits>
#include <variant>
#include <vector>

#include "cameras/camera.h"
#include "core/image.h"
#include "scene/splat_cloud.h"
#include "scene/splat_mask.h"

namespace mote {

/// Edges belong to it.
struct RectangleRegion {
  glm::dvec2 low_px{0}, high_px{0};
};

/// What a round brush touches that is led through the points, one or more; its edge belongs to it.
struct BrushRegion {
  std::vector<glm::dvec2> points_px;
  double radius_px = 1;
};

using ImageRegion = std::variant<RectangleRegion, BrushRegion>;

struct ImagePick {
  Camera camera;       // in the frame of the cloud
  ImageRegion region;  // in its pixels
  /// Where given, only splats that the camera sees: not behind this depth by more than the
  /// tolerance. [h][w][1], view z of the cloud's frame as Frame::depth_median has it: 0 where there
  /// is no surface, which hides nothing. May be of another size than the camera's image.
  const Image* depth_median = nullptr;
  double depth_tolerance = 0.05;  // share of the depth
  double min_opacity = 0;         // 0 to 1
};

/// Splats in front of the camera whose mean projects into the region.
SplatMask pick_in_image(const SplatCloud& cloud, const ImagePick& pick);

/// Splats within the ball, its surface included.
SplatMask pick_in_sphere(const SplatCloud& cloud, const glm::dvec3& center, double radius);

/// A box that may stand aslant: |transpose(rotation) * (p - center)| <= half_size, axis by axis.
struct OrientedBox {
  glm::dvec3 center{0}, half_size{1};  // world units; half sizes 0 or more
  glm::dmat3 rotation{1};              // its axes in the world, as columns
};

SplatMask pick_in_box(const SplatCloud& cloud, const OrientedBox& box);

/// What a splat is like; both ends of a range belong to it.
struct RangePick {
  double min_opacity = 0, max_opacity = 1;
  /// Standard deviation along the longest axis, world units.
  double min_size = 0, max_size = std::numeric_limits<double>::infinity();
};

SplatMask pick_in_range(const SplatCloud& cloud, const RangePick& range);

}  // namespace mote
