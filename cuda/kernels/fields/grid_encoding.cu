// Grid encodings: a thread for each position and level (Müller et al. 2022).

#include "cuda/kernels/fields/grid_encoding.h"

#include "core/error.h"
#include "cuda/kernels/fields/grid_lookup.h"
#include "cuda/kernels/fields/grid_shapes.h"
#include "cuda/kernels/fields/part_values.h"
#include "cuda/kernels/fields/sample_count.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {
namespace {

constexpr unsigned kThreads = 256;

template <int D, int FEATURES>
MOTE_KERNEL(kThreads)
encode_grid(GridEncodingArgs args) {
  const unsigned blocks = gridDim.x / static_cast<unsigned>(args.config.levels);
  const unsigned level = blockIdx.x / blocks;
  const unsigned sample = blockIdx.x % blocks * kThreads + threadIdx.x;
  if (sample >= sample_count(args.count, args.known)) return;
  float x[D];
  MOTE_UNROLL
  for (std::size_t axis = 0; axis < D; ++axis)
    x[axis] = args.positions[axis * args.stride + sample];
  unsigned words[FEATURES / 2];
  look_up_words<FEATURES, D>(args.config.interpolation, args.levels[level], args.table, x, words);
  std::uint32_t* out = args.features + std::size_t{level} * (FEATURES / 2) * args.stride + sample;
  MOTE_UNROLL
  for (std::size_t w = 0; w < FEATURES / 2; ++w) out[w * args.stride] = words[w];
}

/// A thread for each position and pair of outputs.
template <int D>
MOTE_KERNEL(kThreads)
encode_parts(GridEncodingArgs args) {
  const unsigned blocks = gridDim.x / static_cast<unsigned>(args.config.levels / 2);
  const unsigned pair = blockIdx.x / blocks;
  const unsigned sample = blockIdx.x % blocks * kThreads + threadIdx.x;
  if (sample >= sample_count(args.count, args.known)) return;
  float x[D];
  MOTE_UNROLL
  for (std::size_t axis = 0; axis < D; ++axis)
    x[axis] = args.positions[axis * args.stride + sample];
  args.features[pair * args.stride + sample] =
      encoded_pair(*args.parts, args.levels, args.table, static_cast<int>(pair), x);
}

}  // namespace

bool has_grid_kernels(const GridConfig& config) {
  return (config.dimensions == 2 || config.dimensions == 3) &&
         (config.features == kByParts || config.features == 2 || config.features == 4 ||
          config.features == 8);
}

void run_grid_encoding(const GridEncodingArgs& args, cudaStream_t stream) {
  CHECK(has_grid_kernels(args.config));
  const auto kernel = visit_grid_shape(args.config, [&]<int D, int FEATURES>() {
    if constexpr (FEATURES == kByParts) {
      return encode_parts<D>;
    } else {
      return encode_grid<D, FEATURES>;
    }
  });
  launch(kernel,
         {.blocks = blocks_for(args.count, kThreads) * encoding_rows(args.config),
          .threads = kThreads,
          .name = "encoding positions"},
         stream, args);
}

}  // namespace mote::cuda
