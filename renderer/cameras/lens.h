#pragma once

#include <array>
#include <glm/mat2x2.hpp>
#include <glm/vec2.hpp>
#include <optional>
#include <string>

namespace mote {

/// The families of lens distortion, each with the COLMAP camera models that it covers. Models with
/// fewer parameters leave the others at 0.
enum class LensKind {
  pinhole,          // SIMPLE_PINHOLE, PINHOLE
  brown,            // SIMPLE_RADIAL, RADIAL, OPENCV, FULL_OPENCV
  fov,              // FOV
  fisheye,          // OPENCV_FISHEYE, SIMPLE_RADIAL_FISHEYE, RADIAL_FISHEYE, THIN_PRISM_FISHEYE,
                    // SIMPLE_FISHEYE, FISHEYE
  fisheye_624,      // RAD_TAN_THIN_PRISM_FISHEYE
  division,         // SIMPLE_DIVISION, DIVISION
  eucm,             // EUCM
  equirectangular,  // EQUIRECTANGULAR of nerfstudio, `latlong` of instant-ngp
  equal_area,       // `equirectangular` of instant-ngp
};

/// Lens distortion applied to a pinhole image. Parameters by kind; the rest are 0:
///   brown        k1 k2 p1 p2 k3 k4 k5 k6 q: radial (1 + k1 r^2 + k2 r^4 + k3 r^6 + q r^8) /
///                (1 + k4 r^2 + k5 r^4 + k6 r^6), tangential p1 p2 (OpenCV's order; q is the k4 of
///                nerfstudio, whose radial part is a polynomial)
///   fov          omega
///   fisheye      k1 k2 p1 p2 k3 k4 sx1 sy1, of the angle (Kannala and Brandt 2006)
///   fisheye_624  k0..k5 p0 p1 s0..s3 (Project Aria's model of that name)
///   division     k (Fitzgibbon 2001)
///   eucm         alpha beta (Khomutenko, Garcia and Martinet 2016)
/// The last two are panoramas, which show all directions: x is the longitude atan2(x, z), y the
/// latitude asin(y) (equirectangular) or its sine (equal_area, Lambert's cylinder), of a direction
/// of length 1.
/// Formulas: COLMAP, src/colmap/sensor/models.h.
struct Lens {
  LensKind kind = LensKind::pinhole;
  std::array<double, 12> parameters{};
};

/// Text of the parameters that are not 0: "k1 = -0.1, p2 = 0.003".
std::string parameters_text(const Lens& lens);

/// Whether the lens changes nothing.
bool is_identity(const Lens& lens);

/// Whether the lens shows all directions around the camera.
bool is_panorama(const Lens& lens);

/// Maps the direction (u, v, 1) to the normalised image plane, before focal lengths and principal
/// point. Not finite where the lens sees nothing.
glm::dvec2 distort(const Lens& lens, glm::dvec2 uv);

/// d distort / d uv by central differences; column j is the derivative by component j.
glm::dmat2 distortion_jacobian(const Lens& lens, glm::dvec2 uv);

/// The direction that distort() maps to `distorted`. It is followed from the middle outwards, so
/// that it does not lie beyond a fold. Empty where there is no such direction in front of the
/// camera.
std::optional<glm::dvec2> undistort(const Lens& lens, glm::dvec2 distorted);

/// The inverse of distort() by Newton's method from `start`, which must be near the solution.
/// Several times as fast as undistort(), but the result may lie beyond a fold.
std::optional<glm::dvec2> undistort_from(const Lens& lens, glm::dvec2 distorted, glm::dvec2 start);

}  // namespace mote
