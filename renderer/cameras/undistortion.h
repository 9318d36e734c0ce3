#pragma once

#include <string>

#include "cameras/camera.h"
#include "cameras/lens.h"

namespace mote {

/// Upper bound on |x/z| and |y/z| in an undistorted image: tan 60 degrees. Beyond it, a pinhole
/// camera stretches a fisheye image more and more.
inline constexpr double kMaxUndistortedSlope = 1.7320508075688772;

/// The pinhole camera that sees the largest rectangle inside the view of `camera` with `lens`.
/// Every pixel of the result lies in the source image, not beyond a fold of the lens and within
/// kMaxUndistortedSlope. The pose is the same. The resolution is that of the middle of the source
/// image, or less where a side would become more than twice as long. Returns `camera` where the
/// lens changes nothing. Throws Error, which names `where` and the parameters, where the lens folds
/// in the middle of the image or would enlarge a side eight times.
Camera undistorted_camera(const Camera& camera, const Lens& lens, const std::string& where);

}  // namespace mote
