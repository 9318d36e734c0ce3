#pragma once

#include <optional>

#include "cuda/device_sort.h"
#include "cuda/kernels/morton.h"
#include "splats/morton_key.h"

namespace mote::cuda {

/// Sorts splats along a Morton curve, like morton_order() on the host.
class MortonOrder {
 public:
  /// The indices of the splats in Morton order; those of splats with lives by time first, in a
  /// scene of `duration_s`. They are valid in stream order until the next call. Throws Error if
  /// memory is insufficient.
  const std::uint32_t* of(const GeometrySource& splats, std::optional<double> duration_s,
                          cudaStream_t stream) {
    sort_.prepare(splats.count);
    bounds_.resize_discard(kMeanBounds);
    bounds_.fill_bytes(0xff, stream);
    run_mean_bounds(splats, bounds_.data(), stream);
    const MortonArgs args{.splats = splats,
                          .bounds = bounds_.data(),
                          .keys = sort_.keys(),
                          .numbers = sort_.numbers()};
    run_morton_keys(args, stream);
    if (duration_s) run_segment_keys(args, *duration_s, stream);
    return sort_.sort(kMortonBits, stream);
  }
  std::size_t memory_bytes() const { return sort_.memory_bytes() + bounds_.bytes(); }

 private:
  DeviceSort sort_;
  DeviceBuffer<unsigned> bounds_{"the bounds of splats"};
};

}  // namespace mote::cuda
