#pragma once

// What the CPU kernels work on, and the table through which the one for this processor is called.
// Kernels take plain pointers: a file compiled for a newer instruction set must not instantiate
// anything that other files instantiate too.

#include <cstddef>
#include <cstdint>

#include "cameras/camera_floats.h"
#include "core/image_limits.h"
#include "cpu/loss_kernel.h"
#include "splats/kinds/splat_shape.h"
#include "splats/rate_groups.h"

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
  float depth;               // view z, of a solid that of its nearest point
  std::uint32_t index;       // place in the file: breaks ties of depth
  float extent_x, extent_y;  // half size of the box around what it may touch, px
  std::uint8_t bins[4];      // first and last column, first and last row of bins of that box
};
static_assert(kMaxImageSide <= 256 * kBinPx);
static_assert(sizeof(ProjectedSplat) == 64);

/// A splat and a bin that it touches.
struct BinHit {
  std::uint32_t bin;
  std::uint32_t splat;       // place among the projected splats
  std::uint32_t depth_bits;  // of the float
};

struct ProjectParams {
  const float* geometry;       // [blocks][kFieldCount][16]
  bool activated;              // scales and opacity stand as used, not as logs and logits
  const float* sh;             // [blocks][coefficient][3][16]
  std::size_t sh_stride;       // floats a block
  const std::uint32_t* index;  // [blocks][16] place in the file; null where it is the place here
  int sh_degree;
  bool antialiased;
  float splat_scale;
  SplatShape shape;
  CameraFloats camera;
};

struct TileParams {
  const ProjectedSplat* splats;  // of the bin, by depth
  const std::uint32_t* list;     // those that touch this tile, in order; list_room_for(list_size)
  std::size_t list_size;
  float origin_x, origin_y;  // of the tile, px
  int width, height;         // of the tile's part inside the image, px
  float background[3];
  // The tile's first pixel in the frame; all but `rgb` are null where not asked for.
  float *rgb, *alpha, *depth_expected, *depth_median, *overdraw;
  std::size_t row_pixels;  // image width
  float* planes[3];        // red, green, blue apart: in place of `rgb`, alpha and depth
  float* transmittance;    // final; with the planes
  std::size_t plane_stride;
};

struct SolidTileParams {
  TileParams tile;                             // no planes
  const SolidSurface<float>* surfaces;         // of the bin's splats
  bool shaded;                                 // ellipsoids, else points
  float focal_x, focal_y, center_x, center_y;  // px
};

/// What a splat's gradient is made of, summed over pixels: BlendSums of
/// splats/kinds/gaussian_block.h, in its order, padded to whole vectors of four.
inline constexpr int kGradientSums = 12;

struct BackwardTileParams {
  const ProjectedSplat* splats;  // as in TileParams
  const std::uint32_t* list;
  std::size_t list_size;
  float origin_x, origin_y;
  int width, height;
  // The tile's first pixel in the planes: the blended colour and the loss's gradient by it.
  const float *color[3], *d_color[3];
  std::size_t plane_stride;
  bool absolute;  // sum the size of the mean's gradient too
  float* sums;    // [splats of the bin][kGradientSums], added to
};

/// Parameters with the optimiser's moments, in blocks of 16, and what densification looks at.
struct SplatState {
  float *geometry, *geometry_first, *geometry_second;  // [blocks][kFieldCount][16]
  float *sh, *sh_first, *sh_second;                    // [blocks][coefficient][3][16]
  std::size_t sh_stride;                               // floats a block
  std::uint32_t* last_step;                            // [blocks][16]: when Adam last ran
  float* gradient_sum;                                 // [blocks][16]
  std::uint32_t* seen;                                 // [blocks][16]
  float* radius_px;                                    // [blocks][16]
};

/// The backward pass of the visible splats of a part, and Adam.
struct UpdateParams {
  ProjectParams projection;  // of the forward pass
  SplatState state;
  const ProjectedSplat* splats;  // of the part
  std::size_t count;
  std::uint32_t first_place;  // of `splats` among the projected splats
  const BinHit* hits;         // of these splats, in their order
  std::size_t hit_count;
  const float* sums;  // [hits][kGradientSums]
  bool absolute;
  float opacity_weight, scale_weight;  // of the regularisers, over the number of splats (and axes)
  std::uint32_t step;                  // number of the step, from 1
  float inverse_root;                  // AdamStep of the step
  AdamRate rates[kRateGroups];
  // Where not null, gradients are written here and nothing is updated.
  float *gradient_geometry, *gradient_sh;
  std::uint32_t* broken;  // room for `count`: places of splats whose gradient was not finite
};

struct UpdateResult {
  double d_pose_rotation[3], d_pose_translation[3];
  std::size_t broken;
};

/// The exploration noise of MCMC (Kheradmand et al. 2024): mean += covariance * normal * scale *
/// sigmoid(-100 (opacity - 0.005)).
struct NoiseParams {
  float* geometry;  // raw
  float scale;
  std::uint64_t seed;  // of the step
};

struct CpuKernels {
  const char* name;  // of the instruction set
  int lanes;
  /// Projects the blocks [begin, end), writes those that may touch a pixel to `out` in order and
  /// returns how many. Their surfaces go to `surfaces`, which may be null for Gaussians.
  std::size_t (*project)(const ProjectParams& params, std::size_t begin, std::size_t end,
                         ProjectedSplat* out, SolidSurface<float>* surfaces);
  /// For each of the splats `numbers[0 .. count)` in turn: appends its number to the list of every
  /// tile of the bin at (x, y) px that it touches. `lists` is [kTilesPerBin][list_room], `sizes`
  /// starts at zero. list_room_for(count) makes room; `numbers` must be readable up to it.
  void (*list_tiles)(const ProjectedSplat* splats, std::size_t count, float x, float y,
                     const std::uint32_t* numbers, std::uint32_t* lists, std::size_t list_room,
                     std::size_t* sizes);
  /// Blends one tile into the frame; returns the splat-pixel evaluations it took.
  std::uint64_t (*blend_tile)(const TileParams& params);
  /// The same for solid splats.
  std::uint64_t (*draw_solid_tile)(const SolidTileParams& params);
  /// Adds the tile's share to the gradients' sums of its bin's splats.
  void (*backward_tile)(const BackwardTileParams& params);
  UpdateResult (*update)(const UpdateParams& params);
  /// Loss and gradient of the kLossBandRows rows from `first_row`. `scratch` is 64-byte aligned and
  /// holds loss_scratch_floats(width).
  LossSums (*loss_band)(const LossParams& params, int first_row, float* scratch);
  /// Moves the means of the blocks [begin, end) by random steps.
  void (*add_noise)(const NoiseParams& params, std::size_t begin, std::size_t end);
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
