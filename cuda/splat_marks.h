#pragma once

#include <cstdint>
#include <span>

#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// Marks a subset of the splats for kernels.
class SplatMarks {
 public:
  /// One byte per splat: 1 for the listed ones, otherwise 0. Null if none is listed. Valid in
  /// stream order until the next call. Throws Error if memory is insufficient.
  const std::uint8_t* of(std::size_t count, std::span<const std::uint32_t> numbers,
                         cudaStream_t stream);
  std::size_t memory_bytes() const { return marks_.bytes() + numbers_.bytes(); }

 private:
  DeviceBuffer<std::uint8_t> marks_{"marks on splats"};
  DeviceBuffer<std::uint32_t> numbers_{"marks on splats"};
};

}  // namespace mote::cuda
