// Rays of the pixels of a picture, and pixels of rays: a thread for each ray.

#include "cuda/kernels/fields/ray_picture.h"

#include <limits>

#include "cuda/kernels/fields/ray_pixels.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 128;

MOTE_KERNEL(kThreads) ray_picture(RayPictureArgs args) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= args.count) return;
  const PicturePixel pixel = pixel_in(args.picture, i);
  const DrawnColor drawn = args.drawn[i];
  if (!pixel.is_inside) return;
  store_pixel(args.picture.images, args.picture.background, args.light, pixel.at,
              drawn.color.transmittance < args.stop, drawn);
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
  const float x = (static_cast<float>(pixel.x) + 0.5f - args.center_px[0]) / args.focal_px[0];
  const float y = (static_cast<float>(pixel.y) + 0.5f - args.center_px[1]) / args.focal_px[1];
  const float length = sqrt(fma(x, x, fma(y, y, 1.0f)));
  const Vec3<float> in_camera{x / length, y / length, 1 / length};
  start.depth_per_length = args.world_per_field / length;
  start.origin[0] = args.origin.x;
  start.origin[1] = args.origin.y;
  start.origin[2] = args.origin.z;
  MOTE_UNROLL
  for (int axis = 0; axis < 3; ++axis) {
    start.direction[axis] = dot(args.field_from_cam[axis], in_camera);
  }
  args.starts[i] = start;
}

}  // namespace

void run_ray_picture(const RayPictureArgs& args, cudaStream_t stream) {
  launch(ray_picture,
         {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "pixels"},
         stream, args);
}

void run_camera_rays(const CameraRayArgs& args, cudaStream_t stream) {
  launch(camera_rays,
         {.blocks = blocks_for(args.count, kThreads), .threads = kThreads, .name = "camera rays"},
         stream, args);
}

}  // namespace mote::cuda
