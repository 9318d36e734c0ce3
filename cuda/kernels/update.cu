// The backward pass of splats and Adam, one thread per splat. It gathers the splat's sums over its
// macro tiles, propagates them through projection and SH, and applies the optimiser at once, so
// that no gradient is stored. Splats out of view are not updated; they catch up when they are next
// seen (math/adam.h).

#include "cuda/kernels/update.h"

#include "cuda/dialect.h"
#include "cuda/kernels/integers.h"
#include "cuda/kernels/macro_tiles.h"
#include "cuda/runtime.h"
#include "math/adam.h"
#include "splats/kinds/gaussian_view.h"

namespace mote::cuda {
namespace {

constexpr int kThreads = 128;
constexpr unsigned kBlock = kBlockSize;

/// Sums over the splat's slots.
struct SplatSums {
  float sum[kGradientSums];
};

MOTE_DEVICE SplatSums gather_sums(const UpdateArgs& args, unsigned splat, MacroRect rect) {
  SplatSums total{};
  const std::size_t first = args.first_slots[splat], count = slot_count(rect);
  for (std::size_t slot = first; slot < first + count; ++slot) {
    const auto* record = reinterpret_cast<const float4*>(args.slots + slot * kGradientSums);
#pragma unroll
    for (int v = 0; v < kGradientSums / 4; ++v) {
      const float4 four = record[v];
      total.sum[4 * v] += four.x;
      total.sum[4 * v + 1] += four.y;
      total.sum[4 * v + 2] += four.z;
      total.sum[4 * v + 3] += four.w;
    }
  }
  return total;
}

MOTE_DEVICE SplatParameters<float> load_splat(const float* geometry) {
  const auto field = [&](Field f) { return geometry[static_cast<unsigned>(f) * kBlock]; };
  return {{field(Field::mean_x), field(Field::mean_y), field(Field::mean_z)},
          {field(Field::log_scale_x), field(Field::log_scale_y), field(Field::log_scale_z)},
          {field(Field::rotation_w), field(Field::rotation_x), field(Field::rotation_y),
           field(Field::rotation_z)},
          field(Field::logit_opacity)};
}

/// Gradients by the stored parameters, in the order of Field and of the SH coefficients, and the
/// other results of the splat's sums.
template <int DEGREE>
struct Gradient {
  float geometry[kFieldCount];
  float sh[sh_coefficient_count(DEGREE) * 3];
  PixelPoint<float> d_mean_px;
  float pose[kPoseSums];
};

template <int DEGREE, bool ANTIALIASED>
MOTE_DEVICE void find_gradient(const UpdateArgs& args, const float* geometry, const float* sh,
                               const SplatSums& s, Gradient<DEGREE>& out) {
  const ViewCamera<float> camera = view_camera<float>(args.frame->camera);
  const SplatParameters<float> splat = load_splat(geometry);
  const GaussianView<float> view = view_gaussian(camera, splat);
  ViewGradient<float> g;
  g.d_mean_px = out.d_mean_px = mean_gradient(view.conic, s.sum[4], s.sum[5]);
  g.d_conic = conic_gradient(s.sum[6], s.sum[7], s.sum[8]);
  g.d_log_opacity = s.sum[3];
  g.d_direction = sh_colors_vjp<DEGREE>(
      normalize(view.offset_world),
      [&](int k, int c) { return sh[static_cast<unsigned>(k * 3 + c) * kBlock]; },
      Vec3<float>{s.sum[0], s.sum[1], s.sum[2]},
      [&](int k, int c, float d) { out.sh[k * 3 + c] = d; });
  const SplatGradient<float> d = view_gaussian_vjp<ANTIALIASED>(camera, splat, view, g);
  const float values[kFieldCount] = {
      d.d.mean_world.x,
      d.d.mean_world.y,
      d.d.mean_world.z,
      fma(args.scale_weight, view.scale.x, d.d.log_scale.x),
      fma(args.scale_weight, view.scale.y, d.d.log_scale.y),
      fma(args.scale_weight, view.scale.z, d.d.log_scale.z),
      d.d.rotation.w,
      d.d.rotation.x,
      d.d.rotation.y,
      d.d.rotation.z,
      d.d.logit_opacity + sigmoid_vjp(view.opacity, args.opacity_weight)};
#pragma unroll
  for (int f = 0; f < kFieldCount; ++f) out.geometry[f] = values[f];
  const Vec3<float> turn = d.d_pose_rotation, move = d.d_pose_translation;
  const float pose[kPoseSums] = {turn.x, turn.y, turn.z, move.x, move.y, move.z};
#pragma unroll
  for (int k = 0; k < kPoseSums; ++k) out.pose[k] = pose[k];
}

template <int DEGREE>
MOTE_DEVICE bool is_finite(const Gradient<DEGREE>& g) {
  float sum = 0;
#pragma unroll
  for (const float d : g.geometry) sum = fma(d, 0.0f, sum);
#pragma unroll
  for (const float d : g.sh) sum = fma(d, 0.0f, sum);
  return sum <= 0;
}

/// The steps that a splat missed since its last update.
struct Missed {
  AdamDecay<float> decay;
  float drift[kRateGroups];
};

MOTE_DEVICE Missed missed_steps(const UpdateArgs& args, unsigned last_step) {
  Missed missed{adam_decay(static_cast<float>(args.step - 1 - last_step)), {}};
#pragma unroll
  for (int group = 0; group < kRateGroups; ++group) {
    missed.drift[group] = args.rates[group].drift[last_step];
  }
  return missed;
}

struct Moments {
  float *value, *first, *second;
};

MOTE_DEVICE void step_parameter(const UpdateArgs& args, Moments at, unsigned plane, float gradient,
                                RateGroup group, const Missed& missed) {
  const unsigned offset = plane * kBlock;
  const auto place = static_cast<int>(group);
  const AdamState<float> caught_up =
      adam_catch_up(AdamState<float>{at.value[offset], at.first[offset], at.second[offset]},
                    missed.decay, missed.drift[place]);
  const AdamState<float> s =
      adam_update(caught_up, gradient, args.rates[place].rate, args.inverse_root);
  at.value[offset] = s.value;
  at.first[offset] = s.first;
  at.second[offset] = s.second;
}

template <int DEGREE>
MOTE_DEVICE void step_splat(const UpdateArgs& args, unsigned splat, std::size_t geometry,
                            std::size_t sh, const Gradient<DEGREE>& g) {
  const SplatState& state = args.state;
  const Missed missed = missed_steps(args, state.last_step[splat]);
  const Moments at_geometry{state.geometry + geometry, state.geometry_first + geometry,
                            state.geometry_second + geometry};
  const Moments at_sh{state.sh + sh, state.sh_first + sh, state.sh_second + sh};
#pragma unroll
  for (unsigned f = 0; f < kFieldCount; ++f) {
    step_parameter(args, at_geometry, f, g.geometry[f], group_of(static_cast<Field>(f)), missed);
  }
#pragma unroll
  for (unsigned k = 0; k < static_cast<unsigned>(sh_coefficient_count(DEGREE)) * 3; ++k) {
    step_parameter(args, at_sh, k, g.sh[k], k < 3 ? RateGroup::sh_0 : RateGroup::sh_rest, missed);
  }
  state.last_step[splat] = args.step;
}

template <int DEGREE>
MOTE_DEVICE void store_gradient(const UpdateArgs& args, std::size_t geometry, std::size_t sh,
                                const Gradient<DEGREE>& g) {
#pragma unroll
  for (unsigned f = 0; f < kFieldCount; ++f) {
    args.gradient_geometry[geometry + f * kBlock] = g.geometry[f];
  }
#pragma unroll
  for (unsigned k = 0; k < static_cast<unsigned>(sh_coefficient_count(DEGREE)) * 3; ++k) {
    args.gradient_sh[sh + k * kBlock] = g.sh[k];
  }
}

/// Adds the statistics of densification: the gradient's norm in normalised device coordinates.
MOTE_DEVICE void add_statistics(const UpdateArgs& args, unsigned splat, const SplatSums& s,
                                PixelPoint<float> d_mean) {
  if (args.absolute) d_mean = {s.sum[9], s.sum[10]};
  const float x = d_mean.x * (0.5f * args.frame->camera.width);
  const float y = d_mean.y * (0.5f * args.frame->camera.height);
  const SplatEllipse ellipse = ellipse_of(args.records[splat]);
  const SplatState& state = args.state;
  state.gradient_sum[splat] += sqrt(fma(x, x, y * y));
  state.radius_px[splat] = max(state.radius_px[splat], max(ellipse.extent_x, ellipse.extent_y));
  ++state.seen[splat];
}

/// Updates one visible splat and adds to the camera's gradient.
template <int DEGREE, bool ANTIALIASED>
MOTE_DEVICE void update_splat(const UpdateArgs& args, unsigned splat, MacroRect rect, float* pose) {
  const std::size_t block = splat / kBlock, lane = splat % kBlock;
  const std::size_t geometry = block * kFieldCount * kBlock + lane;
  const std::size_t sh = block * args.state.sh_stride + lane;
  const SplatSums sums = gather_sums(args, splat, rect);
  Gradient<DEGREE> g;
  find_gradient<DEGREE, ANTIALIASED>(args, args.state.geometry + geometry, args.state.sh + sh, sums,
                                     g);
  if (!is_finite(g)) {
    args.broken[atomicAdd(args.broken_count, 1u)] = splat;
    return;
  }
#pragma unroll
  for (int k = 0; k < kPoseSums; ++k) pose[k] = g.pose[k];
  if (args.gradient_geometry != nullptr) {
    store_gradient(args, geometry, sh, g);
    return;
  }
  step_splat(args, splat, geometry, sh, g);
  add_statistics(args, splat, sums, g.d_mean_px);
}

template <int DEGREE, bool ANTIALIASED>
MOTE_KERNEL(kThreads)
update(UpdateArgs args) {
  if (args.counters->overflow != 0) return;
  const unsigned splat = blockIdx.x * kThreads + threadIdx.x;
  const MacroRect rect = splat < args.count ? args.rects[splat] : MacroRect{1, 0, 1, 0};
  float pose[kPoseSums] = {};
  if (rect.first_column <= rect.last_column) {
    update_splat<DEGREE, ANTIALIASED>(args, splat, rect, pose);
  }
  const float sum = warp_sums(pose);
  const int place = sum_place(kPoseSums, threadIdx.x % kWarp);
  if (place < 0) return;
  args.pose_partials[splat / kWarp * kPoseSums + static_cast<unsigned>(place)] = sum;
}

using Kernel = void (*)(UpdateArgs);
constexpr Kernel kKernels[2][kMaxShDegree + 1] = {
    {update<0, false>, update<1, false>, update<2, false>, update<3, false>, update<4, false>},
    {update<0, true>, update<1, true>, update<2, true>, update<3, true>, update<4, true>}};

}  // namespace

unsigned update_warps(unsigned count) {
  return blocks_for(count, kThreads) * (kThreads / kWarp);
}

void run_update(const UpdateArgs& args, int sh_degree, bool antialiased, cudaStream_t stream) {
  launch(kKernels[antialiased ? 1 : 0][sh_degree],
         {.blocks = blocks_for(args.count, kThreads),
          .threads = kThreads,
          .name = "updating the splats"},
         stream, args);
}

}  // namespace mote::cuda
