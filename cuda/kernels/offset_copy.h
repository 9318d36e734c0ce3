#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace mote::cuda {

/// Copies indices and adds an offset.
struct OffsetCopyArgs {
  const std::uint32_t* from;  // [count]
  std::uint32_t* to;          // [count]
  unsigned count;
  std::uint32_t offset;

  bool operator==(const OffsetCopyArgs&) const = default;
};

void run_offset_copy(const OffsetCopyArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
