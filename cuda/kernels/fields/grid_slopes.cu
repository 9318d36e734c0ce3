#include "cuda/kernels/fields/grid_slopes.h"

#include <algorithm>

#include "core/error.h"
#include "cuda/kernels/fields/grid_encoding.h"
#include "cuda/kernels/fields/grid_shapes.h"
#include "cuda/kernels/fields/grid_sums.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"
#include "fields/applications/eikonal.h"
#include "fields/encodings/grid.h"

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
    visit_sloped(args.config.interpolation, [&]<Interpolation INTERPOLATION>() {
      for (unsigned level = 0; level < static_cast<unsigned>(args.config.levels); ++level) {
        float d[FEATURES];
        load_features<FEATURES>(args.d_features, args.stride, level, sample, d);
        const GridLevel own = args.levels[level];
        grid_position_vjp<INTERPOLATION>(own, x, LevelEntries<FEATURES>(args.table, own), d, slope);
      }
    });
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

/// A thread for each position and level.
struct LevelSample {
  unsigned level, sample;
};

MOTE_DEVICE LevelSample level_sample(const GridConfig& config) {
  const unsigned blocks = gridDim.x / static_cast<unsigned>(config.levels);
  return {blockIdx.x / blocks, blockIdx.x % blocks * kThreads + threadIdx.x};
}

template <int FEATURES>
MOTE_KERNEL(kThreads)
grid_rates(GridRateArgs args) {
  const LevelSample at = level_sample(args.config);
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

template <int FEATURES, class Sum>
MOTE_KERNEL(kThreads)
grid_rate_gradients(GridGradientArgs args, const float* velocities, float units) {
  const LevelSample at = level_sample(args.config);
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
          MOTE_UNROLL
          for (int f = 0; f < FEATURES; ++f) {
            float gradient = rate * d[f];
            if (!(abs(gradient) <= kMostHalf)) {
              gradient = 0;
              ++broken;
            }
            const std::size_t place = std::size_t{index} * FEATURES + static_cast<std::size_t>(f);
            atomicAdd(sums + place, sum_of(gradient, units, Sum{}));
          }
        });
  });
  if (broken > 0) atomicAdd(args.non_finite, broken);
}

/// visit<FEATURES>() for a grid of three dimensions.
template <class Visit>
auto visit_cube(const GridConfig& config, const Visit& visit) {
  CHECK(has_grid_kernels(config) && config.dimensions == 3 &&
        config.interpolation != Interpolation::nearest);
  return visit_features(config.features, visit);
}

LaunchShape shape_for_levels(const GridConfig& config, unsigned count, const char* name) {
  return {.blocks = blocks_for(count, kThreads) * static_cast<unsigned>(config.levels),
          .threads = kThreads,
          .name = name};
}

template <class Sum>
void launch_rate_gradients(const GridGradientArgs& args, const float* velocities,
                           cudaStream_t stream) {
  const auto kernel =
      visit_cube(args.config, [&]<int FEATURES>() { return grid_rate_gradients<FEATURES, Sum>; });
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
  const auto kernel = visit_cube(args.config, [&]<int FEATURES>() { return grid_rates<FEATURES>; });
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
