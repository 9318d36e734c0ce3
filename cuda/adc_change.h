#pragma once

#include <cstdint>
#include <span>

#include "cuda/device_sort.h"
#include "cuda/kernels/adc.h"
#include "cuda/splat_marks.h"
#include "cuda/train_state.h"

namespace mote::cuda {

/// Adaptive density control on the device. It makes the same decisions as adc_edit() on the host
/// and returns only counts to the host.
class AdcChange {
 public:
  explicit AdcChange(cudaStream_t stream) : stream_(stream) {}

  /// Throws Error if memory is insufficient; the set is then unchanged.
  AdcOutcome apply(const AdcRules& rules, std::span<const std::uint32_t> broken, std::uint64_t seed,
                   DeviceTrainState& state);
  std::size_t memory_bytes() const;

 private:
  AdcArgs prepare(const AdcRules& rules, std::span<const std::uint32_t> broken,
                  DeviceTrainState& state);
  AdcCounts counts() const;
  void choose(std::uint64_t most, const AdcArgs& args);

  cudaStream_t stream_;
  SplatMarks broken_;
  DeviceBuffer<double> claims_{"claims of splats"};
  DeviceBuffer<Fate> fates_{"fates of splats"};
  DeviceBuffer<AdcCounts> counts_{"counts of splats"};
  DeviceSort ranks_;
  RunningSums places_;
};

}  // namespace mote::cuda
