// The gradient of the surface losses, one thread a pixel, in two passes: first the gradient with
// respect to the slopes of the surface of expected depths, then each pixel gathers those of its
// four neighbours.

#include "cuda/kernels/surface_loss.h"

#include "cuda/kernels/integers.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "pipeline/surface_loss.h"

namespace mote::cuda {
namespace {

constexpr int kThreads = 256;

struct SurfacePixel {
  int x, y;
  std::size_t at;      // index in a plane
  std::size_t plane;   // length of a plane
  bool inside, inner;  // inner: has four neighbours
  float center_x, center_y;
};

MOTE_DEVICE SurfacePixel surface_pixel(const SurfaceLossArgs& args) {
  SurfacePixel p{};
  const unsigned number = blockIdx.x * kThreads + threadIdx.x;
  const auto width = static_cast<unsigned>(args.width);
  p.x = static_cast<int>(number % width);
  p.y = static_cast<int>(number / width);
  p.at = number;
  p.plane = static_cast<std::size_t>(args.width) * static_cast<std::size_t>(args.height);
  p.inside = p.at < p.plane;
  p.inner = p.inside && p.x > 0 && p.y > 0 && p.x < args.width - 1 && p.y < args.height - 1;
  p.center_x = static_cast<float>(p.x) + 0.5f;
  p.center_y = static_cast<float>(p.y) + 0.5f;
  return p;
}

MOTE_DEVICE Pinhole<float> pinhole_of(const SurfaceLossArgs& args) {
  const CameraFloats& c = args.frame->camera;
  return make_pinhole(c.focal_x, c.focal_y, c.center_x, c.center_y, c.width, c.height);
}

MOTE_DEVICE float depth_at(const SurfaceLossArgs& args, std::size_t pixel, std::size_t plane) {
  return expected_depth(args.alpha[pixel], args.surface[kDepthSum * plane + pixel]);
}

MOTE_KERNEL(kThreads)
surface_normals(SurfaceLossArgs args) {
  if (args.counters->overflow != 0) return;
  const SurfacePixel p = surface_pixel(args);
  if (!p.inside) return;
  NormalLoss<float> loss{};
  if (p.inner) {
    const auto row = static_cast<std::size_t>(args.width);
    const DepthStencil<float> z{
        depth_at(args, p.at - 1, p.plane), depth_at(args, p.at + 1, p.plane),
        depth_at(args, p.at - row, p.plane), depth_at(args, p.at + row, p.plane)};
    const auto sum = [&](int k) { return args.surface[static_cast<unsigned>(k) * p.plane + p.at]; };
    loss = normal_loss(surface_slopes(pinhole_of(args), p.center_x, p.center_y, z),
                       Vec3<float>{sum(kNormalXSum), sum(kNormalYSum), sum(kNormalZSum)},
                       args.alpha[p.at], args.normal_weight);
  }
  const Vec3<float> d_x = loss.d_slopes.along_x, d_y = loss.d_slopes.along_y;
  const float slopes[kSlopeValues] = {d_x.x, d_x.y, d_x.z, d_y.x, d_y.y, d_y.z};
#pragma unroll
  for (unsigned k = 0; k < kSlopeValues; ++k) args.slopes[k * p.plane + p.at] = slopes[k];
  args.d_surface[kNormalXSum * p.plane + p.at] = loss.d_normal_sum.x;
  args.d_surface[kNormalYSum * p.plane + p.at] = loss.d_normal_sum.y;
  args.d_surface[kNormalZSum * p.plane + p.at] = loss.d_normal_sum.z;
}

/// Three values of a neighbour's slopes; zero outside the image.
MOTE_DEVICE Vec3<float> slopes_at(const SurfaceLossArgs& args, const SurfacePixel& p,
                                  unsigned first, int dx, int dy) {
  const int x = p.x + dx, y = p.y + dy;
  if (x < 0 || y < 0 || x >= args.width || y >= args.height) return {};
  const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(args.width) +
                         static_cast<std::size_t>(x);
  const float* slopes = args.slopes + first * p.plane + at;
  return {slopes[0], slopes[p.plane], slopes[2 * p.plane]};
}

MOTE_KERNEL(kThreads)
surface_gradients(SurfaceLossArgs args) {
  if (args.counters->overflow != 0) return;
  const SurfacePixel p = surface_pixel(args);
  if (!p.inside) return;
  const float d_depth = surface_slopes_vjp(
      pinhole_of(args), p.center_x, p.center_y, slopes_at(args, p, 0, -1, 0),
      slopes_at(args, p, 0, 1, 0), slopes_at(args, p, 3, 0, -1), slopes_at(args, p, 3, 0, 1));
  float sums[kSurfaceSums];
#pragma unroll
  for (unsigned k = 0; k < kSurfaceSums; ++k) sums[k] = args.surface[k * p.plane + p.at];
  const Vec3<float> d_normal{args.d_surface[kNormalXSum * p.plane + p.at],
                             args.d_surface[kNormalYSum * p.plane + p.at],
                             args.d_surface[kNormalZSum * p.plane + p.at]};
  const SurfaceGradient<float> d =
      surface_gradient(sums, args.alpha[p.at], d_depth, d_normal,
                       SurfaceWeights<float>{args.distortion_weight, args.normal_weight});
#pragma unroll
  for (unsigned k = 0; k < kSurfaceGradients; ++k) args.d_surface[k * p.plane + p.at] = d.value[k];
}

}  // namespace

void run_surface_loss(const SurfaceLossArgs& args, cudaStream_t stream) {
  const unsigned blocks =
      blocks_for(static_cast<unsigned>(args.width) * static_cast<unsigned>(args.height), kThreads);
  launch(surface_normals, {.blocks = blocks, .threads = kThreads, .name = "the normals' loss"},
         stream, args);
  launch(surface_gradients, {.blocks = blocks, .threads = kThreads, .name = "the surface losses"},
         stream, args);
}

}  // namespace mote::cuda
