#pragma once

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace mote {

/// One splat of a file of moving splats, with activated values. At the time t, with d = t - time_s:
/// its weight is exp(-d^2 / (2 sigma_s^2)) within [from_s, until_s), else 0; its centre position +
/// motion[0..2] d + motion[3..5] d^2 + motion[6..8] d^3; its rotation that of the quaternion
/// rotation + spin d, normalised.
struct MovingSplat {
  std::array<float, 3> position{};
  std::array<float, 9> motion{};
  std::array<float, 4> rotation{1, 0, 0, 0}, spin{};  // w, x, y, z
  std::array<float, 3> scale{};                       // standard deviations, world
  std::array<float, 3> color{};                       // r, g, b of SH degree 0, as shown, near 0..1
  float opacity = 0;                                  // at the weight 1
  float time_s = 0;
  float sigma_s = std::numeric_limits<float>::infinity();  // infinity: does not fade
  float from_s = -std::numeric_limits<float>::infinity();
  float until_s = std::numeric_limits<float>::infinity();
};

/// The content of a file of moving splats, independent of the format and of Mote's own motions.
struct MovingSplatsFile {
  std::string format = {};  // for messages
  double duration_s = 0;    // 0: unknown; then all times are shares of the duration, from 0 to 1
  double weight_floor = 0;  // smaller weights are not drawn
  int sh_degree = 0;
  std::vector<MovingSplat> splats = {};
  /// Coefficients of the degrees from 1 on: [splat][coefficient][r, g, b].
  std::vector<float> sh = {};
  std::vector<std::string> warnings = {};  // one phrase each
};

}  // namespace mote
