// Rays of the pixels of a picture, and pixels of rays: a thread for each ray.

#include "cuda/kernels/fields/ray_picture.h"

#include <limits>

#include "cuda/kernels/fields/ray_pixels.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 128;

MOTE_KERNEL(kThreads) first_parts(RayPartArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i < args.count) args.rays[i].sheets = first_part(args.picture, i);
}

MOTE_KERNEL(kThreads) last_parts(RayPartArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count) return;
  const RayState& ray = args.rays[i];
  store_last_parts({args.picture, args.light, args.stop}, i, ray.sheets, ray.drawn);
}

MOTE_KERNEL(kThreads) camera_rays(CameraRayArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count) return;
  const RayPixel pixel = pixel_of_ray(args.first + i, args.width);
  RayStart start{};
  start.jitter = 0.5f;
  start.t_end = std::numeric_limits<float>::max();
  start.is_ray =
      pixel.x < static_cast<unsigned>(args.width) && pixel.y < static_cast<unsigned>(args.height)
          ? 1
          : 0;
  const PlainRay<float> ray = plain_ray(args.camera, static_cast<float>(pixel.x) + 0.5f,
                                        static_cast<float>(pixel.y) + 0.5f);
  start.depth_per_length = args.world_per_field / ray.length;
  MOTE_UNROLL
  for (int axis = 0; axis < 3; ++axis) {
    start.origin[axis] = args.origin[axis];
    start.direction[axis] = ray.direction[axis];
  }
  args.starts[i] = start;
}

}  // namespace

void run_first_parts(const RayPartArgs& args, cudaStream_t stream) {
  launch(first_parts,
         {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "parts of rays"},
         stream, args);
}

void run_last_parts(const RayPartArgs& args, cudaStream_t stream) {
  launch(last_parts,
         {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "pixels"},
         stream, args);
}

void run_camera_rays(const CameraRayArgs& args, cudaStream_t stream) {
  launch(camera_rays,
         {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "camera rays"},
         stream, args);
}

}  // namespace mote::cuda
