#pragma once

// Counts the work of the CUDA kernels for a frame, for estimates of their time. The kernels project
// and bin the frame on the host, and functions in this folder count the work of blending.

#include <cstdint>
#include <vector>

#include "cameras/camera.h"
#include "core/parallel.h"
#include "cuda/cuda_scene.h"
#include "cuda/tile_lists.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Work of blending that depends on how many subtiles a warp has.
struct WarpWork {
  std::uint64_t entered = 0;  // splats entered into batches before the block ends
  std::uint64_t groups = 0;   // groups of 32 entered splats, per active warp
  std::uint64_t hits = 0;     // pairs of a splat and a warp whose subtiles it touches

  WarpWork& operator+=(const WarpWork& other);
};

/// Work of one macro tile, or of a frame.
struct TileWork {
  std::uint64_t pairs = 0;                // splats in the tile's list
  WarpWork by_halves, by_strips, by_two;  // warps with half a strip, one, and two
  std::uint64_t subtiles = 0;             // subtiles of 32 pixels that were evaluated
  std::uint64_t pixels = 0;               // active pixels of these subtiles that the splat touches
  std::uint64_t buckets = 0;              // buckets of 32 splats with an active pixel
  std::uint64_t passes = 0;               // pairs of a subtile and a bucket
  std::uint64_t saturated = 0;            // strips that end before their list does
  // Sorting: warps with keys of a chunk; passes over several warps, per warp; and further exchanges
  // of these passes through shared memory, per warp.
  std::uint64_t sort_warps = 0, sort_passes = 0, sort_exchanges = 0;
  std::uint64_t merged_chunks = 0;  // of long lists

  TileWork& operator+=(const TileWork& other);
};

/// Work of warps that go through the macro tiles of 32 splats: projection, to count the splats of
/// each tile, and filing. A loop of a warp takes as many turns as its slowest lane.
struct TileVisits {
  std::uint64_t warps = 0;          // with a visible splat
  std::uint64_t rows = 0;           // turns of the loop over a lane's rows of macro tiles
  std::uint64_t columns = 0;        // turns of the loop over the tiles of a row
  std::uint64_t shared_splats = 0;  // large splats, whose rows are distributed over the lanes
  std::uint64_t shared_rows = 0, shared_columns = 0;  // the same turns for those

  TileVisits& operator+=(const TileVisits& other);
};

struct FrameWork {
  std::uint64_t splats = 0;
  std::uint64_t threads = 0;  // threads of projection in clusters that are not culled
  std::uint64_t visible = 0;
  std::uint64_t slots = 0;  // macro tiles in the splats' rectangles
  std::uint64_t empty_tiles = 0;
  TileVisits visits;
  TileWork all;
  std::vector<TileWork> tiles;
  /// Pieces of the lists, as backward blending takes them: hits by strips, and subtiles.
  std::vector<TileWork> pieces;
};

/// Counts the work for frames of one scene.
class FrameCounter {
 public:
  FrameCounter(SplatCloud cloud, ThreadPool& pool);

  FrameWork count(const Camera& camera);

 private:
  bool antialiased_;
  cuda::Stream stream_;
  cuda::CudaScene scene_;
  cuda::TileLists lists_;
};

}  // namespace mote
