// Harmonics in half precision, two coefficients to a thread.

#include "cuda/kernels/half_harmonics.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;

/// NaN stays NaN.
MOTE_DEVICE float clamped(float value) {
  constexpr float kMost = 65504;
  return value > kMost ? kMost : value < -kMost ? -kMost : value;
}

MOTE_KERNEL(kThreads) half_harmonics(HalfHarmonicsArgs args) {
  const std::size_t pair = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (2 * pair >= args.count) return;
  const float2 both = reinterpret_cast<const float2*>(args.from)[pair];
  reinterpret_cast<__half2*>(args.to)[pair] = __floats2half2_rn(clamped(both.x), clamped(both.y));
}

}  // namespace

void run_half_harmonics(const HalfHarmonicsArgs& args, cudaStream_t stream) {
  CHECK(args.count % 2 == 0);
  launch(half_harmonics,
         {.blocks = blocks_for(args.count / 2, kThreads),
          .threads = kThreads,
          .name = "rounding harmonics"},
         stream, args);
}

}  // namespace mote::cuda
