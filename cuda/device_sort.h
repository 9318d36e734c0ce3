#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// Sorts numbers by keys on the device.
class DeviceSort {
 public:
  /// Allocates `count` keys with a number each, for a kernel to write. Throws Error if memory is
  /// insufficient.
  void prepare(std::size_t count);
  std::uint64_t* keys() { return keys_[0].data(); }
  std::uint32_t* numbers() { return numbers_[0].data(); }
  /// The numbers, stably sorted by the low `bits` bits of their keys. They are valid in stream
  /// order until the next prepare(). Throws Error likewise.
  const std::uint32_t* sort(int bits, cudaStream_t stream);
  std::size_t memory_bytes() const;

 private:
  DeviceBuffer<std::uint64_t> keys_[2] = {DeviceBuffer<std::uint64_t>("the order of splats"),
                                          DeviceBuffer<std::uint64_t>("the order of splats")};
  DeviceBuffer<std::uint32_t> numbers_[2] = {DeviceBuffer<std::uint32_t>("the order of splats"),
                                             DeviceBuffer<std::uint32_t>("the order of splats")};
  DeviceBuffer<unsigned char> scratch_{"sorting"};
};

/// Prefix sums on the device.
class RunningSums {
 public:
  /// Allocates `count` values, for a kernel to write. Throws Error if memory is insufficient.
  void prepare(std::size_t count);
  std::uint64_t* values() { return values_.data(); }
  /// Replaces the values by their inclusive prefix sums, in stream order. Throws Error likewise.
  void sum(cudaStream_t stream);
  /// The sum of all values, after sum(); waits for it.
  std::uint64_t total(cudaStream_t stream) const;
  std::size_t memory_bytes() const { return values_.bytes() + scratch_.bytes(); }

 private:
  DeviceBuffer<std::uint64_t> values_{"sums over splats"};
  DeviceBuffer<unsigned char> scratch_{"sums over splats"};
};

}  // namespace mote::cuda
