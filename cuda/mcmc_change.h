#pragma once

#include <cstdint>
#include <span>

#include "cuda/device_sort.h"
#include "cuda/kernels/mcmc.h"
#include "cuda/splat_marks.h"
#include "cuda/train_state.h"

namespace mote::cuda {

/// The change of the set by 3DGS-MCMC on the device. It makes the same decisions as mcmc_edit() on
/// the host and returns only counts to the host.
class McmcChange {
 public:
  explicit McmcChange(cudaStream_t stream) : stream_(stream) {}

  /// Throws Error if memory is insufficient; the set is then unchanged.
  McmcOutcome apply(const McmcRules& rules, std::span<const std::uint32_t> broken,
                    std::uint64_t seed, DeviceTrainState& state);
  std::size_t memory_bytes() const;

 private:
  /// Makes every splat a member with a weight, zero unless it lives. Returns the sum of weights.
  std::uint64_t enlist(const McmcRules& rules, std::span<const std::uint32_t> broken,
                       DeviceTrainState& state);
  /// Draws splats, which share their appearance with their copies; `scaling` as in share().
  void draw(unsigned count, std::uint64_t seed, std::uint64_t first_number, unsigned draws,
            bool scaling);

  cudaStream_t stream_;
  SplatMarks broken_;
  DeviceBuffer<McmcMember> members_{"splats that change"};
  RunningSums weights_, dead_;
  DeviceBuffer<std::uint32_t> dead_numbers_{"dead splats"}, winners_{"drawn splats"};
  DeviceBuffer<unsigned> wins_{"drawn splats"};
};

}  // namespace mote::cuda
