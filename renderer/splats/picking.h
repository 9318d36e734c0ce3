#pragma once

// Selection of splats by a region of the image, by a shape in the world, or by their properties.
// The position of a splat is its mean. No shape contains a mean that is not finite. Each query
// passes once over the splats, on all CPUs.

#include <cstdint>
#include <functional>
#include <glm/vec3.hpp>
#include <limits>
#include <span>

#include "cameras/camera.h"
#include "core/image.h"
#include "scene/oriented_box.h"
#include "splats/picking/image_region.h"
#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

struct ImagePick {
  Camera camera;       // relative to the cloud
  ImageRegion region;  // in pixels of the camera
  /// If given, excludes splats that are behind this surface by more than the tolerance. [h][w][1],
  /// view z as in Frame::depth_median; 0 where there is no surface. Its size may differ from that
  /// of the camera's image.
  const Image* depth_median = nullptr;
  double depth_tolerance = 0.05;  // relative to the depth
  double min_opacity = 0;         // 0 to 1
  /// Splats with a motion are picked where they are at that time for the camera, if they are seen.
  double time_s = 0;
};

/// Splats in front of the camera whose mean projects into the region.
SplatMask pick_in_image(const SplatCloud& cloud, const ImagePick& pick);

/// A time, and a place from which splats are seen, relative to the cloud.
struct SeenFrom {
  double time_s = 0;
  glm::dvec3 eye{0};
};
/// A selection in a cloud that stands still. `source`: the index of each splat in the cloud that it
/// is a slice of; empty if it is that cloud.
using StillPick =
    std::function<SplatMask(const SplatCloud& cloud, std::span<const std::uint32_t> source)>;
/// The splats that `pick` takes of those that are seen at the time and from the place, where they
/// are then. `pick` gets all splats of a cloud that stands still.
SplatMask pick_in_slice(const SplatCloud& cloud, const SeenFrom& from, const StillPick& pick);
/// A mask of the whole cloud as one of the splats that `pick` gets there.
SplatMask mask_of_slice(const SplatMask& mask, const SplatCloud& cloud,
                        std::span<const std::uint32_t> source);

/// Splats whose mean lies in the ball, including its surface.
SplatMask pick_in_sphere(const SplatCloud& cloud, const glm::dvec3& center, double radius);

/// Splats whose mean lies in the box, including its surface.
SplatMask pick_in_box(const SplatCloud& cloud, const OrientedBox& box);

/// Ranges of splat properties, including both ends.
struct RangePick {
  double min_opacity = 0, max_opacity = 1;
  /// Standard deviation along the longest axis, world units.
  double min_size = 0, max_size = std::numeric_limits<double>::infinity();
};

SplatMask pick_in_range(const SplatCloud& cloud, const RangePick& range);

}  // namespace mote
