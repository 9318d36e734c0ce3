#pragma once

// How kernels of fused fields are launched.

#include "cuda/kernels/fields/field_lookup.h"
#include "cuda/kernels/fields/grid_shapes.h"
#include "cuda/kernels/fields/network_launch.h"

namespace mote::cuda {

inline constexpr unsigned kFieldThreads = 256, kFieldWarps = kFieldThreads / kWarp;
/// Blocks of a multiprocessor that registers allow. Two have 128 registers a thread, which do not
/// suffice without weights in shared memory.
template <bool WEIGHTS_IN_SHARED>
inline constexpr unsigned kFieldBlocks = WEIGHTS_IN_SHARED ? 2 : 1;

/// Number of blocks of a launch for hidden layers of any width, whose values are in global memory.
inline unsigned wide_field_blocks() {
  return multiprocessors();
}

/// Launches kernel<WIDTH, FEATURES, WEIGHTS_IN_SHARED>() of `pick`, which has blocks of
/// kFieldThreads that go through all tiles of `samples`. `kernel_words`: words of shared memory
/// that a lane needs beside those of the field. `more_blocks`: of the weights of a second network.
/// MOST_WIDTH: of visit_width(); with 128, there are kernels for any width.
template <int MOST_WIDTH = 128, class Pick, class Args>
void launch_field(const FieldTables& field, std::size_t samples, const char* name, const Pick& pick,
                  cudaStream_t stream, const Args& args, int kernel_words = 0,
                  int more_blocks = 0) {
  const auto run = [&]<int WIDTH, int FEATURES>(const auto& kernel_of, unsigned most_blocks) {
    const auto words =
        static_cast<std::size_t>(field_words<WIDTH, FEATURES>(field.shape) + kernel_words);
    const NetworkMemory memory = network_memory(network_blocks(field.shape) + more_blocks,
                                                kFieldWarps, sizeof(unsigned) * kWarp * words);
    const unsigned tiles = blocks_for(samples, kTileSamples<WIDTH>);
    launch(kernel_of(memory),
           {.blocks = std::min(blocks_for(tiles, kFieldWarps), most_blocks),
            .threads = kFieldThreads,
            .dynamic_shared_bytes = memory.block_bytes,
            .name = name},
           stream, args);
  };
  visit_features(field.grid.features, [&]<int FEATURES>() {
    if constexpr (MOST_WIDTH >= 128) {
      if (is_wide(field.shape)) {
        CHECK(field.space != nullptr);
        return run.template operator()<kAnyWidth, FEATURES>(
            [&](const NetworkMemory&) {
              return pick.template operator()<kAnyWidth, FEATURES, false>();
            },
            wide_field_blocks());
      }
    }
    visit_width<MOST_WIDTH>(field.shape.width_blocks, [&]<int WIDTH>() {
      run.template operator()<WIDTH, FEATURES>(
          [&](const NetworkMemory& memory) {
            return memory.has_weights ? pick.template operator()<WIDTH, FEATURES, true>()
                                      : pick.template operator()<WIDTH, FEATURES, false>();
          },
          multiprocessors() * 2);
    });
  });
}

/// The memory of a warp, and the weights, which are in shared memory or read through the caches.
struct FieldMemory {
  const uint4 *weights, *more_weights;
  unsigned* warp_words;
  unsigned* kernel_words;  // of the warp
};

/// The weights of a second network.
struct MoreWeights {
  const uint4* weights;
  int blocks;
};

/// All threads of the block must call. `kernel_words` and `more`: as for the launch.
template <int WIDTH, int FEATURES, bool WEIGHTS_IN_SHARED>
MOTE_DEVICE FieldMemory field_memory(const FieldTables& field, int kernel_words = 0,
                                     MoreWeights more = {nullptr, 0}) {
  uint4* const shared = dynamic_shared<uint4>();
  const int blocks = network_blocks(field.shape), all = blocks + more.blocks;
  if constexpr (WEIGHTS_IN_SHARED) {
    if (more.blocks > 0) copy_blocks(more.weights, more.blocks, shared + blocks * kBlockLanes);
    copy_blocks(field.weights, blocks, shared);
  }
  const int warp = static_cast<int>(threadIdx.x / kWarp);
  auto* const words =
      reinterpret_cast<unsigned*>(shared + (WEIGHTS_IN_SHARED ? all * kBlockLanes : 0));
  const int of_field = field_words<WIDTH, FEATURES>(field.shape);
  unsigned* const own = words + warp * (of_field + kernel_words) * kWarp;
  return {WEIGHTS_IN_SHARED ? shared : field.weights,
          WEIGHTS_IN_SHARED ? shared + blocks * kBlockLanes : more.weights, own,
          own + of_field * kWarp};
}

}  // namespace mote::cuda
