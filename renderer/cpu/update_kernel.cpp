// The backward pass of splats and Adam. Compiled once per instruction set.
//
// For each block of 16 splats, the kernel gathers the sums of visible splats over the bins,
// propagates them through projection and SH, and applies the optimiser at once. No gradient is
// stored. Splats out of view are not updated; they catch up when they are next seen (math/adam.h).
//
// The gradient of the SH has a function for each degree: inlined into those of each kind and
// motion, it would be compiled a dozen times.

#include "cpu/isa_kernels.h"
#include "lanes/pack.h"
#include "lanes/pack_sums.h"
#include "pipeline/update.h"
#include "splats/kinds/kinds.h"
#include "splats/motions/motions.h"

namespace mote::MOTE_ISA {
namespace {

/// The sums of the visible splats of one block.
template <class Kind>
struct BlockSums {
  alignas(64) float plane[kPaddedSums<Kind>][kBlockSize];
  alignas(64) float reach[kBlockSize];  // reach_px()
  std::uint32_t lanes;                  // bit mask of visible lanes
};

/// Iterates over the splats and hits of a part, block by block.
template <class Kind>
struct Reader {
  const UpdateParams& params;
  std::size_t splat = 0, hit = 0;

  bool done() const { return splat == params.count; }
  std::size_t block() const { return params.splats[splat].index / kBlockSize; }

  void read_block(BlockSums<Kind>& out) {
    constexpr int kSums = kPaddedSums<Kind>;
    const std::size_t here = block();
    out.lanes = 0;
    __builtin_memset(out.plane, 0, sizeof(out.plane));
    __builtin_memset(out.reach, 0, sizeof(out.reach));
    for (; !done() && block() == here; ++splat) {
      const ProjectedSplat& s = params.splats[splat];
      const auto place = static_cast<std::uint32_t>(params.first_place + splat);
      const std::size_t lane = s.index % kBlockSize;
      alignas(16) float total[kSums] = {};
      for (; hit < params.hit_count && params.hits[hit].splat == place; ++hit) {
        const float* record = params.sums + hit * kSums;
        for (int k = 0; k < kSums; ++k) total[k] += record[k];
      }
      for (int k = 0; k < kSums; ++k) out.plane[k][lane] = total[k];
      out.reach[lane] = reach_px(s.extent_x, s.extent_y);
      out.lanes |= 1u << lane;
    }
  }
};

template <class Kind>
MOTE_LANE SplatSums<Kind, Pack> load_sums(const BlockSums<Kind>& sums, std::size_t first) {
  SplatSums<Kind, Pack> result;
  for (int k = 0; k < Kind::kSums; ++k) result.value[k] = load(sums.plane[k] + first);
  return result;
}

/// The effect of the steps since the last update of a pack's lanes.
struct Missed {
  bool some;
  MissedSteps<Pack> steps;
};

template <class Kind>
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
  missed.steps.decay = adam_decay(steps);
  for (int group = 0; group < kRateGroups; ++group) {
    if (!trains<Kind>(static_cast<RateGroup>(group))) continue;
    missed.steps.drift[group] = Pack(hn::GatherIndex(PackTag(), params.rates[group].drift, last));
  }
  return missed;
}

/// The gradient of a pack's SH.
struct ShPack {
  int values = 0;  // three for each coefficient
  Pack d[sh_coefficient_count(kMaxShDegree) * 3];
};

/// Sets the gradient of a pack's SH, and `d_direction`, from that of its colour. `sh` points at the
/// first lane.
template <int DEGREE>
void find_sh_gradient(const float* sh, const Vec3<Pack>& direction, const Vec3<Pack>& d_color,
                      Pack* d_sh, Vec3<Pack>& d_direction) {
  d_direction = sh_colors_vjp<DEGREE>(
      direction,
      [&](int k, int c) { return load(sh + static_cast<std::size_t>(k * 3 + c) * kBlockSize); },
      d_color, [&](int k, int c, Pack d) { d_sh[k * 3 + c] = d; });
}

using ShGradientFunction = void (*)(const float*, const Vec3<Pack>&, const Vec3<Pack>&, Pack*,
                                    Vec3<Pack>&);
/// Index: degree.
constexpr ShGradientFunction kShGradient[kMaxShDegree + 1] = {
    find_sh_gradient<0>, find_sh_gradient<1>, find_sh_gradient<2>, find_sh_gradient<3>,
    find_sh_gradient<4>};

MOTE_LANE Pack finite_probe(const ShPack& sh) {
  Pack sum(0.0f);
  for (int k = 0; k < sh.values; ++k) sum = fma(sh.d[k], Pack(0.0f), sum);
  return sum;
}

struct Moments {
  float *value, *first, *second;
};

/// `factor`: on the learning rate.
MOTE_LANE void step_plane(const UpdateParams& params, Moments at, std::size_t plane, Pack gradient,
                          RateGroup group, PackMask updated, const Missed& missed,
                          Pack factor = Pack(1.0f)) {
  const std::size_t offset = plane * kBlockSize;
  const AdamState<Pack> before{load(at.value + offset), load(at.first + offset),
                               load(at.second + offset)};
  const Pack rate = factor * Pack(params.rates[static_cast<std::size_t>(group)].rate);
  const Pack inverse_root(params.inverse_root);
  AdamState<Pack> s = before;
  if (missed.some) s = catch_up(s, missed.steps, group, factor);
  s = adam_update(s, gradient, rate, inverse_root);
  store(select(updated, s.value, before.value), at.value + offset);
  store(select(updated, s.first, before.first), at.first + offset);
  store(select(updated, s.second, before.second), at.second + offset);
}

template <class Kind, class Motion>
MOTE_LANE void step_pack(const UpdateParams& params, std::size_t block, std::size_t first,
                         const GeometryGradient<Kind, Motion, Pack>& g, const ShPack& d_sh,
                         PackMask updated) {
  using Whole = MovingKind<Kind, Motion>;
  const SplatState& state = params.state;
  std::uint32_t* last_step = state.last_step + block * kBlockSize + first;
  const Missed missed = missed_steps<Whole>(params, last_step, updated);
  const std::size_t geometry = block * Whole::kFieldCount * kBlockSize + first;
  const std::size_t sh = block * state.sh_stride + first;
  const Moments at_geometry{state.geometry + geometry, state.geometry_first + geometry,
                            state.geometry_second + geometry};
  const Moments at_sh{state.sh + sh, state.sh_first + sh, state.sh_second + sh};
  Pack velocity_factor(1.0f);
  int trained = Whole::kFieldCount;
  if constexpr (Motion::kHasLife) {
    const Pack log_plateau =
        load(at_geometry.value + kPlane<Whole, Field::log_time_plateau> * kBlockSize);
    velocity_factor = velocity_rate_factor(
        load(at_geometry.value + kPlane<Whole, Field::log_time_sigma> * kBlockSize), log_plateau,
        params.velocity_life_s);
    // The values of the motion come last. Their gradients and moments are 0 in static splats, so
    // that a step would not change them.
    const PackMask moves = updated & is_movable(log_plateau);
    if (!any(moves)) trained = Kind::kFieldCount;
  }
  for (int f = 0; f < trained; ++f) {
    const RateGroup group = group_of(Whole::field(f));
    step_plane(params, at_geometry, static_cast<std::size_t>(f), g.stored.value[f], group, updated,
               missed, group == RateGroup::velocity ? velocity_factor : Pack(1.0f));
  }
  for (int k = 0; k < d_sh.values; ++k) {
    step_plane(params, at_sh, static_cast<std::size_t>(k), d_sh.d[k], group_of_sh(k), updated,
               missed);
  }
  const hn::RebindToUnsigned<PackTag> tag;
  hn::Store(hn::IfThenElse(hn::RebindMask(tag, updated.value), hn::Set(tag, params.step),
                           hn::Load(tag, last_step)),
            tag, last_step);
}

template <class Kind, class Motion>
MOTE_LANE void store_gradient(const UpdateParams& params, std::size_t block, std::size_t first,
                              const GeometryGradient<Kind, Motion, Pack>& g, const ShPack& d_sh,
                              PackMask valid) {
  constexpr std::size_t kFieldCount = MovingKind<Kind, Motion>::kFieldCount;
  float* geometry = params.gradient_geometry + block * kFieldCount * kBlockSize + first;
  for (std::size_t f = 0; f < kFieldCount; ++f) {
    store(keep(valid, g.stored.value[f]), geometry + f * kBlockSize);
  }
  if (params.gradient_sh == nullptr) return;
  float* sh = params.gradient_sh + block * params.state.sh_stride + first;
  for (int k = 0; k < d_sh.values; ++k) {
    store(keep(valid, d_sh.d[k]), sh + static_cast<std::size_t>(k) * kBlockSize);
  }
}

/// Adds gradients that reach the means on another way than through the projection.
template <class Kind, class Motion>
MOTE_LANE void add_means(const float* means, std::size_t block, std::size_t first,
                         GeometryGradient<Kind, Motion, Pack>& g) {
  using Whole = MovingKind<Kind, Motion>;
  constexpr int kMean[3] = {kPlane<Whole, Field::mean_x>, kPlane<Whole, Field::mean_y>,
                            kPlane<Whole, Field::mean_z>};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Pack& d = g.stored.value[kMean[axis]];
    d = d + load(means + (block * 3 + axis) * kBlockSize + first);
  }
}

/// Adds a step to the statistics of densification. The step of a splat with a life counts by its
/// weight, in units of 1 / kSeenUnit; otherwise short lives would look as if they needed nothing.
template <class Motion>
MOTE_LANE void add_statistics(const UpdateParams& params, std::size_t block, std::size_t first,
                              PixelPoint<Pack> d_mean_px, Pack weight, const float* reach,
                              PackMask updated) {
  const std::size_t at = block * kBlockSize + first;
  const SplatState& state = params.state;
  const CameraFloats& camera = params.projection.camera;
  Pack gradient = density_gradient<Pack>(d_mean_px, camera.width, camera.height);
  if constexpr (Motion::kHasLife) gradient = gradient * weight;
  const SplatStatistics<Pack> sums =
      with_step({load(state.gradient_sum + at), load(state.radius_px + at)},
                keep(updated, gradient), keep(updated, load(reach + first)));
  store(sums.gradient_sum, state.gradient_sum + at);
  store(sums.radius_px, state.radius_px + at);
  const hn::RebindToUnsigned<PackTag> tag;
  auto counted = hn::Set(tag, 1u);
  if constexpr (Motion::kHasLife) {
    counted = hn::BitCast(tag, hn::NearestInt((weight * Pack(kSeenUnit)).value));
  }
  const auto one = hn::IfThenElseZero(hn::RebindMask(tag, updated.value), counted);
  hn::Store(hn::Add(hn::Load(tag, state.seen + at), one), tag, state.seen + at);
}

MOTE_LANE PackMask lane_mask(std::uint32_t lanes, std::size_t first) {
  const std::uint16_t bits = static_cast<std::uint16_t>(lanes >> first);
  std::uint8_t bytes[8] = {static_cast<std::uint8_t>(bits & 0xff),
                           static_cast<std::uint8_t>(bits >> 8)};
  return {hn::LoadMaskBits(PackTag(), bytes)};
}

/// The gradient of the view, summed over a block.
struct ViewSums {
  alignas(16) float rotation[4], translation[4];  // x, y, z and an unused lane
  alignas(16) float time[4];                      // of the view, and three unused lanes
};

template <class Kind, class Motion, bool ANTIALIASED>
UpdateResult update_blocks(const UpdateParams& params) {
  using Whole = MovingKind<Kind, Motion>;
  UpdateResult result{};
  const ProjectParams& from = params.projection;
  const ViewCamera<Pack> camera = view_camera<Pack>(from.camera);
  const RegularizerWeights<Pack> weights{params.opacity_weight, params.scale_weight};
  Reader<Kind> reader{params};
  BlockSums<Kind> block_sums;
  const ShGradientFunction sh_gradient = kShGradient[from.sh_degree];
  ShPack d_sh;
  d_sh.values = sh_coefficient_count(from.sh_degree) * 3;
  while (!reader.done()) {
    const std::size_t block = reader.block();
    reader.read_block(block_sums);
    ViewSums of_view{};
    for (std::size_t first = 0; first < kBlockSize; first += kPackLanes) {
      const PackMask visible = lane_mask(block_sums.lanes, first);
      if (!any(visible)) continue;
      const float* geometry = from.geometry + block * Whole::kFieldCount * kBlockSize + first;
      const float* sh = from.sh + block * from.sh_stride + first;
      const SplatSums<Kind, Pack> sums = load_sums(block_sums, first);
      GeometryGradient<Kind, Motion, Pack> g;
      find_geometry_gradient<Kind, Motion, ANTIALIASED>(
          camera, Pack(from.time_s), load_stored<Whole, Pack>([&](int p) {
            return load(geometry + static_cast<std::size_t>(p) * kBlockSize);
          }),
          [&](const Vec3<Pack>& direction, const Vec3<Pack>& d_color) {
            Vec3<Pack> d_direction;
            sh_gradient(sh, direction, d_color, d_sh.d, d_direction);
            return d_direction;
          },
          sums, weights, g);
      if (params.added_means != nullptr) add_means(params.added_means, block, first, g);
      const PackMask good = visible & (finite_probe(g) + finite_probe(d_sh) <= Pack(0.0f));
      for (std::uint32_t bad = mask_bits(visible) & ~mask_bits(good); bad != 0; bad &= bad - 1) {
        const auto lane = static_cast<std::size_t>(__builtin_ctz(bad));
        params.broken[result.broken++] =
            static_cast<std::uint32_t>(block * kBlockSize + first + lane);
      }
      if (params.pose_gradient) {
        const Vec3<Pack> turn = g.d_pose_rotation, move = g.d_pose_translation;
        add_lane_sums(keep(good, turn.x), keep(good, turn.y), keep(good, turn.z), Pack(),
                      of_view.rotation);
        add_lane_sums(keep(good, move.x), keep(good, move.y), keep(good, move.z), Pack(),
                      of_view.translation);
      }
      if constexpr (Motion::kHasLife) {
        // A splat depends on the time of the view by its distance from the middle of its life.
        if (params.time_gradient) {
          add_lane_sums(keep(good, -g.stored.template get<Field::time_mean>()), Pack(), Pack(),
                        Pack(), of_view.time);
        }
      }
      if (params.gradient_geometry != nullptr) {
        store_gradient(params, block, first, g, d_sh, good);
        continue;
      }
      step_pack(params, block, first, g, d_sh, good);
      add_statistics<Motion>(params, block, first, statistic_of(sums, g.d_mean_px, params.absolute),
                             g.weight, block_sums.reach, good);
    }
    for (int k = 0; k < 3; ++k) {
      result.d_pose_rotation[k] += static_cast<double>(of_view.rotation[k]);
      result.d_pose_translation[k] += static_cast<double>(of_view.translation[k]);
    }
    result.d_time += static_cast<double>(of_view.time[0]);
  }
  return result;
}

using UpdateFunction = UpdateResult (*)(const UpdateParams&);

}  // namespace

UpdateResult update(const UpdateParams& params) {
  const ProjectParams& from = params.projection;
  const UpdateFunction run =
      visit_moving(from.kind, from.motion, [&]<class Kind, class Motion>() -> UpdateFunction {
        return from.antialiased ? update_blocks<Kind, Motion, true>
                                : update_blocks<Kind, Motion, false>;
      });
  return run(params);
}

}  // namespace mote::MOTE_ISA
