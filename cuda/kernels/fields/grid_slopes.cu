#include "cuda/kernels/fields/grid_slopes.h"

#include <algorithm>

#include "core/error.h"
#include "cuda/kernels/fields/grid_encoding.h"
#include "cuda/kernels/fields/grid_shapes.h"
#include "cuda/kernels/fields/grid_sums.h"
#include "cuda/kernels/fields/part_values.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"
#include "fields/applications/eikonal.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256, kWarps = kThreads / kWarp;
constexpr unsigned kMostParts = 256;
constexpr float kMostHalf = 65504;

/// Loads a parameter of a level.
template <int FEATURES>
struct LevelEntries {
  const unsigned* words;  // of the level, two halves each

  MOTE_MEMBER LevelEntries(const std::uint16_t* table, const GridLevel& level)
      : words(reinterpret_cast<const unsigned*>(table) +
              std::size_t{level.first} * (FEATURES / 2)) {}
  MOTE_MEMBER float operator()(unsigned index, int feature) const {
    const unsigned word = __ldg(words + std::size_t{index} * (FEATURES / 2) + feature / 2);
    const float2 both = __half22float2(halves_of(word));
    return feature % 2 == 0 ? both.x : both.y;
  }
};

MOTE_DEVICE void load_vector(const float* planes, std::size_t stride, unsigned sample,
                             float (&vector)[3]) {
  MOTE_UNROLL
  for (std::size_t axis = 0; axis < 3; ++axis) vector[axis] = planes[axis * stride + sample];
}

template <int FEATURES>
MOTE_DEVICE void load_features(const std::uint32_t* planes, std::size_t stride, unsigned level,
                               unsigned sample, float (&features)[FEATURES]) {
  const std::uint32_t* from = planes + std::size_t{level} * (FEATURES / 2) * stride + sample;
  MOTE_UNROLL
  for (std::size_t w = 0; w < FEATURES / 2; ++w) {
    const float2 both = __half22float2(halves_of(from[w * stride]));
    features[2 * w] = both.x;
    features[2 * w + 1] = both.y;
  }
}

/// visit<INTERPOLATION>() for one that has slopes.
template <class Visit>
MOTE_DEVICE void visit_sloped(Interpolation interpolation, const Visit& visit) {
  if (interpolation == Interpolation::linear) {
    visit.template operator()<Interpolation::linear>();
  } else {
    visit.template operator()<Interpolation::smoothstep>();
  }
}

/// The slope of the output at a position, from the gradients by its features.
template <int FEATURES>
MOTE_DEVICE void add_slope(const GridSlopeArgs& args, unsigned sample, const float (&x)[3],
                           float (&slope)[3]) {
  visit_sloped(args.config.interpolation, [&]<Interpolation INTERPOLATION>() {
    for (unsigned level = 0; level < static_cast<unsigned>(args.config.levels); ++level) {
      float d[FEATURES];
      load_features<FEATURES>(args.d_features, args.stride, level, sample, d);
      const GridLevel own = args.levels[level];
      grid_position_vjp<INTERPOLATION>(own, x, LevelEntries<FEATURES>(args.table, own), d, slope);
    }
  });
}

/// Adds to one axis of a vector.
MOTE_DEVICE void add_along(float (&vector)[3], int axis, float value) {
  MOTE_UNROLL
  for (int own = 0; own < 3; ++own) vector[own] += own == axis ? value : 0.0f;
}

/// Adds the slope by one output of an encoding by parts.
MOTE_DEVICE void add_part_slope(const GridSlopeArgs& args, int output, float d, const float (&x)[3],
                                float (&slope)[3]) {
  const PartFeature feature = part_feature(*args.encoding, output);
  if (feature.part == nullptr) return;
  const EncodedPart& part = *feature.part;
  if (part.kind != EncodedPart::Kind::grid) {
    const int axis = part.first_input + feature.number / part.values;
    add_along(slope, axis, d * part_slope(part, feature.number % part.values, axis_of(x, axis)));
    return;
  }
  const GridFeature own = grid_feature(part, feature.number, args.levels);
  const float d_feature[1] = {d};
  visit_grid_inputs<true>(
      part, x, [&]<Interpolation INTERPOLATION, int D>(const float(&inputs)[D]) {
        float by_inputs[D] = {};
        grid_position_vjp<INTERPOLATION>(own.level, inputs,
                                         SingleFeature{args.table, own.first, own.step}, d_feature,
                                         by_inputs);
        MOTE_UNROLL
        for (int axis = 0; axis < D; ++axis) {
          add_along(slope, part.first_input + axis, by_inputs[axis]);
        }
      });
}

/// add_slope() of an encoding by parts.
MOTE_DEVICE void add_slope_of_parts(const GridSlopeArgs& args, unsigned sample, const float (&x)[3],
                                    float (&slope)[3]) {
  for (int pair = 0; pair < args.config.levels / 2; ++pair) {
    const std::size_t place = static_cast<std::size_t>(pair) * args.stride + sample;
    const float2 both = __half22float2(halves_of(args.d_features[place]));
    add_part_slope(args, 2 * pair, both.x, x, slope);
    add_part_slope(args, 2 * pair + 1, both.y, x, slope);
  }
}

struct SlopeSums {
  float of_warps[kWarps];
};

template <int FEATURES>
MOTE_KERNEL(kThreads)
grid_slopes(GridSlopeArgs args) {
  float sums[1] = {0};
  for (unsigned sample = blockIdx.x * kThreads + threadIdx.x; sample < args.count;
       sample += gridDim.x * kThreads) {
    float x[3], slope[3] = {0, 0, 0};
    load_vector(args.positions, args.stride, sample, x);
    if constexpr (FEATURES == kByParts) {
      add_slope_of_parts(args, sample, x, slope);
    } else {
      add_slope<FEATURES>(args, sample, x, slope);
    }
    const EikonalLoss<float> loss = eikonal_loss(Vec3<float>{slope[0], slope[1], slope[2]});
    sums[0] += loss.value;
    args.velocities[sample] = args.scale * loss.d_slope.x;
    args.velocities[args.stride + sample] = args.scale * loss.d_slope.y;
    args.velocities[2 * args.stride + sample] = args.scale * loss.d_slope.z;
  }
  SlopeSums& shared = block_shared<SlopeSums>();
  const float sum = warp_sums(sums);
  if (sum_place(1, threadIdx.x % kWarp) == 0) shared.of_warps[threadIdx.x / kWarp] = sum;
  __syncthreads();
  if (threadIdx.x > 0) return;
  double total = 0;
  for (const float own : shared.of_warps) total += static_cast<double>(own);
  args.parts[blockIdx.x] = total;
}

/// A thread for each position and level, or pair of outputs.
struct LevelSample {
  unsigned level, sample;
};

MOTE_DEVICE LevelSample level_sample(unsigned levels) {
  const unsigned blocks = gridDim.x / levels;
  return {blockIdx.x / blocks, blockIdx.x % blocks * kThreads + threadIdx.x};
}

template <int FEATURES>
MOTE_KERNEL(kThreads)
grid_rates(GridRateArgs args) {
  const LevelSample at = level_sample(static_cast<unsigned>(args.config.levels));
  if (at.sample >= args.count) return;
  float x[3], velocity[3], rates[FEATURES] = {};
  load_vector(args.positions, args.stride, at.sample, x);
  load_vector(args.velocities, args.stride, at.sample, velocity);
  const GridLevel level = args.levels[at.level];
  visit_sloped(args.config.interpolation, [&]<Interpolation INTERPOLATION>() {
    grid_feature_rates<INTERPOLATION>(level, x, velocity, LevelEntries<FEATURES>(args.table, level),
                                      rates);
  });
  std::uint32_t* to = args.rates + std::size_t{at.level} * (FEATURES / 2) * args.stride + at.sample;
  MOTE_UNROLL
  for (std::size_t w = 0; w < FEATURES / 2; ++w) {
    to[w * args.stride] = rounded_halves(rates[2 * w], rates[2 * w + 1]);
  }
}

/// The change of an output of an encoding by parts.
MOTE_DEVICE float part_rate(const GridRateArgs& args, int output, const float (&x)[3],
                            const float (&velocity)[3]) {
  const PartFeature feature = part_feature(*args.encoding, output);
  if (feature.part == nullptr) return 0;
  const EncodedPart& part = *feature.part;
  if (part.kind != EncodedPart::Kind::grid) {
    const int axis = part.first_input + feature.number / part.values;
    return part_slope(part, feature.number % part.values, axis_of(x, axis)) *
           axis_of(velocity, axis);
  }
  const GridFeature own = grid_feature(part, feature.number, args.levels);
  float rate[1] = {0};
  visit_grid_inputs<true>(
      part, x, [&]<Interpolation INTERPOLATION, int D>(const float(&inputs)[D]) {
        float along[D];
        part_inputs(part, velocity, along);
        grid_feature_rates<INTERPOLATION>(own.level, inputs, along,
                                          SingleFeature{args.table, own.first, own.step}, rate);
      });
  return rate[0];
}

MOTE_KERNEL(kThreads) part_rates(GridRateArgs args) {
  const LevelSample at = level_sample(static_cast<unsigned>(args.config.levels / 2));
  if (at.sample >= args.count) return;
  float x[3], velocity[3];
  load_vector(args.positions, args.stride, at.sample, x);
  load_vector(args.velocities, args.stride, at.sample, velocity);
  const int output = 2 * static_cast<int>(at.level);
  args.rates[std::size_t{at.level} * args.stride + at.sample] = rounded_halves(
      part_rate(args, output, x, velocity), part_rate(args, output + 1, x, velocity));
}

/// Adds the gradients of a feature's rates to the sums, those that are halves.
template <int FEATURES, class Sum>
MOTE_DEVICE void add_rate_gradients(Sum* sums, const float (&d)[FEATURES], float rate, float units,
                                    unsigned& broken) {
  MOTE_UNROLL
  for (int f = 0; f < FEATURES; ++f) {
    float gradient = rate * d[f];
    if (!(abs(gradient) <= kMostHalf)) {
      gradient = 0;
      ++broken;
    }
    atomicAdd(sums + f, sum_of(gradient, units, Sum{}));
  }
}

template <class Sum>
MOTE_KERNEL(kThreads)
part_rate_gradients(GridGradientArgs args, const float* velocities, float units) {
  const LevelSample at = level_sample(static_cast<unsigned>(args.config.levels / 2));
  if (at.sample >= args.count) return;
  float x[3], velocity[3];
  load_vector(args.positions, args.stride, at.sample, x);
  load_vector(velocities, args.stride, at.sample, velocity);
  const std::size_t place = std::size_t{at.level} * args.stride + at.sample;
  const float2 both = __half22float2(halves_of(args.d_features[place]));
  unsigned broken = 0;
  for (int i = 0; i < 2; ++i) {
    const PartFeature feature = part_feature(*args.parts, 2 * static_cast<int>(at.level) + i);
    if (feature.part == nullptr || feature.part->kind != EncodedPart::Kind::grid) continue;
    const GridFeature own = grid_feature(*feature.part, feature.number, args.levels);
    Sum* const sums = static_cast<Sum*>(args.sums) + own.first;
    const float d[1] = {i == 0 ? both.x : both.y};
    visit_grid_inputs<true>(
        *feature.part, x, [&]<Interpolation INTERPOLATION, int D>(const float(&inputs)[D]) {
          float along[D];
          part_inputs(*feature.part, velocity, along);
          for_each_moving_corner<INTERPOLATION>(
              own.level, inputs, along, [&](int, unsigned index, float, float rate) {
                add_rate_gradients(sums + std::size_t{index} * own.step, d, rate, units, broken);
              });
        });
  }
  if (broken > 0) atomicAdd(args.non_finite, broken);
}

template <int FEATURES, class Sum>
MOTE_KERNEL(kThreads)
grid_rate_gradients(GridGradientArgs args, const float* velocities, float units) {
  const LevelSample at = level_sample(static_cast<unsigned>(args.config.levels));
  if (at.sample >= args.count) return;
  float x[3], velocity[3], d[FEATURES];
  load_vector(args.positions, args.stride, at.sample, x);
  load_vector(velocities, args.stride, at.sample, velocity);
  load_features<FEATURES>(args.d_features, args.stride, at.level, at.sample, d);
  const GridLevel level = args.levels[at.level];
  Sum* const sums = static_cast<Sum*>(args.sums) + std::size_t{level.first} * FEATURES;
  unsigned broken = 0;
  visit_sloped(args.config.interpolation, [&]<Interpolation INTERPOLATION>() {
    for_each_moving_corner<INTERPOLATION>(
        level, x, velocity, [&](int, unsigned index, float, float rate) {
          add_rate_gradients(sums + std::size_t{index} * FEATURES, d, rate, units, broken);
        });
  });
  if (broken > 0) atomicAdd(args.non_finite, broken);
}

/// visit<FEATURES>() for an encoding of three dimensions.
template <class Visit>
auto visit_cube(const GridConfig& config, const Visit& visit) {
  CHECK(has_grid_kernels(config) && config.dimensions == 3 &&
        config.interpolation != Interpolation::nearest);
  return visit_features(config.features, visit);
}

LaunchShape shape_for_levels(const GridConfig& config, unsigned count, const char* name) {
  return {.blocks = blocks_for(count, kThreads) * encoding_rows(config),
          .threads = kThreads,
          .name = name};
}

template <class Sum>
void launch_rate_gradients(const GridGradientArgs& args, const float* velocities,
                           cudaStream_t stream) {
  const auto kernel = visit_cube(args.config, [&]<int FEATURES>() {
    if constexpr (FEATURES == kByParts) {
      return part_rate_gradients<Sum>;
    } else {
      return grid_rate_gradients<FEATURES, Sum>;
    }
  });
  launch(kernel, shape_for_levels(args.config, args.count, "gradients of a grid's rates"), stream,
         args, velocities, fixed_units(args.count));
}

}  // namespace

unsigned grid_slope_parts(unsigned count) {
  return std::min(kMostParts, blocks_for(count, kThreads));
}

void run_grid_slopes(const GridSlopeArgs& args, cudaStream_t stream) {
  const auto kernel =
      visit_cube(args.config, [&]<int FEATURES>() { return grid_slopes<FEATURES>; });
  launch(kernel,
         {.blocks = grid_slope_parts(args.count), .threads = kThreads, .name = "slopes of a field"},
         stream, args);
}

void run_grid_rates(const GridRateArgs& args, cudaStream_t stream) {
  const auto kernel = visit_cube(args.config, [&]<int FEATURES>() {
    if constexpr (FEATURES == kByParts) {
      return part_rates;
    } else {
      return grid_rates<FEATURES>;
    }
  });
  launch(kernel, shape_for_levels(args.config, args.count, "rates of a grid"), stream, args);
}

void run_grid_rate_gradients(const GridGradientArgs& args, const float* velocities,
                             GradientSums kind, cudaStream_t stream) {
  CHECK(args.count <= kMostGradientSamples);
  if (kind == GradientSums::fixed_point) {
    launch_rate_gradients<FixedSum>(args, velocities, stream);
  } else {
    launch_rate_gradients<float>(args, velocities, stream);
  }
}

}  // namespace mote::cuda
