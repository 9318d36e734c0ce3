#pragma once

#include <cstdint>
#include <span>

#include "cuda/runtime.h"

namespace mote::cuda {

/// Marks some of the splats for kernels.
class SplatMarks {
 public:
  /// One byte a splat, 1 for those listed, else 0; null where none is. In the stream's order, until
  /// the next call. Throws Error where memory does not suffice.
  const std::uint8_t* of(std::size_t count, std::span<const std::uint32_t> numbers,
                         cudaStream_t stream);
  std::size_t memory_bytes() const { return marks_.bytes() + numbers_.bytes(); }

 private:
  DeviceBuffer<std::uint8_t> marks_{"marks on splats"};
  DeviceBuffer<std::uint32_t> numbers_{"marks on splats"};
};

}  // namespace mote::cuda
