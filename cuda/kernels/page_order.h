#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace mote::cuda {

/// The order of splats in pages of kProjectThreads splats each, by which equal depths are sorted.
struct PageOrderArgs {
  const std::uint32_t* page_base;  // [pages] number of the first splat of the part that is there
  const std::uint32_t* in_part;    // [slots] number of the splat in its part
  unsigned slots;
  std::uint32_t *index, *slot_of;  // [slots] written: the slot's number, and its inverse
};

void run_page_order(const PageOrderArgs& args, cudaStream_t stream);

/// in_part[slots[i]] = numbers[i]
struct PageNumberArgs {
  const std::uint32_t *slots, *numbers;  // [count]
  unsigned count;
  std::uint32_t* in_part;
};

void run_page_numbers(const PageNumberArgs& args, cudaStream_t stream);

}  // namespace mote::cuda
