// Gradients of a grid's parameters: a thread for each position and level, which adds to the entries
// of the cell's corners.

#include "cuda/kernels/fields/grid_gradients.h"

#include "core/error.h"
#include "cuda/kernels/fields/grid_encoding.h"
#include "cuda/kernels/fields/grid_shapes.h"
#include "cuda/kernels/fields/grid_sums.h"
#include "cuda/kernels/fields/part_values.h"
#include "cuda/kernels/fields/sample_count.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;
/// A warp with at most as many runs of lanes in the same cell adds up each run. It takes five
/// shuffles for each sum, and saves the atomic operations of the other lanes.
constexpr int kMostRuns = 8;

/// The lanes of a warp in runs that lie in the same cell.
struct CellRuns {
  unsigned heads;  // the first lane of each run
  bool is_head;
  unsigned last;  // lane of the own run
};

template <int D>
MOTE_DEVICE CellRuns cell_runs(const unsigned (&corner)[D]) {
  const unsigned lane = threadIdx.x % kWarp;
  CellRuns runs{};
  runs.is_head = lane == 0;
  MOTE_UNROLL
  for (int axis = 0; axis < D; ++axis) {
    runs.is_head |= __shfl_up_sync(kWholeWarp, corner[axis], 1) != corner[axis];
  }
  runs.heads = __ballot_sync(kWholeWarp, runs.is_head ? 1 : 0);
  const unsigned behind = lane == kWarp - 1 ? 0 : runs.heads >> (lane + 1) << (lane + 1);
  runs.last = behind == 0 ? kWarp - 1 : static_cast<unsigned>(__ffs(static_cast<int>(behind))) - 2;
  return runs;
}

/// In the head of a run, the sum of its lanes. All lanes must call.
template <class Sum>
MOTE_DEVICE Sum run_sum(Sum own, unsigned last) {
  const unsigned lane = threadIdx.x % kWarp;
  MOTE_UNROLL
  for (unsigned apart = 1; apart < kWarp; apart *= 2) {
    const Sum other = __shfl_down_sync(kWholeWarp, own, apart);
    if (lane + apart <= last) own += other;
  }
  return own;
}

/// The gradient of a feature, or 0 if it is not finite, which is counted.
MOTE_DEVICE float finite_gradient(float d, unsigned& broken) {
  constexpr float kMostHalf = 65504;
  if (abs(d) <= kMostHalf) return d;
  ++broken;
  return 0;
}

/// The gradients of the features of one level.
template <int FEATURES>
MOTE_DEVICE void load_gradients(const GridGradientArgs& args, unsigned level, unsigned sample,
                                float (&d)[FEATURES]) {
  const std::uint32_t* from =
      args.d_features + std::size_t{level} * (FEATURES / 2) * args.stride + sample;
  unsigned broken = 0;
  MOTE_UNROLL
  for (int w = 0; w < FEATURES / 2; ++w) {
    const float2 both = __half22float2(halves_of(from[static_cast<std::size_t>(w) * args.stride]));
    d[2 * w] = finite_gradient(both.x, broken);
    d[2 * w + 1] = finite_gradient(both.y, broken);
  }
  if (broken > 0) atomicAdd(args.non_finite, broken);
}

/// The position of a sample; that of no sample is 0.
template <int D>
MOTE_DEVICE void load_position(const GridGradientArgs& args, unsigned sample, bool is_sample,
                               float (&x)[D]) {
  MOTE_UNROLL
  for (std::size_t axis = 0; axis < D; ++axis) {
    x[axis] = is_sample ? args.positions[axis * args.stride + sample] : 0.0f;
  }
}

/// Parameters of a level: feature f of entry i is number first + i * step + f.
struct LevelPlace {
  GridLevel level;
  std::size_t first;
  unsigned step;
};

/// Adds the gradients of the warp's samples to those of a level. All lanes must call.
template <Interpolation INTERPOLATION, int FEATURES, class Sum, int D>
MOTE_DEVICE void add_gradients(const LevelPlace& place, const float (&x)[D],
                               const float (&d)[FEATURES], bool is_sample, float units,
                               void* all_sums) {
  Sum* const sums = static_cast<Sum*>(all_sums) + place.first;
  const CellRuns runs = cell_runs<D>(grid_cell<INTERPOLATION>(place.level, x).corner);
  const bool adds_runs = __popc(runs.heads) <= kMostRuns;  // equal in all lanes
  const bool adds = is_sample && (runs.is_head || !adds_runs);
  grid_parameters_vjp<INTERPOLATION>(place.level, x, d, [&](unsigned index, int f, float gradient) {
    Sum own = sum_of(gradient, units, Sum{});
    if (adds_runs) own = run_sum(own, runs.last);
    if (adds) {
      atomicAdd(sums + std::size_t{index} * place.step + static_cast<std::size_t>(f), own);
    }
  });
}

/// The sample of a thread, and the row of its block.
struct RowSample {
  unsigned row, sample;
};

MOTE_DEVICE RowSample row_sample(unsigned rows) {
  const unsigned blocks = gridDim.x / rows;
  return {blockIdx.x / blocks, blockIdx.x % blocks * kThreads + threadIdx.x};
}

template <int D, int FEATURES, class Sum>
MOTE_KERNEL(kThreads)
grid_gradients(GridGradientArgs args, float units) {
  const auto [row, sample] = row_sample(static_cast<unsigned>(args.config.levels));
  const unsigned count = sample_count(args.count, args.known);
  if (sample - threadIdx.x % kWarp >= count) return;  // no lane of the warp has a sample
  const bool is_sample = sample < count;
  float x[D], d[FEATURES] = {};
  load_position(args, sample, is_sample, x);
  if (is_sample) load_gradients<FEATURES>(args, row, sample, d);
  const GridLevel level = args.levels[row];
  const LevelPlace place{level, std::size_t{level.first} * FEATURES, FEATURES};
  switch (args.config.interpolation) {
    case Interpolation::nearest:
      return add_gradients<Interpolation::nearest, FEATURES, Sum>(place, x, d, is_sample, units,
                                                                  args.sums);
    case Interpolation::linear:
      return add_gradients<Interpolation::linear, FEATURES, Sum>(place, x, d, is_sample, units,
                                                                 args.sums);
    case Interpolation::smoothstep:
      return add_gradients<Interpolation::smoothstep, FEATURES, Sum>(place, x, d, is_sample, units,
                                                                     args.sums);
  }
}

/// A thread for each position and pair of outputs.
template <int D, class Sum>
MOTE_KERNEL(kThreads)
part_gradients(GridGradientArgs args, float units) {
  const auto [pair, sample] = row_sample(static_cast<unsigned>(args.config.levels / 2));
  const unsigned count = sample_count(args.count, args.known);
  if (sample - threadIdx.x % kWarp >= count) return;
  const bool is_sample = sample < count;
  float x[D];
  load_position(args, sample, is_sample, x);
  const unsigned word = is_sample ? args.d_features[pair * args.stride + sample] : 0;
  unsigned broken = 0;
  for (int i = 0; i < 2; ++i) {  // equal in all lanes
    const PartFeature feature = part_feature(*args.parts, 2 * static_cast<int>(pair) + i);
    if (feature.part == nullptr || feature.part->kind != EncodedPart::Kind::grid) continue;
    const GridFeature own = grid_feature(*feature.part, feature.number, args.levels);
    const LevelPlace place{own.level, own.first, own.step};
    const float2 both = __half22float2(halves_of(word));
    const float d[1] = {finite_gradient(i == 0 ? both.x : both.y, broken)};
    visit_grid_inputs(*feature.part, x, [&]<Interpolation INTERPOLATION>(const auto& inputs) {
      add_gradients<INTERPOLATION, 1, Sum>(place, inputs, d, is_sample, units, args.sums);
    });
  }
  if (broken > 0) atomicAdd(args.non_finite, broken);
}

template <class Sum>
void launch_gradients(const GridGradientArgs& args, cudaStream_t stream) {
  const auto kernel = visit_grid_shape(args.config, [&]<int D, int FEATURES>() {
    if constexpr (FEATURES == kByParts) {
      return part_gradients<D, Sum>;
    } else {
      return grid_gradients<D, FEATURES, Sum>;
    }
  });
  launch(kernel,
         {.blocks = blocks_for(args.count, kThreads) * encoding_rows(args.config),
          .threads = kThreads,
          .name = "gradients of a grid"},
         stream, args, fixed_units(args.count));
}

}  // namespace

void run_grid_gradients(const GridGradientArgs& args, GradientSums kind, cudaStream_t stream) {
  CHECK(has_grid_kernels(args.config) && args.count <= kMostGradientSamples);
  if (kind == GradientSums::fixed_point) {
    launch_gradients<FixedSum>(args, stream);
  } else {
    launch_gradients<float>(args, stream);
  }
}

float gradient_of_sum(GradientSums kind, unsigned count, float loss_scale) {
  const double units = kind == GradientSums::fixed_point ? fixed_units(count) : 1;
  return static_cast<float>(1 / (static_cast<double>(loss_scale) * units));
}

}  // namespace mote::cuda
