#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cameras/camera.h"
#include "scene/dataset.h"

namespace mote {

/// Views that lie inside a set of views: others see what they show, from similar directions.
struct InnerViews {
  std::vector<std::uint32_t> views;  // numbers of cameras, ascending
  double least_seen = 1;  // of the one that is seen worst: the share of it that two others see
};

/// Chooses `count` of the cameras so that the rest sees as much as can be of each of them: of a
/// walk not its ends, and not two neighbours. A view is judged by samples of its pixels at the
/// depth of the points that it shows, or of what all cameras look at where there are no points.
/// Meant for few cameras: time goes with the square of their number.
InnerViews choose_inner_views(std::span<const Camera> cameras, const PointCloud& points,
                              std::size_t count);

}  // namespace mote
