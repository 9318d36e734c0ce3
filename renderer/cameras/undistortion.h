#pragma once

#include <string>

#include "cameras/camera.h"
#include "cameras/lens.h"

namespace mote {

/// No direction farther than this from the optical axis, along x and along y, gets into an
/// undistorted image: tan 60 degrees. A pinhole draws the rest of a fisheye ever larger.
inline constexpr double kMaxUndistortedSlope = 1.7320508075688772;

/// The pinhole that sees the largest rectangle of what `camera` with `lens` in front of it sees
/// whole: every pixel of the result lies in the source image, on this side of any fold of the lens
/// and within kMaxUndistortedSlope. Same pose; resolution as in the middle of the source image,
/// less where sides would become more than twice as long. `camera` itself where the lens changes
/// nothing. Throws Error, naming `where` and the parameters, where the lens folds over in the
/// middle of the image, and where it would make an image of eight times the sides.
Camera undistorted_camera(const Camera& camera, const Lens& lens, const std::string& where);

}  // namespace mote
