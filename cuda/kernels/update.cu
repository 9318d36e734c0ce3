// The backward pass of splats and Adam, one thread per splat. It gathers the splat's sums over its
// macro tiles, propagates them through projection and SH, and applies the optimiser at once, so
// that no gradient is stored. Splats out of view are not updated; they catch up when they are next
// seen (math/adam.h).

#include "cuda/kernels/update.h"

#include "cuda/kernels/integers.h"
#include "cuda/kernels/macro_tiles.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/runtime.h"
#include "pipeline/update.h"
#include "splats/motions/motions.h"

namespace mote::cuda {
namespace {

constexpr int kThreads = 128;
constexpr unsigned kBlock = kBlockSize;

/// Sums over the splat's slots.
template <class Kind>
MOTE_DEVICE SplatSums<Kind, float> gather_sums(const UpdateArgs& args, unsigned splat,
                                               MacroRect rect) {
  constexpr int kSums = kPaddedSums<Kind>;
  float total[kSums] = {};
  const std::size_t first = args.first_slots[splat], count = slot_count(rect);
  for (std::size_t slot = first; slot < first + count; ++slot) {
    const auto* record = reinterpret_cast<const float4*>(args.slots + slot * kSums);
#pragma unroll
    for (int v = 0; v < kSums / 4; ++v) {
      const float4 four = record[v];
      total[4 * v] += four.x;
      total[4 * v + 1] += four.y;
      total[4 * v + 2] += four.z;
      total[4 * v + 3] += four.w;
    }
  }
  SplatSums<Kind, float> sums;
#pragma unroll
  for (int k = 0; k < Kind::kSums; ++k) sums.value[k] = total[k];
  return sums;
}

template <class Kind>
MOTE_DEVICE MissedSteps<float> missed_steps(const UpdateArgs& args, unsigned last_step) {
  MissedSteps<float> missed{adam_decay(static_cast<float>(args.step - 1 - last_step)), {}};
#pragma unroll
  for (int group = 0; group < kRateGroups; ++group) {
    if (!trains<Kind>(static_cast<RateGroup>(group))) continue;
    missed.drift[group] = args.rates[group].drift[last_step];
  }
  return missed;
}

struct Moments {
  float *value, *first, *second;
};

/// `factor`: on the learning rate.
MOTE_DEVICE void step_parameter(const UpdateArgs& args, Moments at, unsigned plane, float gradient,
                                RateGroup group, const MissedSteps<float>& missed,
                                float factor = 1) {
  const unsigned offset = plane * kBlock;
  const AdamState<float> before{at.value[offset], at.first[offset], at.second[offset]};
  const AdamState<float> s =
      adam_update(catch_up(before, missed, group, factor), gradient,
                  factor * args.rates[static_cast<int>(group)].rate, args.inverse_root);
  at.value[offset] = s.value;
  at.first[offset] = s.first;
  at.second[offset] = s.second;
}

template <class Kind, class Motion, int DEGREE>
MOTE_DEVICE void step_splat(const UpdateArgs& args, unsigned splat, std::size_t geometry,
                            std::size_t sh, const SplatGradient<Kind, Motion, DEGREE, float>& g) {
  using Whole = MovingKind<Kind, Motion>;
  const SplatState& state = args.state;
  const MissedSteps<float> missed = missed_steps<Whole>(args, state.last_step[splat]);
  const Moments at_geometry{state.geometry + geometry, state.geometry_first + geometry,
                            state.geometry_second + geometry};
  const Moments at_sh{state.sh + sh, state.sh_first + sh, state.sh_second + sh};
  float velocity_factor = 1;
  if constexpr (Motion::kHasLife) {
    velocity_factor = velocity_rate_factor(
        at_geometry.value[kPlane<Whole, Field::log_time_sigma> * kBlock],
        at_geometry.value[kPlane<Whole, Field::log_time_plateau> * kBlock], args.velocity_life_s);
  }
#pragma unroll
  for (int f = 0; f < Whole::kFieldCount; ++f) {
    const RateGroup group = group_of(Whole::field(f));
    step_parameter(args, at_geometry, static_cast<unsigned>(f), g.stored.value[f], group, missed,
                   group == RateGroup::velocity ? velocity_factor : 1.0f);
  }
#pragma unroll
  for (int k = 0; k < sh_coefficient_count(DEGREE) * 3; ++k) {
    step_parameter(args, at_sh, static_cast<unsigned>(k), g.sh[k], group_of_sh(k), missed);
  }
  state.last_step[splat] = args.step;
}

template <class Kind, class Motion, int DEGREE>
MOTE_DEVICE void store_gradient(const UpdateArgs& args, std::size_t geometry, std::size_t sh,
                                const SplatGradient<Kind, Motion, DEGREE, float>& g) {
#pragma unroll
  for (unsigned f = 0; f < MovingKind<Kind, Motion>::kFieldCount; ++f) {
    args.gradient_geometry[geometry + f * kBlock] = g.stored.value[f];
  }
  if (args.gradient_sh == nullptr) return;
#pragma unroll
  for (unsigned k = 0; k < static_cast<unsigned>(sh_coefficient_count(DEGREE)) * 3; ++k) {
    args.gradient_sh[sh + k * kBlock] = g.sh[k];
  }
}

/// Adds gradients that reach the mean on another way than through the projection.
template <class Kind, class Motion, int DEGREE>
MOTE_DEVICE void add_mean(const float* means, std::size_t block, std::size_t lane,
                          SplatGradient<Kind, Motion, DEGREE, float>& g) {
  using Whole = MovingKind<Kind, Motion>;
  const float* own = means + block * 3 * kBlock + lane;
  g.stored.value[kPlane<Whole, Field::mean_x>] += own[0];
  g.stored.value[kPlane<Whole, Field::mean_y>] += own[kBlock];
  g.stored.value[kPlane<Whole, Field::mean_z>] += own[2 * kBlock];
}

/// Adds the statistics of densification; a splat with a life by its weight, as on the CPU.
template <class Motion>
MOTE_DEVICE void add_statistics(const UpdateArgs& args, unsigned splat, PixelPoint<float> d_mean_px,
                                float weight) {
  const CameraFloats& camera = args.frame->camera;
  const SplatEllipse ellipse = ellipse_of(args.records[splat]);
  const SplatState& state = args.state;
  float gradient = density_gradient(d_mean_px, camera.width, camera.height);
  unsigned counted = 1;
  if constexpr (Motion::kHasLife) {
    gradient *= weight;
    counted = static_cast<unsigned>(weight * kSeenUnit + 0.5f);
  }
  const SplatStatistics<float> sums =
      with_step({state.gradient_sum[splat], state.radius_px[splat]}, gradient,
                reach_px(ellipse.extent_x, ellipse.extent_y));
  state.gradient_sum[splat] = sums.gradient_sum;
  state.radius_px[splat] = sums.radius_px;
  state.seen[splat] += counted;
}

/// Updates one visible splat and adds to the camera's gradient.
template <class Kind, class Motion, int DEGREE, bool ANTIALIASED>
MOTE_DEVICE void update_splat(const UpdateArgs& args, unsigned splat, MacroRect rect, float* pose) {
  const std::size_t block = splat / kBlock, lane = splat % kBlock;
  using Whole = MovingKind<Kind, Motion>;
  const std::size_t geometry = block * Whole::kFieldCount * kBlock + lane;
  const std::size_t sh = block * args.state.sh_stride + lane;
  const SplatSums<Kind, float> sums = gather_sums<Kind>(args, splat, rect);
  SplatGradient<Kind, Motion, DEGREE, float> g;
  find_gradient<Kind, Motion, DEGREE, ANTIALIASED>(
      view_camera<float>(args.frame->camera), args.frame->time_s,
      load_stored<Whole, float>(
          [&](int p) { return args.shown[geometry + static_cast<unsigned>(p) * kBlock]; }),
      [&](int k, int c) { return args.state.sh[sh + static_cast<unsigned>(k * 3 + c) * kBlock]; },
      sums, RegularizerWeights<float>{args.opacity_weight, args.scale_weight}, g);
  if (args.added_means != nullptr) add_mean(args.added_means, block, lane, g);
  if (!(finite_probe(g) <= 0)) {
    args.broken[atomicAdd(args.broken_count, 1u)] = splat;
    return;
  }
  if (args.pose_partials != nullptr) {
    const Vec3<float> turn = g.d_pose_rotation, move = g.d_pose_translation;
    const float d_pose[kPoseSums] = {turn.x, turn.y, turn.z, move.x, move.y, move.z};
#pragma unroll
    for (int k = 0; k < kPoseSums; ++k) pose[k] = d_pose[k];
    // A splat depends on the time of the view by its distance from the middle of its life.
    if constexpr (Motion::kHasLife) {
      pose[kPoseSums] = -g.stored.template get<Field::time_mean>();
    }
  }
  if (args.gradient_geometry != nullptr) {
    store_gradient(args, geometry, sh, g);
    return;
  }
  step_splat(args, splat, geometry, sh, g);
  add_statistics<Motion>(args, splat, statistic_of(sums, g.d_mean_px, args.absolute), g.weight);
}

template <class Kind, class Motion, int DEGREE, bool ANTIALIASED>
MOTE_KERNEL(kThreads)
update(UpdateArgs args) {
  if (args.counters->overflow != 0) return;
  const unsigned splat = blockIdx.x * kThreads + threadIdx.x;
  const MacroRect rect = splat < args.count ? args.rects[splat] : MacroRect{1, 0, 1, 0};
  constexpr int kSums = pose_sums(Motion::kMotion);
  float pose[kSums] = {};
  if (rect.first_column <= rect.last_column) {
    update_splat<Kind, Motion, DEGREE, ANTIALIASED>(args, splat, rect, pose);
  }
  if (args.pose_partials == nullptr) return;
  const float sum = warp_sums(pose);
  const int place = sum_place(kSums, threadIdx.x % kWarp);
  if (place < 0) return;
  args.pose_partials[splat / kWarp * kSums + static_cast<unsigned>(place)] = sum;
}

using Kernel = void (*)(UpdateArgs);

template <class Kind, class Motion, bool ANTIALIASED>
constexpr Kernel kOfDegree[kMaxShDegree + 1] = {
    update<Kind, Motion, 0, ANTIALIASED>, update<Kind, Motion, 1, ANTIALIASED>,
    update<Kind, Motion, 2, ANTIALIASED>, update<Kind, Motion, 3, ANTIALIASED>,
    update<Kind, Motion, 4, ANTIALIASED>};

}  // namespace

unsigned update_warps(unsigned count) {
  return blocks_for(count, kThreads) * (kThreads / kWarp);
}

void run_update(const UpdateArgs& args, int sh_degree, bool antialiased, cudaStream_t stream) {
  const Kernel kernel =
      visit_moving(args.kind, args.motion, [&]<class Kind, class Motion>() -> Kernel {
        return antialiased ? kOfDegree<Kind, Motion, true>[sh_degree]
                           : kOfDegree<Kind, Motion, false>[sh_degree];
      });
  launch(kernel,
         {.blocks = blocks_for(args.count, kThreads),
          .threads = kThreads,
          .name = "updating the splats"},
         stream, args);
}

}  // namespace mote::cuda
