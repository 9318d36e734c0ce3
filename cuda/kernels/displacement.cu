// The way of splats into a deformation field and out of it: a thread for each splat.

#include "cuda/kernels/displacement.h"

#include "cuda/runtime/dialect.h"
#include "cuda/runtime/gradient_scale.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::size_t kLanes = kBlockSize;

MOTE_DEVICE unsigned own_splat() {
  return blockIdx.x * kThreads + threadIdx.x;
}

/// The place of a splat's first value in blocks of `planes`.
MOTE_DEVICE std::size_t first_value(unsigned splat, std::size_t planes) {
  return std::size_t{splat} / kLanes * planes * kLanes + splat % kLanes;
}

MOTE_KERNEL(kThreads) place_splats(DisplaceArgs args) {
  const unsigned splat = own_splat();
  if (splat >= args.count) return;
  const float* from = args.geometry + first_value(splat, kGaussianFields);
  const Vec3<float> place =
      place_in(args.box, Vec3<float>{from[0], from[kLanes], from[2 * kLanes]});
  float* const to = args.places + splat;
  to[0] = place.x;
  to[args.stride] = place.y;
  to[2 * args.stride] = place.z;
  to[3 * args.stride] = args.share;
}

MOTE_KERNEL(kThreads) displace_splats(DisplaceArgs args) {
  const unsigned splat = own_splat();
  if (splat >= args.count) return;
  const std::size_t first = first_value(splat, kGaussianFields);
  MOTE_UNROLL
  for (int k = 0; k < kGaussianFields; ++k) {
    const auto plane = static_cast<std::size_t>(k);
    const std::size_t place = first + plane * kLanes;
    const float stored = args.geometry[place];
    args.moved[place] =
        k < kOffsets ? displaced(k, args.box, stored, args.outputs[plane * args.stride + splat])
                     : stored;
  }
}

/// The gradient by an output.
MOTE_DEVICE float output_gradient(const DisplaceGradientArgs& args, unsigned splat, int k) {
  const std::size_t first = first_value(splat, kGaussianFields);
  return displaced_vjp(k, args.box, args.d_moved[first + static_cast<std::size_t>(k) * kLanes]);
}

MOTE_KERNEL(kThreads) largest_gradient(DisplaceGradientArgs args) {
  const unsigned splat = own_splat();
  constexpr float kLargest = 3.402823466e38f;
  unsigned largest = 0;
  if (splat < args.count) {
    MOTE_UNROLL
    for (int k = 0; k < kOffsets; ++k) {
      const float own = abs(output_gradient(args, splat, k));
      if (own <= kLargest && bits_of(own) > largest) largest = bits_of(own);
    }
  }
  largest = __reduce_max_sync(kWholeWarp, largest);
  if (threadIdx.x % kWarp == 0 && largest > 0) atomicMax(args.largest, largest);
}

MOTE_KERNEL(kThreads) scale_gradients(DisplaceGradientArgs args) {
  const unsigned splat = own_splat();
  if (splat >= args.count) return;
  const float scale = gradient_scale(*args.largest);
  MOTE_UNROLL
  for (int k = 0; k < kOffsets; ++k) {
    args.d_outputs[static_cast<std::size_t>(k) * args.stride + splat] =
        output_gradient(args, splat, k) * scale;
  }
}

MOTE_KERNEL(kThreads) place_gradients(DisplaceGradientArgs args) {
  const unsigned splat = own_splat();
  if (splat >= args.count) return;
  const float inverse = 1 / gradient_scale(*args.largest);
  float d[kHexAxes] = {};
  const float* from = args.d_places + splat;
  for (int part = 0; part < args.parts; ++part) {
    MOTE_UNROLL
    for (int axis = 0; axis < kHexAxes; ++axis, from += args.stride) d[axis] += *from;
  }
  const Vec3<float> d_mean =
      place_in_vjp(args.box, Vec3<float>{d[0] * inverse, d[1] * inverse, d[2] * inverse});
  float* const to = args.d_means + first_value(splat, 3);
  to[0] = d_mean.x;
  to[kLanes] = d_mean.y;
  to[2 * kLanes] = d_mean.z;
  args.d_share[splat] = d[3] * inverse;
}

LaunchShape shape_for_splats(unsigned count, const char* name) {
  return {.blocks = blocks_for(count, kThreads), .threads = kThreads, .name = name};
}

}  // namespace

void run_place_splats(const DisplaceArgs& args, cudaStream_t stream) {
  launch(place_splats, shape_for_splats(args.count, "placing splats"), stream, args);
}

void run_displace_splats(const DisplaceArgs& args, cudaStream_t stream) {
  launch(displace_splats, shape_for_splats(args.count, "moving splats"), stream, args);
}

void run_displace_gradients(const DisplaceGradientArgs& args, cudaStream_t stream) {
  const LaunchShape shape = shape_for_splats(args.count, "gradients of moved splats");
  launch(largest_gradient, shape, stream, args);
  launch(scale_gradients, shape, stream, args);
}

void run_place_gradients(const DisplaceGradientArgs& args, cudaStream_t stream) {
  launch(place_gradients, shape_for_splats(args.count, "gradients of places"), stream, args);
}

}  // namespace mote::cuda
