#pragma once

#include <cstdint>

namespace mote {

/// The motions of splats. splats/motions/motions.h has the list of their classes, in the same
/// order. Each of the motions in time has all fields of those before it.
enum class SplatMotion : std::uint8_t { still, life, poly, conditional };
inline constexpr int kSplatMotions = 4;

constexpr bool depends_on_time(SplatMotion motion) {
  return motion == SplatMotion::life || motion == SplatMotion::poly;
}

/// Whether splats depend on the direction in which the camera sees them.
constexpr bool depends_on_direction(SplatMotion motion) {
  return motion == SplatMotion::conditional;
}

}  // namespace mote
