#pragma once

// How much work the CUDA kernels have with a frame, counted on the host by the kernels' own
// functions: what an estimate of their time starts from.

#include <cstdint>
#include <vector>

#include "backend/drawable_splats.h"
#include "cameras/camera.h"

namespace mote {

/// Of one macro tile, or of a frame.
struct TileWork {
  std::uint64_t pairs = 0;      // splats filed
  std::uint64_t entered = 0;    // splats entered into batches, before the block is done
  std::uint64_t groups = 0;     // of 32 of them, by warps that go on
  std::uint64_t hits = 0;       // splats that a warp takes
  std::uint64_t subtiles = 0;   // of 32 pixels, evaluated
  std::uint64_t pixels = 0;     // of those, pixels that the splat touches and that go on
  std::uint64_t buckets = 0;    // of 32 splats, with a pixel that goes on
  std::uint64_t passes = 0;     // subtiles that go through a bucket
  std::uint64_t saturated = 0;  // warps that are done before their list is

  TileWork& operator+=(const TileWork& other);
};

struct FrameWork {
  std::uint64_t splats = 0;
  std::uint64_t threads = 0;  // of projection, in clusters that are not culled
  std::uint64_t visible = 0;
  std::uint64_t slots = 0;  // macro tiles in the rectangles of splats
  std::uint64_t empty_tiles = 0;
  TileWork all;
  std::vector<TileWork> tiles;
};

FrameWork frame_work(const DrawableSplats& scene, const Camera& camera, bool antialiased);

}  // namespace mote
