// Projection, colour and binning of splats, one thread each. A block processes one cluster and ends
// at once if the cluster is out of view.

#include "cuda/kernels/projection.h"

#include "cuda/dialect.h"
#include "cuda/kernels/lane_sums.h"
#include "cuda/kernels/macro_tiles.h"
#include "cuda/runtime.h"
#include "math/activations.h"
#include "math/spherical_harmonics.h"
#include "splats/kinds/gaussian_projection.h"
#include "splats/kinds/gaussian_view.h"
#include "splats/kinds/solid.h"

namespace mote::cuda {
namespace {

MOTE_DEVICE float field(const float* geometry, Field f) {
  return geometry[static_cast<int>(f) * static_cast<int>(kBlockSize)];
}

/// The macro tile of a coordinate, clamped to `count` tiles.
MOTE_DEVICE std::uint16_t macro_tile_at(float px, int count) {
  const float bounded = min(max(px, 0.0f), static_cast<float>(count * kMacroPx - 1));
  return static_cast<std::uint16_t>(static_cast<int>(bounded) / kMacroPx);
}

enum class Drawn { plain, antialiased, solid };

/// Projects one splat into `out`. Returns its rectangle, empty if it is invisible.
template <int DEGREE, Drawn DRAWN>
MOTE_DEVICE MacroRect project_splat(const ProjectArgs& args, const FrameParams& f, unsigned splat,
                                    SplatRecord& out) {
  constexpr MacroRect kNowhere{1, 0, 1, 0};
  constexpr unsigned kBlock = kBlockSize;
  const float* geometry = args.geometry + (splat / kBlock) * kFieldCount * kBlock + splat % kBlock;
  const Vec3<float> mean{field(geometry, Field::mean_x), field(geometry, Field::mean_y),
                         field(geometry, Field::mean_z)};
  const ViewCamera<float> camera = view_camera<float>(f.camera);
  const Vec3<float> p_cam = camera.cam_from_world * mean + camera.translation;
  if (!(p_cam.z >= kNearPlane)) return kNowhere;
  const Mat3<float> rotation = rotation_from(
      Quaternion<float>{field(geometry, Field::rotation_w), field(geometry, Field::rotation_x),
                        field(geometry, Field::rotation_y), field(geometry, Field::rotation_z)});
  Vec3<float> scale{field(geometry, Field::log_scale_x), field(geometry, Field::log_scale_y),
                    field(geometry, Field::log_scale_z)};
  float opacity = field(geometry, Field::logit_opacity);
  if (!args.activated) {
    scale = {exp(scale.x), exp(scale.y), exp(scale.z)};
    opacity = sigmoid(opacity);
  }
  scale = scale * f.splat_scale;
  const ImageBounds<float> image{f.camera.width, f.camera.height};
  ProjectedGaussian<float> s;
  float depth = p_cam.z;
  if constexpr (DRAWN == Drawn::solid) {
    const ProjectedSolid<float> solid =
        project_solid(args.shape, camera.pinhole, image, camera.cam_from_world, f.camera.scale,
                      p_cam, rotation, scale, opacity, f.splat_scale);
    s = solid.outline;
    depth = solid.nearest;
    if (s.inside) args.surfaces[splat] = solid.surface;
  } else {
    s = project_gaussian<DRAWN == Drawn::antialiased>(camera.pinhole, image, camera.cam_from_world,
                                                      p_cam, splat_axes(rotation, scale), opacity);
  }
  if (!s.inside) return kNowhere;

  const LogResponse<float> response = log_response_of(s.footprint);
  const float* sh = args.sh + (splat / kBlock) * args.sh_stride + splat % kBlock;
  const Vec3<float> color = sh_colors<DEGREE>(
      normalize(mean - camera.position_world),
      [&](int k, int c) { return sh[static_cast<unsigned>(k * 3 + c) * kBlock]; });
  out = {s.mean_px.x,
         s.mean_px.y,
         s.log2_opacity,
         depth,
         response.curvature_u,
         response.shear,
         response.curvature_y,
         response.shear_x,
         color.x,
         color.y,
         color.z,
         s.extent_x};
  return {macro_tile_at(s.mean_px.x - s.extent_x, f.columns),
          macro_tile_at(s.mean_px.x + s.extent_x, f.columns),
          macro_tile_at(s.mean_px.y - s.extent_y, f.rows),
          macro_tile_at(s.mean_px.y + s.extent_y, f.rows)};
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

/// Blocks per multiprocessor: the maximum without register spilling. By default the compiler spills
/// for one more block. Unused on the host.
[[maybe_unused]] constexpr int kResident = kArchitecture >= 80 && kArchitecture <= 90 ? 5 : 4;

template <int DEGREE, Drawn DRAWN>
MOTE_KERNEL(kProjectThreads, kResident)
project(ProjectArgs args) {
  const FrameParams& f = *args.frame;
  const unsigned splat = blockIdx.x * kProjectThreads + threadIdx.x;
  MacroRect rect{1, 0, 1, 0};
  SplatRecord record{};
  const bool in_view = args.clusters == nullptr || may_see(f.frustum, args.clusters[blockIdx.x]);
  if (in_view && splat < args.count) {
    rect = project_splat<DEGREE, DRAWN>(args, f, splat, record);
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

using Kernel = void (*)(ProjectArgs);
template <Drawn DRAWN>
constexpr Kernel kKernels[kMaxShDegree + 1] = {
    project<0, DRAWN>, project<1, DRAWN>, project<2, DRAWN>, project<3, DRAWN>, project<4, DRAWN>};

}  // namespace

void run_project(const ProjectArgs& args, int sh_degree, bool antialiased, cudaStream_t stream) {
  const Kernel* of_degree = args.shape != SplatShape::gaussian ? kKernels<Drawn::solid>
                            : antialiased                      ? kKernels<Drawn::antialiased>
                                                               : kKernels<Drawn::plain>;
  launch(of_degree[sh_degree],
         {.blocks = blocks_for(args.count, kProjectThreads),
          .threads = kProjectThreads,
          .name = "projection"},
         stream, args);
}

}  // namespace mote::cuda
