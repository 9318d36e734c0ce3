// The exploration noise of MCMC, one thread per splat. The random words equal those of the CPU:
// hashes of the splat's index and the step's seed.

#include "cuda/kernels/noise.h"

#include "cuda/dialect.h"
#include "cuda/kernels/integers.h"
#include "cuda/runtime.h"
#include "splats/density/exploration.h"
#include "splats/splat_fields.h"

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

MOTE_KERNEL(kThreads) add_noise(NoiseArgs args) {
  const unsigned splat = blockIdx.x * kThreads + threadIdx.x;
  if (splat >= args.count) return;
  float* geometry =
      args.geometry + std::size_t{splat / kBlock} * kFieldCount * kBlock + splat % kBlock;
  const auto field = [&](Field f) -> float& { return geometry[static_cast<unsigned>(f) * kBlock]; };
  const float gate = exploration_gate(sigmoid(field(Field::logit_opacity)));
  if (!(gate > kLeastGate)) return;
  const std::uint32_t counter =
      splat + mixed(static_cast<std::uint32_t>(args.seed ^ args.seed >> 32));
  const Vec3<float> normal{normal_of(counter, 0x68bc21ebu), normal_of(counter, 0x02e5be93u),
                           normal_of(counter, 0x967a889bu)};
  const Mat3<float> rotation =
      rotation_from(Quaternion<float>{field(Field::rotation_w), field(Field::rotation_x),
                                      field(Field::rotation_y), field(Field::rotation_z)});
  const Mat3<float> axes =
      splat_axes(rotation, {exp(field(Field::log_scale_x)), exp(field(Field::log_scale_y)),
                            exp(field(Field::log_scale_z))});
  const Vec3<float> step = exploration_step(axes, normal, gate * args.scale);
  const Field fields[3] = {Field::mean_x, Field::mean_y, Field::mean_z};
  const float steps[3] = {step.x, step.y, step.z};
  for (int axis = 0; axis < 3; ++axis) {
    float& mean = field(fields[axis]);
    const float moved = mean + steps[axis];
    // The mean stays unchanged where the result is not finite or too large.
    if (abs(moved) < 1e30f) mean = moved;
  }
}

}  // namespace

void run_noise(const NoiseArgs& args, cudaStream_t stream) {
  launch(add_noise,
         {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "noise"}, stream,
         args);
}

}  // namespace mote::cuda
