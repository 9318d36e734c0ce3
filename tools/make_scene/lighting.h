#pragma once

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <vector>

#include "geometry.h"

namespace mote::still_life {

inline constexpr int kShDegree = 3;
inline constexpr int kShCount = (kShDegree + 1) * (kShDegree + 1);

/// Direction-dependent colour of one splat, as in SplatCloud. The display-referred colour is 0.5 +
/// sum of coefficient * basis(direction from the camera to the splat, world axes).
using ShColor = std::array<vec3, kShCount>;

/// Lights the scene (soft boxes, a dim dome, three bounces) and fits each sample's colour: a
/// constant on diffuse surfaces, all bands on glossy ones. `rays` is per sample and bounce. The
/// result does not depend on the number of threads.
std::vector<ShColor> light(const StillLife& scene, const std::vector<Sample>& samples, int rays,
                           std::uint32_t seed);

}  // namespace mote::still_life
