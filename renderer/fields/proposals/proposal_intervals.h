#pragma once

// The parts of rays in which proposals choose samples, and the intervals between edges. The same
// for every device.

#include <cstdint>

#include "fields/marching.h"
#include "fields/proposals/contraction.h"
#include "math/counter_random.h"

namespace mote {

/// Distances between which samples are chosen, in reaches of the inner cube (as of nerfacto).
inline constexpr float kNearestProposal = 0.05f, kFarthestProposal = 1000;

/// The part of a ray in spaced distances; no part if the second is not larger.
struct ProposalRange {
  float edges[2];

  MOTE_LANE bool is_empty() const { return !(edges[1] > edges[0]); }
};

/// The part between the distances `t` and `t_end`; empty for a ray that is not finite.
MOTE_LANE ProposalRange proposal_range(Vec3<float> origin, Vec3<float> direction, float t,
                                       float t_end, float reach) {
  const float first = max(t / reach, kNearestProposal),
              last = min(t_end / reach, kFarthestProposal);
  const Vec3<float> numbers = (origin + direction) * 0.0f;  // NaN if one is not finite
  const bool has_part = t < t_end && first < last;          // neither with NaN
  if (!has_part || numbers.x + numbers.y + numbers.z != 0) return {{0, 0}};
  return {{spaced(first), spaced(last)}};
}

/// The sample in the middle of an interval.
MOTE_LANE RaySample interval_sample(float edge, float next_edge, float reach) {
  const float from = reach * distance_of_spaced(edge), to = reach * distance_of_spaced(next_edge);
  return {0.5f * (from + to), to - from};
}

/// The place of the edges of a ray's round in their shares, from 0 to 1, in training. `rounds`: of
/// proposals; the round behind the last one is that of the samples.
MOTE_LANE float random_edge_place(std::uint64_t seed, std::uint64_t ray, std::uint64_t rounds,
                                  std::uint64_t round) {
  constexpr std::uint64_t kEdgeStream = 0x65646765;
  const std::uint64_t bits = random_bits(seed ^ kEdgeStream, ray * (rounds + 1) + round);
  return static_cast<float>(bits >> 40) * 0x1p-24f;
}

/// The power of the weights grows in the first steps, so that rounds which know nothing yet leave
/// no part of a ray without samples (mip-NeRF 360, section 3; as nerfacto does).
inline float anneal_at(std::uint64_t steps_done) {
  constexpr double kSteps = 1000, kSlope = 10;
  const double done = static_cast<double>(steps_done) / kSteps, share = done < 1 ? done : 1;
  return static_cast<float>(kSlope * share / ((kSlope - 1) * share + 1));
}

}  // namespace mote
