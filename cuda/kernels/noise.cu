// The exploration noise of MCMC, one thread per splat. The random words equal those of the CPU:
// hashes of the splat's index and the step's seed.

#include "cuda/kernels/noise.h"

#include "cuda/kernels/integers.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "splats/density/exploration.h"
#include "splats/motions/motions.h"

namespace mote::cuda {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kBlock = kBlockSize;

template <class Kind, class Motion>
MOTE_KERNEL(kThreads)
add_noise(NoiseArgs args) {
  const unsigned splat = blockIdx.x * kThreads + threadIdx.x;
  if (splat >= args.count) return;
  using Whole = MovingKind<Kind, Motion>;
  float* geometry =
      args.geometry + std::size_t{splat / kBlock} * Whole::kFieldCount * kBlock + splat % kBlock;
  const auto plane = [&](int p) -> float& { return geometry[static_cast<unsigned>(p) * kBlock]; };
  float gate = Kind::exploration_gate(sigmoid(plane(kPlane<Kind, Field::logit_opacity>)));
  if constexpr (Motion::kHasLife) {
    gate *= Motion::weight(load_stored<Whole, float>(plane), at_time(args.time_s));
  }
  if (!(gate > kLeastGate)) return;
  const Vec3<float> normal =
      exploration_normal<float>(exploration_counter(std::uint32_t{splat}, args.seed));
  const Vec3<float> mean = explored_mean(load_stored<Kind, float>(plane), normal, gate, args.scale);
  plane(kPlane<Kind, Field::mean_x>) = mean.x;
  plane(kPlane<Kind, Field::mean_y>) = mean.y;
  plane(kPlane<Kind, Field::mean_z>) = mean.z;
}

}  // namespace

void run_noise(const NoiseArgs& args, cudaStream_t stream) {
  using Kernel = void (*)(NoiseArgs);
  launch(
      visit_moving(args.kind, args.motion,
                   [&]<class Kind, class Motion>() -> Kernel { return add_noise<Kind, Motion>; }),
      {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "noise"}, stream,
      args);
}

}  // namespace mote::cuda
