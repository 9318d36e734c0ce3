#pragma once

// What the CPU kernels work on, and the table through which the one for this processor is called.
// Kernels take plain pointers: a file compiled for a newer instruction set must not instantiate
// anything that other files instantiate too.

#include <cstddef>
#include <cstdint>

#include "core/image_limits.h"
#include "cpu/loss_kernel.h"

namespace mote {

inline constexpr int kTilePx = 16;   // a tile: 4x4 blocks of 4x4 pixels
inline constexpr int kBinTiles = 4;  // a bin: 4x4 tiles
inline constexpr int kBinPx = kTilePx * kBinTiles;
inline constexpr int kTilesPerBin = kBinTiles * kBinTiles;

/// Numbers are read and written in whole packs, so that lists need room behind their end.
constexpr std::size_t list_room_for(std::size_t count) {
  return (count + 31) / 16 * 16;
}

/// A visible splat in the image: one cache line.
struct alignas(64) ProjectedSplat {
  float mean_x, mean_y;                            // px
  float curvature_u, shear, curvature_y, shear_x;  // LogResponse
  float log2_opacity;
  float red, green, blue;
  float depth;               // view z
  std::uint32_t index;       // place in the file: breaks ties of depth
  float extent_x, extent_y;  // half size of the box around what it may touch, px
  std::uint8_t bins[4];      // first and last column, first and last row of bins of that box
};
static_assert(kMaxImageSide <= 256 * kBinPx);
static_assert(sizeof(ProjectedSplat) == 64);

struct ProjectParams {
  const float* geometry;  // [blocks][kFieldCount][16], activated: scales and opacity as used
  const float* sh;        // [blocks][coefficient][3][16]
  std::size_t sh_stride;  // floats a block
  const std::uint32_t* index;
  int sh_degree;
  bool antialiased;
  float cam_from_world[9];  // rows
  float translation[3];
  float position_world[3];
  float focal_x, focal_y, center_x, center_y, width, height;  // px
};

struct TileParams {
  const ProjectedSplat* splats;  // of the bin, by depth
  const std::uint32_t* list;     // those that touch this tile, in order; list_room_for(list_size)
  std::size_t list_size;
  float origin_x, origin_y;  // of the tile, px
  int width, height;         // of the tile's part inside the image, px
  float background[3];
  // The tile's first pixel in the frame's planes; alpha and depth are null where not asked for.
  float *rgb, *alpha, *depth_expected, *depth_median;
  std::size_t row_pixels;  // image width
};

struct CpuKernels {
  const char* name;  // of the instruction set
  int lanes;
  /// Projects the blocks [begin, end), writes those that may touch a pixel to `out` in order and
  /// returns how many.
  std::size_t (*project)(const ProjectParams& params, std::size_t begin, std::size_t end,
                         ProjectedSplat* out);
  /// For each of the splats `numbers[0 .. count)` in turn: appends its number to the list of every
  /// tile of the bin at (x, y) px that it touches. `lists` is [kTilesPerBin][list_room], `sizes`
  /// starts at zero. list_room_for(count) makes room; `numbers` must be readable up to it.
  void (*list_tiles)(const ProjectedSplat* splats, std::size_t count, float x, float y,
                     const std::uint32_t* numbers, std::uint32_t* lists, std::size_t list_room,
                     std::size_t* sizes);
  /// Blends one tile into the frame; returns the splat-pixel evaluations it took.
  std::uint64_t (*blend_tile)(const TileParams& params);
  /// The loss and its gradient over the rows [first_row, first_row + kLossBandRows) inside the
  /// image. `scratch` holds loss_scratch_floats(width), 64-byte aligned, unspecified content.
  LossSums (*loss_band)(const LossParams& params, int first_row, float* scratch);
};

/// The kernels compiled for one instruction set ("v2", "v3", "v4"), best last, and whether this
/// processor runs them.
struct IsaEntry {
  const CpuKernels* kernels;
  bool (*usable)();
};

/// All compiled instruction sets and their number.
const IsaEntry* isa_table(std::size_t& count);

/// What stands before CpuKernels::name in the full name of the instruction set: "x86-64-".
extern const char* const kIsaFamily;

}  // namespace mote
