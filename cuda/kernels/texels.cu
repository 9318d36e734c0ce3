// Conversion of pictures for the screen, one thread per pixel: 12 bytes read, 4 written.

#include "cuda/kernels/texels.h"

#include "cuda/kernels/integers.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr int kThreads = 256;

/// NaN becomes 0. Not fused, as on the CPU, so that ties round alike.
MOTE_DEVICE std::uint32_t level_of(float value) {
  const float positive = value > 0.0f ? value : 0.0f;
  const float scaled = __fmul_rn(positive < 1.0f ? positive : 1.0f, 255.0f);
  return static_cast<std::uint32_t>(__fadd_rn(scaled, 0.5f));
}

MOTE_KERNEL(kThreads) write_texels(TexelArgs args) {
  const unsigned pixel = blockIdx.x * kThreads + threadIdx.x;
  if (pixel >= args.count) return;
  const float* rgb = args.rgb + std::size_t{3} * pixel;
  const std::uint32_t red = level_of(rgb[0]), green = level_of(rgb[1]), blue = level_of(rgb[2]);
  const std::uint32_t first = args.blue_first ? blue : red, third = args.blue_first ? red : blue;
  args.texels[pixel] = first | green << 8 | third << 16 | 0xff000000u;
}

}  // namespace

void run_texels(const TexelArgs& args, cudaStream_t stream) {
  launch(write_texels,
         {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "texels"},
         stream, args);
}

}  // namespace mote::cuda
