#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/runtime.h"

namespace mote::cuda {

/// Sorts numbers by keys on the device.
class DeviceSort {
 public:
  /// Makes room for `count` keys with a number each, for a kernel to write. Throws Error where
  /// memory does not suffice.
  void prepare(std::size_t count);
  std::uint64_t* keys() { return keys_[0].data(); }
  std::uint32_t* numbers() { return numbers_[0].data(); }
  /// The numbers, in the order of the low `bits` bits of their keys, equal ones as they stood; in
  /// the stream's order, and until the next prepare(). Throws Error likewise.
  const std::uint32_t* sort(int bits, cudaStream_t stream);
  std::size_t memory_bytes() const;

 private:
  DeviceBuffer<std::uint64_t> keys_[2] = {DeviceBuffer<std::uint64_t>("the order of splats"),
                                          DeviceBuffer<std::uint64_t>("the order of splats")};
  DeviceBuffer<std::uint32_t> numbers_[2] = {DeviceBuffer<std::uint32_t>("the order of splats"),
                                             DeviceBuffer<std::uint32_t>("the order of splats")};
  DeviceBuffer<unsigned char> scratch_{"sorting"};
};

/// Running sums on the device.
class RunningSums {
 public:
  /// Makes room for `count` values, for a kernel to write. Throws Error where memory does not
  /// suffice.
  void prepare(std::size_t count);
  std::uint64_t* values() { return values_.data(); }
  /// Each value becomes the sum up to and with it, in the stream's order. Throws Error likewise.
  void sum(cudaStream_t stream);
  /// The sum of all, after sum(); waits for it.
  std::uint64_t total(cudaStream_t stream) const;
  std::size_t memory_bytes() const { return values_.bytes() + scratch_.bytes(); }

 private:
  DeviceBuffer<std::uint64_t> values_{"sums over splats"};
  DeviceBuffer<unsigned char> scratch_{"sums over splats"};
};

}  // namespace mote::cuda
