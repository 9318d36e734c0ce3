#pragma once

#include <cstdint>
#include <span>

#include "cuda/device_sort.h"
#include "cuda/kernels/mcmc.h"
#include "cuda/splat_marks.h"
#include "cuda/train_state.h"

namespace mote::cuda {

/// 3DGS-MCMC's change of the set on the device: decides as mcmc_edit() does on the host, and tells
/// the host only how many.
class McmcChange {
 public:
  explicit McmcChange(cudaStream_t stream) : stream_(stream) {}

  /// Throws Error where memory does not suffice; then the set is as it was.
  McmcOutcome apply(const McmcRules& rules, std::span<const std::uint32_t> broken,
                    std::uint64_t seed, DeviceTrainState& state);
  std::size_t memory_bytes() const;

 private:
  /// Everybody is a member; those who live have weights, of which the sum comes back.
  std::uint64_t enlist(const McmcRules& rules, std::span<const std::uint32_t> broken,
                       DeviceTrainState& state);
  /// Draws winners, who share their look with as many others.
  void draw(unsigned count, std::uint64_t seed, std::uint64_t first_number, unsigned draws);

  cudaStream_t stream_;
  SplatMarks broken_;
  DeviceBuffer<McmcMember> members_{"splats that change"};
  RunningSums weights_, dead_;
  DeviceBuffer<std::uint32_t> dead_numbers_{"dead splats"}, winners_{"drawn splats"};
  DeviceBuffer<unsigned> wins_{"drawn splats"};
};

}  // namespace mote::cuda
