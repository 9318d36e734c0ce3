// Gradients of a grid's parameters: a thread for each position and level, which adds to the entries
// of the cell's corners.

#include "cuda/kernels/fields/grid_gradients.h"

#include "core/error.h"
#include "cuda/kernels/fields/grid_encoding.h"
#include "cuda/kernels/fields/grid_shapes.h"
#include "cuda/kernels/fields/grid_sums.h"
#include "cuda/kernels/fields/sample_count.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "cuda/runtime/runtime.h"
#include "fields/encodings/grid.h"

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

/// The gradients of the features of one level; those that are not finite are zero, and counted.
template <int FEATURES>
MOTE_DEVICE void load_gradients(const GridGradientArgs& args, unsigned level, unsigned sample,
                                float (&d)[FEATURES]) {
  const std::uint32_t* from =
      args.d_features + std::size_t{level} * (FEATURES / 2) * args.stride + sample;
  unsigned broken = 0;
  MOTE_UNROLL
  for (int w = 0; w < FEATURES / 2; ++w) {
    const float2 both = __half22float2(halves_of(from[static_cast<std::size_t>(w) * args.stride]));
    d[2 * w] = both.x;
    d[2 * w + 1] = both.y;
  }
  constexpr float kMostHalf = 65504;
  MOTE_UNROLL
  for (float& own : d) {
    if (abs(own) <= kMostHalf) continue;
    own = 0;
    ++broken;
  }
  if (broken > 0) atomicAdd(args.non_finite, broken);
}

template <Interpolation INTERPOLATION, int D, int FEATURES, class Sum>
MOTE_DEVICE void add_gradients(const GridGradientArgs& args, float units, unsigned level_number,
                               unsigned sample) {
  const GridLevel level = args.levels[level_number];
  const unsigned count = sample_count(args.count, args.known);
  if (sample - threadIdx.x % kWarp >= count) return;  // no lane of the warp has a sample
  const bool is_sample = sample < count;
  float x[D] = {}, d[FEATURES] = {};
  if (is_sample) {
    MOTE_UNROLL
    for (std::size_t axis = 0; axis < D; ++axis) {
      x[axis] = args.positions[axis * args.stride + sample];
    }
    load_gradients<FEATURES>(args, level_number, sample, d);
  }
  Sum* const sums = static_cast<Sum*>(args.sums) + std::size_t{level.first} * FEATURES;
  const CellRuns runs = cell_runs<D>(grid_cell<INTERPOLATION>(level, x).corner);
  const bool adds_runs = __popc(runs.heads) <= kMostRuns;  // equal in all lanes
  const bool adds = is_sample && (runs.is_head || !adds_runs);
  grid_parameters_vjp<INTERPOLATION>(level, x, d, [&](unsigned index, int f, float gradient) {
    Sum own = sum_of(gradient, units, Sum{});
    if (adds_runs) own = run_sum(own, runs.last);
    if (adds) atomicAdd(sums + std::size_t{index} * FEATURES + static_cast<std::size_t>(f), own);
  });
}

template <int D, int FEATURES, class Sum>
MOTE_KERNEL(kThreads)
grid_gradients(GridGradientArgs args, float units) {
  const unsigned blocks = gridDim.x / static_cast<unsigned>(args.config.levels);
  const unsigned level = blockIdx.x / blocks;
  const unsigned sample = blockIdx.x % blocks * kThreads + threadIdx.x;
  switch (args.config.interpolation) {
    case Interpolation::nearest:
      return add_gradients<Interpolation::nearest, D, FEATURES, Sum>(args, units, level, sample);
    case Interpolation::linear:
      return add_gradients<Interpolation::linear, D, FEATURES, Sum>(args, units, level, sample);
    case Interpolation::smoothstep:
      return add_gradients<Interpolation::smoothstep, D, FEATURES, Sum>(args, units, level, sample);
  }
}

template <class Sum>
void launch_gradients(const GridGradientArgs& args, cudaStream_t stream) {
  const auto kernel = visit_grid_shape(
      args.config, [&]<int D, int FEATURES>() { return grid_gradients<D, FEATURES, Sum>; });
  launch(kernel,
         {.blocks = blocks_for(args.count, kThreads) * static_cast<unsigned>(args.config.levels),
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
