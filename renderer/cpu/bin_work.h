#pragma once

#include <cstdint>

#include "backend/backend.h"
#include "core/buffer.h"
#include "cpu/binning.h"
#include "cpu/kernels.h"

namespace mote {

struct BlendCounts {
  std::uint64_t pairs = 0;        // splats in the tile's list
  std::uint64_t evaluations = 0;  // of splats at pixels
};

/// How a frame is drawn.
struct DrawnView {
  const Camera& camera;
  const RenderSettings& settings;
};

/// A bin of the image being blended: its splats by depth and the list of each of its tiles. Memory
/// is kept from bin to bin.
class BinWork {
 public:
  /// Sorts the bin's entries by depth, ties by their place in the file, and brings the splats
  /// together in that order.
  void sort(Binning& binning, std::size_t bin);
  /// Brings the splats of a bin together in the order in which sort() left it.
  void gather(Binning& binning, std::size_t bin);
  /// Lists the sorted splats by tile.
  void list_tiles(const CpuKernels& kernels);
  /// One of the kTilesPerBin tiles of an image: where it is, its size, which is empty where it lies
  /// outside, and its list.
  TileParams tile(int tile, int image_width, int image_height) const;
  std::size_t memory_bytes() const;
  /// Blends one of the kTilesPerBin tiles into the frame; nothing where it lies outside.
  BlendCounts blend_tile(const CpuKernels& kernels, int tile, const DrawnView& view,
                         Frame& frame) const;

 private:
  int x_ = 0, y_ = 0;  // the bin's first pixel
  Buffer<BinEntry> sort_scratch_;
  Buffer<ProjectedSplat> sorted_;
  Buffer<SolidSurface<float>> surfaces_;  // of the sorted splats, where they are solid
  Buffer<std::uint32_t> numbers_;         // 0, 1, 2, ...
  Buffer<std::uint32_t> lists_;           // [kTilesPerBin][list_room_for(splats of the bin)]
  std::size_t list_sizes_[kTilesPerBin] = {};
};

}  // namespace mote
