// The gradients by latents: a thread for each ray adds up its samples, then a block for each latent
// of a photograph adds up the rays.

#include "cuda/kernels/fields/latent_gradients.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 128;

MOTE_DEVICE float gradient_of_sample(const LatentGradientArgs& args, unsigned input,
                                     std::size_t sample) {
  const __half2 pair = halves_of(args.d_features[input / 2 * args.stride + sample]);
  return input % 2 == 0 ? __low2float(pair) : __high2float(pair);
}

MOTE_KERNEL(kThreads) sum_samples(LatentGradientArgs args) {
  const unsigned ray = blockIdx.x * kThreads + threadIdx.x;
  if (ray >= args.count) return;
  const auto latents = static_cast<unsigned>(args.latents);
  const bool is_trained = args.weights[ray] > 0;
  const WaveSegment segment = args.segments[ray];
  for (unsigned latent = 0; latent < latents; ++latent) {
    const unsigned input = static_cast<unsigned>(args.first_latent) + latent;
    float sum = 0;
    for (std::uint32_t k = 0; is_trained && k < segment.count; ++k) {
      sum += gradient_of_sample(args, input, std::size_t{segment.first} + k);
    }
    args.of_rays[std::size_t{ray} * latents + latent] = sum * args.unscaled;
  }
}

struct LatentSums {
  double of_thread[kThreads];
};

MOTE_KERNEL(kThreads) sum_latents(LatentGradientArgs args) {
  LatentSums& sums = block_shared<LatentSums>();
  const auto latents = static_cast<unsigned>(args.latents);
  const unsigned photograph = blockIdx.x / latents, latent = blockIdx.x % latents;
  double own = 0;
  for (unsigned ray = threadIdx.x; ray < args.count; ray += kThreads) {
    if (args.photographs[ray] != photograph) continue;
    own += static_cast<double>(args.of_rays[std::size_t{ray} * latents + latent]);
  }
  sums.of_thread[threadIdx.x] = own;
  for (unsigned half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums.of_thread[threadIdx.x] += sums.of_thread[threadIdx.x + half];
  }
  if (threadIdx.x == 0) args.sums[blockIdx.x] = sums.of_thread[0];
}

}  // namespace

void run_latent_gradients(const LatentGradientArgs& args, cudaStream_t stream) {
  launch(sum_samples,
         {.blocks = blocks_for(args.count, kThreads),
          .threads = kThreads,
          .name = "gradients of latents"},
         stream, args);
  launch(sum_latents,
         {.blocks = args.photograph_count * static_cast<unsigned>(args.latents),
          .threads = kThreads,
          .name = "gradients of latents"},
         stream, args);
}

}  // namespace mote::cuda
