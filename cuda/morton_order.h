#pragma once

#include "cuda/device_sort.h"

namespace mote::cuda {

/// Puts splats in order along a Morton curve, as morton_order() does on the host.
class MortonOrder {
 public:
  /// The numbers of `count` splats of raw geometry, [blocks][kFieldCount][16], in their order; in
  /// the stream's order, and until the next call. Throws Error where memory does not suffice.
  const std::uint32_t* of(const float* geometry, std::size_t count, cudaStream_t stream);
  std::size_t memory_bytes() const { return sort_.memory_bytes() + bounds_.bytes(); }

 private:
  DeviceSort sort_;
  DeviceBuffer<unsigned> bounds_{"the bounds of splats"};
};

}  // namespace mote::cuda
