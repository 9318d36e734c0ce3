#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cameras/camera.h"
#include "scene/dataset.h"

namespace mote {

/// Views inside a set of views: other views show the same content from similar directions.
struct InnerViews {
  std::vector<std::uint32_t> views;  // indices of cameras, ascending
  double least_seen = 1;  // minimum over the views: fraction of the view that two others see
};

/// Chooses `count` of the cameras so that the others see as much as possible of each of them. This
/// avoids the ends of a walk and choosing neighbours together. A view is judged by samples of its
/// pixels, at the depth of the points that it shows. Without points, the depth is that of the
/// common focus. The time grows with the square of the number of cameras.
InnerViews choose_inner_views(std::span<const Camera> cameras, const PointCloud& points,
                              std::size_t count);

}  // namespace mote
