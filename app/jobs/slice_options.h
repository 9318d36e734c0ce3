#pragma once

// The plane of the display mode `slice`.

#include <array>
#include <string>
#include <string_view>

#include "cameras/camera.h"
#include "core/options.h"
#include "scene/camera_path.h"
#include "scene/plane.h"

namespace mote {

/// Names of the plane's normal: the direction of the view, or an axis of the world.
inline constexpr std::array<std::string_view, 4> kSliceAxes{"view", "x", "y", "z"};
/// Bounds of the plane's place.
inline constexpr double kSliceReach = 2;

struct SliceOptions {
  std::string axis{kSliceAxes[0]};
  double place = 0;  // from the middle of the scene along the axis, in radii of the scene

  void describe(OptionTable& table);
  Plane plane(const Camera& camera, const SceneExtent& extent) const;
};

}  // namespace mote
