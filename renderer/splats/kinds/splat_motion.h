#pragma once

#include <cstdint>

namespace mote {

/// The motions of splats. splats/motions/motions.h has the list of their classes, in the same
/// order.
enum class SplatMotion : std::uint8_t { still, life, poly };
inline constexpr int kSplatMotions = 3;

}  // namespace mote
