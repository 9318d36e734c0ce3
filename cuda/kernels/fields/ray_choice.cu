// The rays of a training step: a thread for each ray.

#include "cuda/kernels/fields/ray_choice.h"

#include <limits>

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"
#include "math/display_curve.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 128;

MOTE_DEVICE float half_as_float(std::uint16_t half) {
  return __low2float(halves_of(half));
}

/// Sets coverage and colour of a target that has its background.
MOTE_DEVICE void set_target(const RayPhoto& photo, std::size_t pixel, RayTarget& target) {
  const std::size_t at = pixel * static_cast<std::size_t>(photo.channels);
  const bool has_coverage = photo.channels == 4, is_linear = photo.color == nullptr;
  target.coverage = 1;
  if (has_coverage) {
    target.coverage =
        is_linear ? half_as_float(photo.light[at + 3]) : unit_byte(photo.color[at + 3]);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    float color = 0;
    if (!is_linear) {
      color = unit_byte(photo.color[at + c]);
    } else if (target.coverage > 0) {
      color = unbounded_display_from_linear(half_as_float(photo.light[at + c]) / target.coverage);
    }
    target.color[c] = over_background(target.coverage, color, target.background[c]);
  }
}

MOTE_KERNEL(kThreads) choose_rays(RayChoiceArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.space) return;
  const RayChoiceStep step = *args.step;
  RayStart start{};
  start.t_end = std::numeric_limits<float>::max();
  start.direction[2] = 1;
  RayTarget target{};
  unsigned photograph = 0;
  if (i < step.count) {
    const auto below = [&](unsigned count, RayUse use) {
      return static_cast<unsigned>(random_below(count, ray_bits(step.seed, i, use)));
    };
    photograph = below(args.photograph_count, RayUse::photograph);
    const RayPhoto& photo = args.photographs[photograph];
    const unsigned x = below(static_cast<unsigned>(photo.width), RayUse::column);
    const unsigned y = below(static_cast<unsigned>(photo.height), RayUse::row);
    const std::size_t pixel = std::size_t{y} * static_cast<std::size_t>(photo.width) + x;
    for (unsigned c = 0; c < 3; ++c) {
      target.background[c] = step.random_background != 0
                                 ? unit_float(ray_bits(step.seed, i, RayUse::background, c))
                                 : step.background[c];
    }
    target.weight = photo.mask == nullptr ? 1.0f : unit_byte(photo.mask[pixel]);
    set_target(photo, pixel, target);
    if (target.weight > 0) {
      const PlainRay<double> through = plain_ray(photo.camera, x + 0.5, y + 0.5);
      start.is_ray = 1;
      start.jitter = unit_float(ray_bits(step.seed, i, RayUse::jitter));
      for (int axis = 0; axis < 3; ++axis) {
        start.origin[axis] = photo.origin[axis];
        start.direction[axis] = static_cast<float>(through.direction[axis]);
      }
    }
  }
  args.starts[i] = start;
  args.rays.targets[i] = target;
  args.rays.weights[i] = target.weight;
  args.rays.photographs[i] = photograph;
}

}  // namespace

void run_ray_choice(const RayChoiceArgs& args, cudaStream_t stream) {
  launch(choose_rays,
         {.blocks = blocks_for(args.space, kThreads), .threads = kThreads, .name = "choosing rays"},
         stream, args);
}

}  // namespace mote::cuda
