// Drawing of solid splats. Like blending (blend.cu), but pixels keep the nearest surface. Lists are
// sorted by the nearest point of each splat. A subtile is therefore done when all its pixels show
// something nearer than the next splat's nearest point.

#include "cuda/kernels/blend.h"

#include "cuda/kernels/subtiles.h"
#include "cuda/kernels/texels.h"
#include "cuda/kernels/tile_queue.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "pipeline/blend.h"
#include "splats/kinds/solid.h"

namespace mote::cuda {
namespace {

using SolidBatch = SplatBatch<kSurfaceWords>;

MOTE_DEVICE SolidSurface<float> surface_of_line(const SolidBatch& batch, unsigned line) {
  return surface_of<float>([&](int word) { return batch.extra[word][line]; });
}

/// The calling thread's pixels, one per subtile of its warp's strip.
struct SolidPixels {
  SolidPixel<float> state[kStripSubtiles];
};

/// Pixels outside the image start in front of everything.
MOTE_DEVICE SolidPixels begin_pixels(const StripPlace& place, int width, int height) {
  constexpr float kInFrontOfAll = 1e30f;  // inverse depth
  SolidPixels pixels{};
  for (int j = 0; j < kStripSubtiles; ++j) {
    const bool inside = place.x < width && place.y + j * kSubtileRowPx < height;
    pixels.state[j].inverse_depth = inside ? 0.0f : kInFrontOfAll;
  }
  return pixels;
}

/// The subtiles of the warp's strip in which a pixel may still show something at this distance.
MOTE_DEVICE unsigned subtiles_open(const SolidPixels& pixels, float nearest) {
  unsigned open = 0;
#pragma unroll
  for (int j = 0; j < kStripSubtiles; ++j) {
    if (__any_sync(kWholeWarp, is_open_at(pixels.state[j].inverse_depth, nearest))) open |= 1u << j;
  }
  return open;
}

template <bool SHADED>
MOTE_DEVICE void draw_splat(const SolidBatch& batch, unsigned line, unsigned subtiles,
                            const StripPlace& place, const CameraFloats& camera,
                            SolidPixels& pixels) {
  const float4 at = batch.place[line], shape = batch.shape[line], rgb = batch.color[line];
  const EllipseForm<float> outline{shape.x, shape.y, shape.z, shape.w};
#pragma unroll
  for (int j = 0; j < kStripSubtiles; ++j) {
    if ((subtiles >> j & 1) == 0) continue;
    const float y = place.center_y + static_cast<float>(j * kSubtileRowPx);
    const PixelRay<float> ray = pixel_ray<float>(
        place.center_x, y, {camera.center_x, camera.center_y}, camera.focal_x, camera.focal_y);
    solid_step<SHADED>(outline, surface_of_line(batch, line), Vec3<float>{rgb.x, rgb.y, rgb.z},
                       place.center_x - at.x, y - at.y, ray, pixels.state[j]);
  }
}

/// Processes the batch's first `count` lines. Returns the number of subtiles evaluated for the
/// thread's own lines. `open` becomes 0 if the warp is done with the tile.
template <bool SHADED>
MOTE_DEVICE unsigned draw_batch(const SolidBatch& batch, unsigned count, const StripPlace& place,
                                const CameraFloats& camera, SolidPixels& pixels, unsigned& open) {
  const unsigned lane = threadIdx.x % kWarp;
  unsigned evaluations = 0;
  for (unsigned group = 0; group < count && open != 0; group += kWarp) {
    open = subtiles_open(pixels, batch.place[group].w);
    const unsigned own = group + lane < count ? own_subtiles(batch.mask[group + lane]) & open : 0;
    evaluations += static_cast<unsigned>(__popc(own));
    for (unsigned hits = __ballot_sync(kWholeWarp, own != 0); hits != 0; hits &= hits - 1) {
      const unsigned line = group + static_cast<unsigned>(__ffs(static_cast<int>(hits))) - 1;
      const unsigned subtiles = own_subtiles(batch.mask[line]) & open;
      draw_splat<SHADED>(batch, line, subtiles, place, camera, pixels);
    }
  }
  return evaluations;
}

MOTE_DEVICE void write_pixels(const FrameParams& f, const PixelOutputs& out,
                              const StripPlace& place, const SolidPixels& pixels, unsigned listed) {
  for (int j = 0; j < kStripSubtiles; ++j) {
    const int y = place.y + j * kSubtileRowPx;
    if (place.x >= f.width || y >= f.height) continue;
    const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(f.width) +
                           static_cast<std::size_t>(place.x);
    const SolidPixel<float>& pixel = pixels.state[j];
    const bool covered = pixel.inverse_depth > 0;
    write_color(
        f.texels, out.rgb, at,
        {covered ? pixel.color.x : f.background[0], covered ? pixel.color.y : f.background[1],
         covered ? pixel.color.z : f.background[2]});
    if (out.alpha != nullptr) out.alpha[at] = covered ? 1.0f : 0.0f;
    if (out.depth_expected != nullptr) {
      const float depth = solid_depth(pixel.inverse_depth);
      out.depth_expected[at] = depth;
      out.depth_median[at] = depth;
    }
    if (out.overdraw != nullptr) out.overdraw[at] = covered ? 1.0f : 0.0f;
    if (out.tile_cost != nullptr) out.tile_cost[at] = static_cast<float>(listed);
  }
}

/// Draws one macro tile. Returns the thread's part of the subtiles that its warp evaluated.
template <bool SHADED>
MOTE_DEVICE unsigned draw_tile(const BlendArgs& args, const FrameParams& f, unsigned tile,
                               SolidBatch& batch) {
  const StripPlace place = strip_place(tile, threadIdx.x / kWarp, f.columns);
  SolidPixels pixels = begin_pixels(place, f.width, f.height);
  unsigned open = (1u << kStripSubtiles) - 1, evaluations = 0;
  const unsigned first = args.first[tile], end = args.first[tile + 1];
  for (unsigned begin = first; begin < end; begin += kStripThreads) {
    // Also a barrier after the reads of the previous batch.
    if (__syncthreads_and(open == 0)) break;
    const unsigned count = min(end - begin, static_cast<unsigned>(kStripThreads));
    if (threadIdx.x < count) {
      enter_splat<Gaussian>({args.records, args.extras, args.slot_of},
                            args.keys[begin + threadIdx.x], place, batch);
    }
    __syncthreads();
    evaluations += draw_batch<SHADED>(batch, count, place, f.camera, pixels, open);
  }
  write_pixels(f, args.out, place, pixels, end - first);
  return evaluations;
}

template <bool SHADED>
MOTE_KERNEL(kStripThreads, 2)
draw_solids(BlendArgs args) {
  FrameCounters* counters = args.counters;
  if (counters->overflow != 0) return;
  SolidBatch& batch = block_shared<SolidBatch>();
  unsigned subtiles = 0;
  for (unsigned tile = first_tile(args.queue); tile != kNoTile; tile = next_tile(args.queue)) {
    subtiles += draw_tile<SHADED>(args, *args.frame, tile, batch);
  }
  subtiles = __reduce_add_sync(kWholeWarp, subtiles);
  if (threadIdx.x % kWarp == 0 && subtiles != 0) {
    atomicAdd(&counters->evaluations, static_cast<unsigned long long>(subtiles) * kWarp);
  }
}

}  // namespace

void run_draw_solids(const BlendArgs& args, SplatShape shape, cudaStream_t stream) {
  constexpr const char* kName = "drawing of solids";
  const auto kernel = shape == SplatShape::ellipsoid ? draw_solids<true> : draw_solids<false>;
  const unsigned resident = resident_blocks(kernel, kStripThreads, kName);
  launch(kernel,
         {.blocks = min(args.queue.tiles, resident), .threads = kStripThreads, .name = kName},
         stream, args);
}

}  // namespace mote::cuda
