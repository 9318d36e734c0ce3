// The backward pass of splats and Adam. Compiled once per instruction set.
//
// A block of 16 splats gathers the sums of its visible splats over the bins, propagates them
// through projection and SH, and applies the optimiser at once, so that no gradient is stored.
// Splats out of view are not updated; they catch up when they are next seen (math/adam.h).

#include "cpu/isa_kernels.h"
#include "lanes/pack.h"
#include "lanes/pack_sums.h"
#include "math/adam.h"
#include "splats/kinds/gaussian_block.h"
#include "splats/kinds/gaussian_view.h"
#include "splats/splat_fields.h"

namespace mote::MOTE_ISA {
namespace {

/// Indices of BlendSums in a record.
enum Sum { kRed, kGreen, kBlue, kG, kGx, kGy, kGxx, kGxy, kGyy, kAbsoluteX, kAbsoluteY };

/// The sums of the visible splats of one block.
struct BlockSums {
  alignas(64) float plane[kGradientSums][kBlockSize];
  alignas(64) float reach[kBlockSize];  // larger half extent, px
  std::uint32_t lanes;                  // bit mask of visible lanes
};

/// Iterates over the splats and hits of a part, by block.
struct Reader {
  const UpdateParams& params;
  std::size_t splat = 0, hit = 0;

  bool done() const { return splat == params.count; }
  std::size_t block() const { return params.splats[splat].index / kBlockSize; }

  void read_block(BlockSums& out) {
    const std::size_t here = block();
    out.lanes = 0;
    __builtin_memset(out.plane, 0, sizeof(out.plane));
    __builtin_memset(out.reach, 0, sizeof(out.reach));
    for (; !done() && block() == here; ++splat) {
      const ProjectedSplat& s = params.splats[splat];
      const auto place = static_cast<std::uint32_t>(params.first_place + splat);
      const std::size_t lane = s.index % kBlockSize;
      alignas(16) float total[kGradientSums] = {};
      for (; hit < params.hit_count && params.hits[hit].splat == place; ++hit) {
        const float* record = params.sums + hit * kGradientSums;
        for (int k = 0; k < kGradientSums; ++k) total[k] += record[k];
      }
      for (int k = 0; k < kGradientSums; ++k) out.plane[k][lane] = total[k];
      out.reach[lane] = s.extent_x > s.extent_y ? s.extent_x : s.extent_y;
      out.lanes |= 1u << lane;
    }
  }
};

MOTE_LANE Pack field(const float* geometry, Field f) {
  return load(geometry + static_cast<std::size_t>(f) * kBlockSize);
}

MOTE_LANE SplatParameters<Pack> load_splats(const float* geometry) {
  return {{field(geometry, Field::mean_x), field(geometry, Field::mean_y),
           field(geometry, Field::mean_z)},
          {field(geometry, Field::log_scale_x), field(geometry, Field::log_scale_y),
           field(geometry, Field::log_scale_z)},
          {field(geometry, Field::rotation_w), field(geometry, Field::rotation_x),
           field(geometry, Field::rotation_y), field(geometry, Field::rotation_z)},
          field(geometry, Field::logit_opacity)};
}

/// Gradients by the stored parameters, in the order of Field and of the SH coefficients.
template <int DEGREE>
struct PackGradient {
  Pack geometry[kFieldCount];
  Pack sh[sh_coefficient_count(DEGREE) * 3];
};

struct PackPose {
  Vec3<Pack> rotation, translation;
};

/// The gradient of one pack from its sums.
template <int DEGREE, bool ANTIALIASED>
MOTE_LANE PackPose pack_gradient(const UpdateParams& params, const ViewCamera<Pack>& camera,
                                 const SplatParameters<Pack>& splats, const float* sh,
                                 const BlockSums& sums, std::size_t first, PixelPoint<Pack>& d_mean,
                                 PackGradient<DEGREE>& out) {
  const auto sum = [&](Sum s) { return load(sums.plane[s] + first); };
  const GaussianView<Pack> view = view_gaussian(camera, splats);
  const Vec3<Pack> d_color{sum(kRed), sum(kGreen), sum(kBlue)};
  ViewGradient<Pack> g;
  g.d_mean_px = d_mean = mean_gradient(view.conic, sum(kGx), sum(kGy));
  g.d_conic = conic_gradient(sum(kGxx), sum(kGxy), sum(kGyy));
  g.d_log_opacity = sum(kG);
  g.d_direction = sh_colors_vjp<DEGREE>(
      normalize(view.offset_world),
      [&](int k, int c) { return load(sh + static_cast<std::size_t>(k * 3 + c) * kBlockSize); },
      d_color, [&](int k, int c, Pack d) { out.sh[k * 3 + c] = d; });
  const SplatGradient<Pack> d = view_gaussian_vjp<ANTIALIASED>(camera, splats, view, g);
  const Pack opacity_weight(params.opacity_weight), scale_weight(params.scale_weight);
  const Pack values[kFieldCount] = {d.d.mean_world.x,
                                    d.d.mean_world.y,
                                    d.d.mean_world.z,
                                    fma(scale_weight, view.scale.x, d.d.log_scale.x),
                                    fma(scale_weight, view.scale.y, d.d.log_scale.y),
                                    fma(scale_weight, view.scale.z, d.d.log_scale.z),
                                    d.d.rotation.w,
                                    d.d.rotation.x,
                                    d.d.rotation.y,
                                    d.d.rotation.z,
                                    d.d.logit_opacity + sigmoid_vjp(view.opacity, opacity_weight)};
  for (int f = 0; f < kFieldCount; ++f) out.geometry[f] = values[f];
  return {d.d_pose_rotation, d.d_pose_translation};
}

/// The lanes whose whole gradient is finite.
template <int DEGREE>
MOTE_LANE PackMask finite_lanes(const PackGradient<DEGREE>& g) {
  Pack sum;
  for (const Pack& d : g.geometry) sum = fma(d, Pack(0.0f), sum);
  for (const Pack& d : g.sh) sum = fma(d, Pack(0.0f), sum);
  return sum <= Pack(0.0f);
}

/// The steps that the lanes of a pack missed since their last update.
struct Missed {
  bool some;
  AdamDecay<Pack> decay;
  Pack drift[kRateGroups];
};

MOTE_LANE Missed missed_steps(const UpdateParams& params, const std::uint32_t* last_step,
                              PackMask updated) {
  const hn::RebindToSigned<PackTag> integer_tag;
  Missed missed{};
  const auto last = hn::Load(integer_tag, reinterpret_cast<const std::int32_t*>(last_step));
  const auto since =
      hn::Sub(hn::Set(integer_tag, static_cast<std::int32_t>(params.step) - 1), last);
  const Pack steps = keep(updated, Pack(hn::ConvertTo(PackTag(), since)));
  missed.some = any(steps > Pack(0.0f));
  if (!missed.some) return missed;
  missed.decay = adam_decay(steps);
  for (int group = 0; group < kRateGroups; ++group) {
    missed.drift[group] = Pack(hn::GatherIndex(PackTag(), params.rates[group].drift, last));
  }
  return missed;
}

struct Moments {
  float *value, *first, *second;
};

MOTE_LANE void step_plane(const UpdateParams& params, Moments at, std::size_t plane, Pack gradient,
                          RateGroup group, PackMask updated, const Missed& missed) {
  const std::size_t offset = plane * kBlockSize;
  const AdamState<Pack> before{load(at.value + offset), load(at.first + offset),
                               load(at.second + offset)};
  AdamState<Pack> s = before;
  const auto place = static_cast<std::size_t>(group);
  if (missed.some) s = adam_catch_up(s, missed.decay, missed.drift[place]);
  s = adam_update(s, gradient, Pack(params.rates[place].rate), Pack(params.inverse_root));
  store(select(updated, s.value, before.value), at.value + offset);
  store(select(updated, s.first, before.first), at.first + offset);
  store(select(updated, s.second, before.second), at.second + offset);
}

template <int DEGREE>
MOTE_LANE void step_pack(const UpdateParams& params, std::size_t block, std::size_t first,
                         const PackGradient<DEGREE>& g, PackMask updated) {
  const SplatState& state = params.state;
  std::uint32_t* last_step = state.last_step + block * kBlockSize + first;
  const Missed missed = missed_steps(params, last_step, updated);
  const std::size_t geometry = block * kFieldCount * kBlockSize + first;
  const std::size_t sh = block * state.sh_stride + first;
  const Moments at_geometry{state.geometry + geometry, state.geometry_first + geometry,
                            state.geometry_second + geometry};
  const Moments at_sh{state.sh + sh, state.sh_first + sh, state.sh_second + sh};
  for (std::size_t f = 0; f < kFieldCount; ++f) {
    step_plane(params, at_geometry, f, g.geometry[f], group_of(static_cast<Field>(f)), updated,
               missed);
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(sh_coefficient_count(DEGREE)) * 3; ++k) {
    step_plane(params, at_sh, k, g.sh[k], k < 3 ? RateGroup::sh_0 : RateGroup::sh_rest, updated,
               missed);
  }
  const hn::RebindToUnsigned<PackTag> tag;
  hn::Store(hn::IfThenElse(hn::RebindMask(tag, updated.value), hn::Set(tag, params.step),
                           hn::Load(tag, last_step)),
            tag, last_step);
}

template <int DEGREE>
MOTE_LANE void store_gradient(const UpdateParams& params, std::size_t block, std::size_t first,
                              const PackGradient<DEGREE>& g, PackMask valid) {
  float* geometry = params.gradient_geometry + block * kFieldCount * kBlockSize + first;
  float* sh = params.gradient_sh + block * params.state.sh_stride + first;
  for (std::size_t f = 0; f < kFieldCount; ++f) {
    store(keep(valid, g.geometry[f]), geometry + f * kBlockSize);
  }
  for (std::size_t k = 0; k < static_cast<std::size_t>(sh_coefficient_count(DEGREE)) * 3; ++k) {
    store(keep(valid, g.sh[k]), sh + k * kBlockSize);
  }
}

/// Adds the statistics of densification: the gradient's norm in normalised device coordinates.
MOTE_LANE void add_statistics(const UpdateParams& params, std::size_t block, std::size_t first,
                              const BlockSums& sums, PixelPoint<Pack> d_mean, PackMask updated) {
  const std::size_t at = block * kBlockSize + first;
  const SplatState& state = params.state;
  if (params.absolute) {
    d_mean = {load(sums.plane[kAbsoluteX] + first), load(sums.plane[kAbsoluteY] + first)};
  }
  const Pack x = d_mean.x * Pack(0.5f * params.projection.camera.width);
  const Pack y = d_mean.y * Pack(0.5f * params.projection.camera.height);
  const Pack norm = sqrt(fma(x, x, y * y));
  store(load(state.gradient_sum + at) + keep(updated, norm), state.gradient_sum + at);
  store(max(load(state.radius_px + at), keep(updated, load(sums.reach + first))),
        state.radius_px + at);
  const hn::RebindToUnsigned<PackTag> tag;
  const auto one = hn::IfThenElseZero(hn::RebindMask(tag, updated.value), hn::Set(tag, 1u));
  hn::Store(hn::Add(hn::Load(tag, state.seen + at), one), tag, state.seen + at);
}

MOTE_LANE PackMask lane_mask(std::uint32_t lanes, std::size_t first) {
  const std::uint16_t bits = static_cast<std::uint16_t>(lanes >> first);
  std::uint8_t bytes[8] = {static_cast<std::uint8_t>(bits & 0xff),
                           static_cast<std::uint8_t>(bits >> 8)};
  return {hn::LoadMaskBits(PackTag(), bytes)};
}

struct PoseSums {
  alignas(64) float sum[8];  // rotation x, y, z, -, translation x, y, z, -
};

template <int DEGREE, bool ANTIALIASED>
UpdateResult update_blocks(const UpdateParams& params) {
  UpdateResult result{};
  const ViewCamera<Pack> camera = view_camera<Pack>(params.projection.camera);
  Reader reader{params};
  BlockSums sums;
  while (!reader.done()) {
    const std::size_t block = reader.block();
    reader.read_block(sums);
    PoseSums pose{};
    for (std::size_t first = 0; first < kBlockSize; first += kPackLanes) {
      const PackMask visible = lane_mask(sums.lanes, first);
      if (!any(visible)) continue;
      const float* geometry = params.projection.geometry + block * kFieldCount * kBlockSize + first;
      const float* sh = params.projection.sh + block * params.projection.sh_stride + first;
      PackGradient<DEGREE> g;
      PixelPoint<Pack> d_mean;
      const PackPose d_pose = pack_gradient<DEGREE, ANTIALIASED>(
          params, camera, load_splats(geometry), sh, sums, first, d_mean, g);
      const PackMask good = visible & finite_lanes(g);
      for (std::uint32_t bad = mask_bits(visible) & ~mask_bits(good); bad != 0; bad &= bad - 1) {
        const auto lane = static_cast<std::size_t>(__builtin_ctz(bad));
        params.broken[result.broken++] =
            static_cast<std::uint32_t>(block * kBlockSize + first + lane);
      }
      const Vec3<Pack> turn = d_pose.rotation, move = d_pose.translation;
      add_lane_sums(keep(good, turn.x), keep(good, turn.y), keep(good, turn.z), Pack(), pose.sum);
      add_lane_sums(keep(good, move.x), keep(good, move.y), keep(good, move.z), Pack(),
                    pose.sum + 4);
      if (params.gradient_geometry != nullptr) {
        store_gradient<DEGREE>(params, block, first, g, good);
        continue;
      }
      step_pack<DEGREE>(params, block, first, g, good);
      add_statistics(params, block, first, sums, d_mean, good);
    }
    for (int k = 0; k < 3; ++k) {
      result.d_pose_rotation[k] += static_cast<double>(pose.sum[k]);
      result.d_pose_translation[k] += static_cast<double>(pose.sum[k + 4]);
    }
  }
  return result;
}

using UpdateFunction = UpdateResult (*)(const UpdateParams&);

constexpr UpdateFunction kUpdate[2][kMaxShDegree + 1] = {
    {update_blocks<0, false>, update_blocks<1, false>, update_blocks<2, false>,
     update_blocks<3, false>, update_blocks<4, false>},
    {update_blocks<0, true>, update_blocks<1, true>, update_blocks<2, true>, update_blocks<3, true>,
     update_blocks<4, true>}};

}  // namespace

UpdateResult update(const UpdateParams& params) {
  return kUpdate[params.projection.antialiased ? 1 : 0][params.projection.sh_degree](params);
}

}  // namespace mote::MOTE_ISA
