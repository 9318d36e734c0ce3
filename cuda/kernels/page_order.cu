// The order of splats in pages, one thread per splat.

#include "cuda/kernels/page_order.h"

#include "cuda/kernels/projection.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = kProjectThreads;  // a block processes a page

MOTE_KERNEL(kThreads) page_order(PageOrderArgs args) {
  const unsigned slot = blockIdx.x * kThreads + threadIdx.x;
  if (slot >= args.slots) return;
  const std::uint32_t number = args.page_base[blockIdx.x] + args.in_part[slot];
  args.index[slot] = number;
  args.slot_of[number] = slot;
}

MOTE_KERNEL(kThreads) page_numbers(PageNumberArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < args.count) args.in_part[args.slots[i]] = args.numbers[i];
}

}  // namespace

void run_page_order(const PageOrderArgs& args, cudaStream_t stream) {
  launch(page_order,
         {.blocks = blocks_for(args.slots, kThreads),
          .threads = kThreads,
          .name = "ordering the pages"},
         stream, args);
}

void run_page_numbers(const PageNumberArgs& args, cudaStream_t stream) {
  launch(page_numbers,
         {.blocks = blocks_for(args.count, kThreads),
          .threads = kThreads,
          .name = "numbering the splats of pages"},
         stream, args);
}

}  // namespace mote::cuda
