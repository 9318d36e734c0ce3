// Projection, colour and binning of splats, one thread each. A block processes one cluster and ends
// at once if the cluster is out of view.

#include "cuda/kernels/projection.h"

#include "cuda/kernels/lane_sums.h"
#include "cuda/kernels/macro_tiles.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"
#include "math/spherical_harmonics.h"
#include "pipeline/projection.h"
#include "splats/motions/motions.h"

namespace mote::cuda {
namespace {

/// The macro tile of a coordinate, clamped to `count` tiles.
MOTE_DEVICE std::uint16_t macro_tile_at(float px, int count) {
  const float bounded = min(max(px, 0.0f), static_cast<float>(count * kMacroPx - 1));
  return static_cast<std::uint16_t>(static_cast<int>(bounded) / kMacroPx);
}

/// Projects one splat into `out`. Returns its rectangle, empty if it is invisible.
template <class Kind, class Motion, int DEGREE, Drawn DRAWN>
MOTE_DEVICE MacroRect project_one(const ProjectArgs& args, const FrameParams& f, unsigned splat,
                                  SplatRecord& out) {
  constexpr MacroRect kNowhere{1, 0, 1, 0};
  constexpr unsigned kBlock = kBlockSize;
  using Whole = MovingKind<Kind, Motion>;
  const float* geometry =
      args.geometry + (splat / kBlock) * Whole::kFieldCount * kBlock + splat % kBlock;
  const auto plane = [&](int p) { return geometry[static_cast<unsigned>(p) * kBlock]; };
  const ViewCamera<float> camera = view_camera<float>(f.camera);
  const SliceQuery<float> query = slice_query(camera, f.time_s);
  const Vec3<float> mean = mean_at<Kind, Motion>(plane, query);
  const Vec3<float> p_cam = in_camera(camera, mean);
  if (!is_in_front(p_cam)) return kNowhere;
  if constexpr (Motion::kHasWeight) {
    if (!Motion::template is_seen<Whole>(plane, args.activated, query)) return kNowhere;
  }
  ActivatedSplat<Whole, float> values = load_activated<Whole, float>(plane);
  if (!args.activated) values = activate(load_stored<Whole, float>(plane));
  const ImageBounds<float> image{f.camera.width, f.camera.height};
  const auto s = project_splat<Kind, DRAWN>(
      args.shape, camera, image, p_cam, Motion::template at<Kind>(values, query), f.splat_scale);
  const BoundingEllipse<float>& bound = s.bound;
  if (!bound.inside) return kNowhere;

  constexpr int kExtra = kExtraWords<Kind, DRAWN>;
  if constexpr (kExtra > 0) {
    float* extra = args.extras + std::size_t{splat} * kExtra;
#pragma unroll
    for (int k = 0; k < kExtra; ++k) extra[k] = s.extra.value[k];
  }
  const EllipseForm<float> form = form_of(bound);
  const std::size_t first_sh = (splat / kBlock) * args.sh_stride + splat % kBlock;
  const Vec3<float> direction = normalize(mean - camera.position_world);
  const auto place = [&](int k, int c) {
    return first_sh + static_cast<unsigned>(k * 3 + c) * kBlock;
  };
  Vec3<float> color =
      args.half_sh == nullptr
          ? sh_colors<DEGREE>(direction, [&](int k, int c) { return args.sh[place(k, c)]; })
          : sh_colors<DEGREE>(direction, [&](int k, int c) {
              return __half2float(__ushort_as_half(args.half_sh[place(k, c)]));
            });
  if (args.marks != nullptr) color = with_mark(color, args.marks[splat]);
  out = {.mean_x = bound.mean_px.x,
         .mean_y = bound.mean_px.y,
         .log2_opacity = bound.log2_opacity,
         .depth = s.depth,
         .curvature_u = form.curvature_u,
         .shear = form.shear,
         .curvature_y = form.curvature_y,
         .shear_x = form.shear_x,
         .red = color.x,
         .green = color.y,
         .blue = color.z,
         .extent_x = bound.extent_x};
  return {macro_tile_at(bound.mean_px.x - bound.extent_x, f.columns),
          macro_tile_at(bound.mean_px.x + bound.extent_x, f.columns),
          macro_tile_at(bound.mean_px.y - bound.extent_y, f.rows),
          macro_tile_at(bound.mean_px.y + bound.extent_y, f.rows)};
}

/// Whether a splat of the splat's block may live.
template <class Motion>
MOTE_DEVICE bool block_lives(const ProjectArgs& args, const FrameParams& f, unsigned splat) {
  if constexpr (Motion::kHasLife) {
    return args.lives == nullptr || lives_at(args.lives[splat / kBlockSize], f.time_s);
  } else {
    return true;
  }
}

/// Reserves the splat's slots; consecutive within a warp.
MOTE_DEVICE unsigned take_slots(MacroRect rect, bool visible, FrameCounters* counters) {
  const unsigned own = visible ? slot_count(rect) : 0;
  const unsigned up_to_here = inclusive_sum_of_lanes(own);
  constexpr int kLastLane = kWarp - 1;
  unsigned long long begin = 0;
  if (threadIdx.x % kWarp == kLastLane) {
    begin = atomicAdd(&counters->slots, static_cast<unsigned long long>(up_to_here));
  }
  begin = __shfl_sync(kWholeWarp, begin, kLastLane);
  return static_cast<unsigned>(begin) + up_to_here - own;
}

/// Blocks per multiprocessor: the maximum without register spilling. Without this bound, the
/// compiler spills registers to fit one more block. Unused on the host.
template <class Motion, int DEGREE>
[[maybe_unused]] constexpr int kResident = Motion::kFieldCount <=
                                                       Life::kFieldCount&& kArchitecture >=
                                                       (DEGREE < 4 ? 80 : 86) &&
                                                   kArchitecture <= 90
                                               ? 5
                                               : 4;

template <class Kind, class Motion, int DEGREE, Drawn DRAWN>
MOTE_KERNEL(kProjectThreads, kResident<Motion, DEGREE>)
project(ProjectArgs args) {
  const FrameParams& f = *args.frame;
  const unsigned splat = blockIdx.x * kProjectThreads + threadIdx.x;
  MacroRect rect{1, 0, 1, 0};
  SplatRecord record{};
  const bool in_view = args.clusters == nullptr || may_see(f.frustum, args.clusters[blockIdx.x]);
  if (in_view && splat < args.count && block_lives<Motion>(args, f, splat)) {
    rect = project_one<Kind, Motion, DEGREE, DRAWN>(args, f, splat, record);
  }
  if (splat < args.count) args.rects[splat] = rect;
  if (!in_view) return;
  const bool visible = rect.first_column <= rect.last_column;
  if (visible) args.records[splat] = record;
  const unsigned seen = __ballot_sync(kWholeWarp, visible);
  if (seen == 0) return;
  if (threadIdx.x % kWarp == 0) {
    atomicAdd(&args.counters->visible, static_cast<unsigned>(__popc(seen)));
  }
  if (args.first_slots != nullptr) {
    const unsigned first = take_slots(rect, visible, args.counters);
    if (visible) args.first_slots[splat] = first;
  }
  for_each_macro_tile(ellipse_of(record), rect, visible, 0, [&](TileKey, int column, int row) {
    atomicAdd(&args.tile_counts[row * f.columns + column], 1u);
  });
}

/// Replaces the colours of visible splats by those that show their motion. A kernel of its own, so
/// that the projection keeps no more values of the motion.
template <class Kind, class Motion>
MOTE_KERNEL(kProjectThreads)
paint(ProjectArgs args) {
  using Whole = MovingKind<Kind, Motion>;
  const unsigned splat = blockIdx.x * kProjectThreads + threadIdx.x;
  if (splat >= args.count || args.rects[splat].first_column > args.rects[splat].last_column) return;
  constexpr unsigned kBlock = kBlockSize;
  const float* geometry =
      args.geometry + (splat / kBlock) * Whole::kFieldCount * kBlock + splat % kBlock;
  const auto plane = [&](int p) { return geometry[static_cast<unsigned>(p) * kBlock]; };
  ActivatedSplat<Whole, float> values = load_activated<Whole, float>(plane);
  if (!args.activated) values = activate(load_stored<Whole, float>(plane));
  Vec3<float> color = Motion::painted(values, args.frame->paint);
  if (args.marks != nullptr) color = with_mark(color, args.marks[splat]);
  SplatRecord& record = args.records[splat];
  record.red = color.x;
  record.green = color.y;
  record.blue = color.z;
}

using Kernel = void (*)(ProjectArgs);

template <class Kind, class Motion, Drawn DRAWN>
constexpr Kernel kOfDegree[kMaxShDegree + 1] = {
    project<Kind, Motion, 0, DRAWN>, project<Kind, Motion, 1, DRAWN>,
    project<Kind, Motion, 2, DRAWN>, project<Kind, Motion, 3, DRAWN>,
    project<Kind, Motion, 4, DRAWN>};

/// By Drawn.
template <class Kind, class Motion>
constexpr const Kernel* kProject[] = {kOfDegree<Kind, Motion, Drawn::plain>,
                                      kOfDegree<Kind, Motion, Drawn::antialiased>,
                                      kOfDegree<Kind, Motion, Drawn::solid>};

}  // namespace

void run_project(const ProjectArgs& args, int sh_degree, bool antialiased, cudaStream_t stream) {
  const Drawn drawn = drawn_as(args.shape, antialiased);
  const Kernel kernel =
      visit_moving(args.kind, args.motion, [&]<class Kind, class Motion>() -> Kernel {
        return kProject<Kind, Motion>[static_cast<int>(drawn)][sh_degree];
      });
  const unsigned blocks = blocks_for(args.count, kProjectThreads);
  launch(kernel, {.blocks = blocks, .threads = kProjectThreads, .name = "projection"}, stream,
         args);
  if (!args.painted) return;
  launch(visit_moving(args.kind, args.motion,
                      [&]<class Kind, class Motion>() -> Kernel { return paint<Kind, Motion>; }),
         {.blocks = blocks, .threads = kProjectThreads, .name = "motion colours"}, stream, args);
}

}  // namespace mote::cuda
