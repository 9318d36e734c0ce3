#pragma once

#include <cstdint>

#include "backend/backend.h"
#include "core/buffer.h"
#include "cpu/binning.h"
#include "cpu/kernels.h"

namespace mote {

struct BlendCounts {
  std::uint64_t pairs = 0;        // splats in the tile's list
  std::uint64_t evaluations = 0;  // splat-pixel evaluations
};

/// The drawing settings of a frame.
struct DrawnView {
  const Camera& camera;
  const RenderSettings& settings;
};

/// A bin of the image during blending: its splats sorted by depth, and the list of each of its
/// tiles. Each bin reuses the memory of the last one.
class BinWork {
 public:
  /// Sorts the bin's entries by depth, ties by index in the file. Gathers the splats in that order.
  void sort(Binning& binning, std::size_t bin);
  /// Gathers the splats of a bin in the order of the last sort().
  void gather(Binning& binning, std::size_t bin);
  /// Lists the sorted splats by tile.
  void list_tiles(const CpuKernels& kernels, SplatShape shape);
  /// One of the kTilesPerBin tiles of an image: position, size and list. The size is empty outside
  /// the image.
  TileParams tile(int tile, int image_width, int image_height) const;
  std::size_t memory_bytes() const;
  /// Blends the tiles [first, end) of the kTilesPerBin tiles into the frame, without those outside
  /// the image.
  BlendCounts blend_tiles(const CpuKernels& kernels, int first, int end, const DrawnView& view,
                          Frame& frame) const;

 private:
  /// Sets position, size and list of one tile.
  void place(int tile, int image_width, int image_height, TileParams& params) const;

  int x_ = 0, y_ = 0;  // the bin's first pixel
  SplatKind kind_ = SplatKind::gaussian;
  Buffer<BinEntry> sort_scratch_;
  Buffer<ProjectedSplat> sorted_;
  Buffer<float> extras_;           // [sorted splats][extra_words()]
  Buffer<std::uint32_t> numbers_;  // 0, 1, 2, ...
  /// [kTilesPerBin][list_capacity_for(number of splats in the bin)].
  Buffer<std::uint32_t> lists_;
  std::size_t list_sizes_[kTilesPerBin] = {};
};

}  // namespace mote
