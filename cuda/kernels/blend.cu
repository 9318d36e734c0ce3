// Exact blending, with the further outputs of a frame and the checkpoints of a training step.

#include "cuda/kernels/blend.h"

#include "cuda/kernels/blend_tile.h"
#include "cuda/kernels/texels.h"
#include "pipeline/blend.h"
#include "splats/kinds/kinds.h"

namespace mote::cuda {
namespace {

/// The outputs in addition to the picture.
enum class Extra { none, depth, buckets, counts, surface };  // the last two: depth as well

/// The calling thread's pixels, one per subtile of its warp.
template <Extra EXTRA, Share SHARE>
struct Pixels : WarpShare<SHARE> {
  using Own = WarpShare<SHARE>;
  using Color = float4;
  using Touching = TouchingLines<Own::kWarpSubtiles>;
  /// Blocks per multiprocessor: the maximum without register spilling. Unused on the host.
  static constexpr int kResident = SHARE == Share::two ? 5 : 2;
  static constexpr unsigned kCheckpointSplats = EXTRA == Extra::none      ? kPieceSplats
                                                : EXTRA == Extra::buckets ? kBucketSplats
                                                                          : 0;
  static constexpr bool kWithCounts = EXTRA == Extra::counts || EXTRA == Extra::surface;
  static constexpr bool kWithDepth = EXTRA == Extra::depth || kWithCounts;

  PixelForward state[Own::kWarpSubtiles];
  Vec3<float> color[Own::kWarpSubtiles];
  PixelDepth<float> depth[Own::kWarpSubtiles];
  float overdraw[Own::kWarpSubtiles];
  float surface[Own::kWarpSubtiles][kSurfaceSums];

  /// Pixels outside the image are stopped from the start.
  MOTE_MEMBER void begin(const StripPlace& place, int width, int height) {
    *this = {};
#pragma unroll
    for (int k = 0; k < Own::kWarpSubtiles; ++k) {
      const PixelPlace at = pixel_place<Own>(place, k);
      const bool inside = at.x < width && at.y < height;
      state[k] = {1.0f, inside ? 1.0f : 0.0f};
    }
  }

  MOTE_MEMBER unsigned going() const {
    unsigned some = 0;
#pragma unroll
    for (int k = 0; k < Own::kWarpSubtiles; ++k) {
      if (__any_sync(kWholeWarp, state[k].is_open())) some |= 1u << k;
    }
    return some;
  }

  static MOTE_MEMBER Touching touching(unsigned own) {
    return touching_lines<Own::kWarpSubtiles>(own);
  }

  /// Blends the splat of a line into the subtiles that it touches; `bit`: the line's bit in
  /// `touching`. `camera`: only for the surface payload.
  template <class Kind>
  MOTE_MEMBER void blend(const PixelBatch<Kind, Pixels>& batch, const CameraFloats& camera,
                         unsigned line, const Touching& touching, unsigned bit,
                         const StripPlace& place) {
    const float4 at = batch.place[line], rgb = batch.color[line];
    const float bend = batch.shape[line].w;
    const BlendedSplat<Kind, float> splat = blended_splat<Kind>(batch, line);
    const float first_y = place.center_y - at.y;
    Vec3<float> normal{};
    if constexpr (EXTRA == Extra::surface) normal = normal_of<Kind>(splat, camera, {at.x, at.y});
#pragma unroll
    for (int strip = 0; strip < Own::kWarpStrips; ++strip) {
      const float x = place.center_x + static_cast<float>(strip * kSubtileColumnPx) - at.x;
      const ColumnPolynomial<float> column =
          column_polynomial(splat.form, splat.log2_opacity, x, first_y, bend);
#pragma unroll
      for (int row = 0; row < Own::kWarpRows; ++row) {
        const int k = strip * Own::kWarpRows + row;
        if ((touching.lines[k] & bit) == 0) continue;
        const auto below = static_cast<float>(Own::row_in_strip(k) * kSubtileRowPx);
        const auto here = Kind::respond(splat, form_value(column, below), x, first_y + below);
        blend_pixel(Kind::log2_alpha(here), state[k], [&](float weight, float before, float after) {
          color[k] = add_color(color[k], weight, {rgb.x, rgb.y, rgb.z});
          if constexpr (kWithCounts) overdraw[k] = add_overdraw(overdraw[k], weight);
          if constexpr (kWithDepth) {
            if (weight == 0) return;  // the splat may have no depth here
            const float z = Kind::depth(splat, here);
            add_depth(z, weight, before, after, depth[k]);
            if constexpr (EXTRA == Extra::surface) {
              add_to_surface(SurfacePoint<float>{z, normal}, weight, surface[k]);
            }
          }
        });
      }
    }
  }

  /// Writes the state before a group of a tile's list. All lanes must call. Nothing is written for
  /// finished subtiles.
  MOTE_MEMBER void leave_checkpoint(const Checkpoints& to, const GroupPlace& at,
                                    unsigned going) const {
    const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
    const unsigned piece = at.begin / kCheckpointSplats;
    const std::size_t before = at.first / kCheckpointSplats + piece;
    const unsigned own = lane < Own::kWarpStrips ? going >> lane * kStripSubtiles & 15 : 0;
    if (own != 0) {
      const unsigned subtile = warp * Own::kWarpSubtiles + lane * kStripSubtiles;
      unsigned& strip = to.strips[(before + at.tile) * kStrips + subtile / kStripSubtiles];
      if constexpr (Own::kWarpRows < kStripSubtiles) {
        atomicOr(&strip, at.tile * 16 + (own << subtile % kStripSubtiles));
      } else {
        strip = at.tile * 16 + own;
      }
    }
    if (piece == 0) return;
    float4* states = to.states + before * kMacroPixels + warp * (Own::kWarpSubtiles * kWarp) + lane;
#pragma unroll
    for (int k = 0; k < Own::kWarpSubtiles; ++k) {
      if ((going >> k & 1) == 0) continue;
      const float transmittance = state[k].is_open() ? state[k].running : 0.0f;
      states[k * kWarp] = make_float4(transmittance, color[k].x, color[k].y, color[k].z);
    }
  }

  /// `listed`: number of splats of the macro tile.
  MOTE_MEMBER void write(const FrameParams& f, const PixelOutputs& out, const StripPlace& place,
                         unsigned listed) const {
#pragma unroll
    for (int k = 0; k < Own::kWarpSubtiles; ++k) {
      const auto [x, y] = pixel_place<Own>(place, k);
      if (x >= f.width || y >= f.height) continue;
      const std::size_t at = static_cast<std::size_t>(y) * static_cast<std::size_t>(f.width) +
                             static_cast<std::size_t>(x);
      write_blended(f, out, at, color[k], state[k].transmittance);
      if constexpr (kWithDepth) {
        if (out.depth_expected != nullptr) {
          out.depth_expected[at] =
              expected_depth(alpha_of(state[k].transmittance), depth[k].weighted);
          out.depth_median[at] = depth[k].median;
        }
      }
      if constexpr (EXTRA == Extra::surface) {
        const float* sums = surface[k];
        if (out.normal != nullptr) {
          float* normal = out.normal + 3 * at;
          for (int axis = 0; axis < 3; ++axis) normal[axis] = sums[kNormalXSum + axis];
        }
        if (out.surface != nullptr) {
          const std::size_t plane =
              static_cast<std::size_t>(f.width) * static_cast<std::size_t>(f.height);
          for (int sum = 0; sum < kSurfaceSums; ++sum)
            out.surface[static_cast<std::size_t>(sum) * plane + at] = sums[sum];
        }
      }
      if constexpr (kWithCounts) {
        if (out.overdraw != nullptr) out.overdraw[at] = overdraw[k];
        if (out.tile_cost != nullptr) out.tile_cost[at] = static_cast<float>(listed);
      }
    }
  }
};

template <class Kind, Extra EXTRA, Share SHARE>
MOTE_KERNEL((Pixels<EXTRA, SHARE>::kThreads), (Pixels<EXTRA, SHARE>::kResident))
blend(BlendArgs args) {
  blend_tiles<Kind, Pixels<EXTRA, SHARE>>(args);
}

template <class Kind, Extra EXTRA, Share SHARE>
BlendKernel kernel() {
  return {blend<Kind, EXTRA, SHARE>, Pixels<EXTRA, SHARE>::kThreads};
}

/// The kernel for few tiles.
BlendKernel kernel_of(SplatKind kind, Extra extra) {
  return visit_kind(kind, [&]<class Kind>() -> BlendKernel {
    if constexpr (Kind::kIsSurface) {
      if (extra == Extra::surface) return kernel<Kind, Extra::surface, Share::one>();
    }
    switch (extra) {
      case Extra::depth:
        return kernel<Kind, Extra::depth, Share::one>();
      case Extra::buckets:
        // Surfels would spill registers with half a strip.
        return kernel < Kind, Extra::buckets, Kind::kIsSurface ? Share::one : Share::half > ();
      case Extra::counts:
        return kernel<Kind, Extra::counts, Share::one>();
      default:
        CHECK(extra == Extra::none);
        return kernel<Kind, Extra::none, Share::half>();
    }
  });
}

Extra extra_of(const BlendArgs& args) {
  const PixelOutputs& out = args.out;
  const bool depth = out.depth_expected != nullptr;
  const bool counts = out.overdraw != nullptr || out.tile_cost != nullptr;
  const bool surface = out.normal != nullptr || out.surface != nullptr;
  const bool checkpoints = args.checkpoints.states != nullptr;
  CHECK(!checkpoints || !(depth || counts || surface));
  if (checkpoints && args.checkpoints.spacing == kBucketSplats) return Extra::buckets;
  CHECK(!checkpoints || args.checkpoints.spacing == kPieceSplats);
  return surface ? Extra::surface : counts ? Extra::counts : depth ? Extra::depth : Extra::none;
}

}  // namespace

void run_blend(const BlendArgs& args, cudaStream_t stream) {
  const Extra extra = extra_of(args);
  const BlendKernel few = kernel_of(args.kind, extra);
  if (extra != Extra::none) {
    launch_blend(args, few, few, stream);
    return;
  }
  const BlendKernel many = visit_kind(args.kind, [&]<class Kind>() -> BlendKernel {
    return kernel<Kind, Extra::none, Share::two>();
  });
  launch_blend(args, few, many, stream);
}

}  // namespace mote::cuda
