// The exploration noise of MCMC, one thread per splat. The random words equal those of the CPU:
// hashes of the splat's index and the step's seed.

#include "cuda/kernels/noise.h"

#include "cuda/dialect.h"
#include "cuda/kernels/integers.h"
#include "cuda/runtime.h"
#include "splats/density/exploration.h"
#include "splats/kinds/kinds.h"

namespace mote::cuda {
namespace {

constexpr int kThreads = 256;
constexpr unsigned kBlock = kBlockSize;

/// A hash of 32 bits in which each bit of the input flips half of the output bits on average (the
/// finaliser of MurmurHash3, A. Appleby, public domain).
MOTE_DEVICE std::uint32_t mixed(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ x >> 16;
}

MOTE_DEVICE float normal_of(std::uint32_t counter, std::uint32_t salt) {
  const std::uint32_t random = mixed(mixed(counter ^ salt) + 0x9e3779b9u);
  const std::uint32_t sum =
      (random & 0xff) + (random >> 8 & 0xff) + (random >> 16 & 0xff) + (random >> 24);
  return (static_cast<float>(sum) - kByteSumMean) * kByteSumScale;
}

template <class Kind>
MOTE_KERNEL(kThreads)
add_noise(NoiseArgs args) {
  const unsigned splat = blockIdx.x * kThreads + threadIdx.x;
  if (splat >= args.count) return;
  float* geometry =
      args.geometry + std::size_t{splat / kBlock} * Kind::kFieldCount * kBlock + splat % kBlock;
  const auto plane = [&](int p) -> float& { return geometry[static_cast<unsigned>(p) * kBlock]; };
  const float gate = Kind::exploration_gate(sigmoid(plane(kPlane<Kind, Field::logit_opacity>)));
  if (!(gate > kLeastGate)) return;
  const std::uint32_t counter =
      splat + mixed(static_cast<std::uint32_t>(args.seed ^ args.seed >> 32));
  const Vec3<float> normal{normal_of(counter, 0x68bc21ebu), normal_of(counter, 0x02e5be93u),
                           normal_of(counter, 0x967a889bu)};
  const Vec3<float> mean = explored_mean(load_stored<Kind, float>(plane), normal, gate, args.scale);
  plane(kPlane<Kind, Field::mean_x>) = mean.x;
  plane(kPlane<Kind, Field::mean_y>) = mean.y;
  plane(kPlane<Kind, Field::mean_z>) = mean.z;
}

}  // namespace

void run_noise(const NoiseArgs& args, cudaStream_t stream) {
  launch(visit_kind(args.kind, [&]<class Kind>() { return add_noise<Kind>; }),
         {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "noise"}, stream,
         args);
}

}  // namespace mote::cuda
