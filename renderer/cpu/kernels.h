#pragma once

// The data of the CPU kernels, and the table that selects the kernels for this processor. Kernels
// take plain pointers. A file compiled for a newer instruction set must not instantiate templates
// that other files also instantiate.

#include <cstddef>
#include <cstdint>

#include "cameras/camera_floats.h"
#include "core/image.h"
#include "cpu/deformation_kernels.h"
#include "cpu/field_kernels.h"
#include "cpu/general_network.h"
#include "cpu/grid_motion.h"
#include "cpu/loss_kernel.h"
#include "pipeline/surface.h"
#include "splats/block_life.h"
#include "splats/kinds/feature_decoder.h"
#include "splats/kinds/fields.h"
#include "splats/kinds/splat_kind.h"
#include "splats/kinds/splat_motion.h"
#include "splats/kinds/splat_shape.h"
#include "splats/motions/motion_paint.h"

namespace mote {

inline constexpr int kTilePx = 16;   // a tile: 4x4 blocks of 4x4 pixels
inline constexpr int kBinTiles = 4;  // a bin: 4x4 tiles
inline constexpr int kBinPx = kTilePx * kBinTiles;
inline constexpr int kTilesPerBin = kBinTiles * kBinTiles;

/// The capacity of a list. Whole packs of numbers are read and written, so a list needs space after
/// its end.
constexpr std::size_t list_capacity_for(std::size_t count) {
  return (count + 31) / 16 * 16;
}

/// A visible splat in the image, in one cache line. gather_splats() loads the first eight floats.
/// Kinds may have additional words, which are in a separate array (extra_words()).
struct alignas(64) ProjectedSplat {
  float mean_x, mean_y;                            // px
  float curvature_u, shear, curvature_y, shear_x;  // EllipseForm
  float log2_opacity;
  float red, green, blue;
  float depth;               // view z of the mean, or of a solid's nearest point
  std::uint32_t index;       // in the file; decides at equal depth
  float extent_x, extent_y;  // half the size of the bounding box, px
  std::uint8_t bins[4];      // first and last column, first and last row of bins of that box
};
static_assert(kMaxImageSide <= 256 * kBinPx);
static_assert(sizeof(ProjectedSplat) == 64);
static_assert(offsetof(ProjectedSplat, curvature_y) == 4 * sizeof(float) &&
              offsetof(ProjectedSplat, log2_opacity) == 6 * sizeof(float));

/// A splat and a bin that it touches.
struct BinHit {
  std::uint32_t bin;
  std::uint32_t splat;       // index among the projected splats
  std::uint32_t depth_bits;  // bits of the float
};

struct ProjectParams {
  SplatKind kind;
  const float* geometry;       // [blocks][fields of kind and motion][16]
  bool activated;              // `geometry` has activated values
  const float* sh;             // [blocks][coefficient][3][16]
  std::size_t sh_stride;       // floats per block
  const std::uint32_t* index;  // [blocks][16] index in the file; null: equal to the index here
  const float* marks;          // [blocks][16] 1 for splats to be tinted, else 0; null: none
  int sh_degree;
  bool antialiased;
  float splat_scale;
  SplatShape shape;
  CameraFloats camera;
  SplatMotion motion;
  float time_s;            // of the view
  const BlockLife* lives;  // [blocks]; null: unknown, or the splats do not have lives
  MotionPaint paint;
  ShownFeatures features;  // in place of colours, if `sh` holds features
};

/// The splats of a bin, which are listed by tile.
struct ListParams {
  SplatKind kind;
  bool solid;                        // drawn as solids, whose additional words are SolidSurfaces
  const ProjectedSplat* splats;      // sorted by depth
  const float* extras;               // [splats][extra_words()]
  const std::uint32_t* numbers;      // 0, 1, 2, ...; readable up to list_capacity
  std::size_t count, list_capacity;  // list_capacity: list_capacity_for(count)
  float x, y;                        // the bin's first pixel, px
};

struct TileParams {
  SplatKind kind;
  const ProjectedSplat* splats;  // splats of the bin, sorted by depth
  const float* extras;           // [splats][extra_words()]
  const std::uint32_t* list;  // splats that touch this tile, in order; list_capacity_for(list_size)
  std::size_t list_size;
  float origin_x, origin_y;  // corner of the tile, px
  int width, height;         // size of the tile inside the image, px
  float background[3];
  const CameraFloats* camera;  // if normals are requested
  // The tile's first pixel in the frame. All but `rgb` are null unless requested.
  float *rgb, *alpha, *depth_expected, *depth_median, *normal, *overdraw;
  std::size_t row_pixels;        // image width
  float* planes[3];              // red, green, blue; instead of `rgb`, alpha and depth
  float* transmittance;          // final; only with the planes
  float* surface[kSurfaceSums];  // sums of the surface payload, with the planes; null: none
  std::size_t plane_stride;
};

struct SolidTileParams {
  TileParams tile;                             // without planes; its extras are SolidSurfaces
  bool shaded;                                 // shaded ellipsoids; otherwise points
  float focal_x, focal_y, center_x, center_y;  // px
};

/// Blended features of a picture, which become colours. Pixels in rows, without space between them.
struct DecodeParams {
  const FeatureDecoder* decoder;
  CameraFloats camera;
  int width;
  const float *directional, *temporal;  // [h][w][3]
  const float* marks;                   // [h][w][3], blended marks; null: none
  const float* alpha;                   // [h][w], multiplied with the colours; null: they are not
  float* rgb;                           // [h][w][3] base features, replaced by the colours
};

struct BackwardTileParams {
  SplatKind kind;
  const ProjectedSplat* splats;  // as in TileParams
  const float* extras;
  const std::uint32_t* list;
  std::size_t list_size;
  float origin_x, origin_y;
  int width, height;
  // The tile's first pixel in the planes: blended colour, and gradient of the loss.
  const float *color[3], *d_color[3];
  // The same for the surface payload; null if the loss does not depend on it.
  const float *transmittance, *surface[kSurfaceSums], *d_surface[kSurfaceGradients];
  const CameraFloats* camera;  // with the surface payload
  std::size_t plane_stride;
  bool absolute;  // also sums |dL/dmean_px|
  float* sums;    // [splats of the bin][kPaddedSums of the kind]; added to
};

/// The input of the surface losses (pipeline/surface_loss.h). Planes as in LossParams.
struct SurfaceLossParams {
  const CameraFloats* camera;
  int width, height;   // px
  std::size_t stride;  // plane_stride(width)
  const float *transmittance, *sums[kSurfaceSums];
  float distortion_weight, normal_weight;  // divided by the number of pixels
  float* d_sums[kSurfaceGradients];        // written
};

/// Parameters with Adam's moments, in blocks of 16, and the statistics of densification.
struct SplatState {
  float *geometry, *geometry_first, *geometry_second;  // [blocks][fields of kind and motion][16]
  float *sh, *sh_first, *sh_second;                    // [blocks][coefficient][3][16]
  std::size_t sh_stride;                               // floats per block
  std::uint32_t* last_step;                            // [blocks][16]: step of the last update
  float* gradient_sum;                                 // [blocks][16]
  std::uint32_t* seen;                                 // [blocks][16]
  float* radius_px;                                    // [blocks][16]
};

/// The input of the update of a part's visible splats: their backward pass, and Adam.
struct UpdateParams {
  ProjectParams projection;  // parameters of the forward pass
  SplatState state;
  const ProjectedSplat* splats;  // splats of the part
  std::size_t count;
  std::uint32_t first_place;  // index of the first of `splats` among the projected splats
  const BinHit* hits;         // hits of these splats, in order
  std::size_t hit_count;
  const float* sums;  // [hits][kPaddedSums of the kind]
  bool absolute;
  /// Weights of the regularisers, divided by the number of splats; that of the scales also by the
  /// number of axes.
  float opacity_weight, scale_weight;
  std::uint32_t step;  // step number, from 1
  float inverse_root;  // AdamStep of the step
  bool pose_gradient;  // whether the camera's gradient is computed
  bool time_gradient;  // whether that of the view's time is
  AdamRate rates[kRateGroups];
  float velocity_life_s;  // see velocity_rate_factor()
  // If not null, gradients are written here and nothing is updated.
  float *gradient_geometry, *gradient_sh;  // gradient_sh: null if only the former is wanted
  const float* added_means;  // [blocks][3][16], added to the gradients by the means; null: none
  std::uint32_t* broken;     // [count]: indices of splats with a gradient that is not finite
};

struct UpdateResult {
  double d_pose_rotation[3], d_pose_translation[3], d_time;
  std::size_t broken;
};

/// The exploration noise of MCMC (splats/density/exploration.h): mean += covariance * normal *
/// scale * gate(opacity).
struct NoiseParams {
  SplatKind kind;
  float* geometry;  // stored values
  float scale;
  std::uint64_t seed;  // seed of the step
  SplatMotion motion = SplatMotion::still;
  float time_s = 0;  // splats with lives move by their weight at that time
};

struct CpuKernels {
  const char* name;  // name of the instruction set
  int lanes;
  /// Projects the blocks [begin, end). Writes the splats that may touch a pixel to `out`, in order,
  /// and returns their number. `extras`: [splats][extra_words()]; may be null if that is zero.
  std::size_t (*project)(const ProjectParams& params, std::size_t begin, std::size_t end,
                         ProjectedSplat* out, float* extras);
  /// Appends the number of each splat, in order, to the lists of the bin's tiles that it touches.
  /// `lists` is [kTilesPerBin][list_capacity]; `sizes` starts at zero.
  void (*list_tiles)(const ListParams& params, std::uint32_t* lists, std::size_t* sizes);
  /// Blends one tile into the frame. Returns the number of splat-pixel evaluations. Pixels are
  /// stored past the caches. After some tiles, a thread calls hwy::FlushStream(), which waits until
  /// they are in memory.
  std::uint64_t (*blend_tile)(const TileParams& params);
  /// The same for solid splats.
  std::uint64_t (*draw_solid_tile)(const SolidTileParams& params);
  /// Makes colours of the features in the rows [begin, end) of a picture.
  void (*decode_features)(const DecodeParams& params, int begin, int end);
  /// Adds the tile's part to the gradient sums of its bin's splats.
  void (*backward_tile)(const BackwardTileParams& params);
  UpdateResult (*update)(const UpdateParams& params);
  /// Computes loss and gradient of the kLossBandRows rows from `first_row`. `scratch`:
  /// loss_scratch_floats(width) floats, 64-byte aligned.
  LossSums (*loss_band)(const LossParams& params, int first_row, float* scratch);
  /// The gradient of the surface losses for the same rows, with a scratch of the same size.
  void (*surface_band)(const SurfaceLossParams& params, int first_row, float* scratch);
  /// Adds random steps to the means of the blocks [begin, end).
  void (*add_noise)(const NoiseParams& params, std::size_t begin, std::size_t end);
  /// Evaluates one level of a grid encoding at the positions [begin, end).
  void (*encode_grid)(const GridParams& params, int level, std::size_t begin, std::size_t end);
  /// Adds the gradient of all positions to one level's parameters.
  void (*encode_grid_backward)(const GridBackwardParams& params, int level);
  /// Adds the gradient by the positions [begin, end) from one level's features.
  void (*encode_grid_slopes)(const GridSlopeParams& params, int level, std::size_t begin,
                             std::size_t end);
  /// Computes the changes of one level's features at the positions [begin, end).
  void (*encode_grid_rates)(const GridRateParams& params, int level, std::size_t begin,
                            std::size_t end);
  /// Adds the gradient of all positions to one level's parameters.
  void (*encode_grid_rates_backward)(const GridRateBackwardParams& params, int level);
  /// Evaluates both networks of a NeRF for the samples [begin, end). `begin` is a multiple of 16.
  /// Without layers of the colour network, the first outputs of the density network are written.
  void (*nerf_forward)(const NerfNetworkParams& params, std::size_t begin, std::size_t end);
  /// Its vjp for these samples. Values from `end` on are not used.
  void (*nerf_backward)(const NerfNetworkBackwardParams& params, std::size_t begin,
                        std::size_t end);
  /// Evaluates a network of any width for the samples [begin, end), both multiples of 16.
  void (*general_forward)(const GeneralNetworkParams& params, std::size_t begin, std::size_t end);
  /// Its vjp for these samples.
  void (*general_backward)(const GeneralBackwardParams& params, std::size_t begin, std::size_t end);
  /// Activates densities by a softplus at the samples [begin, end), `begin` a multiple of 16.
  void (*soften_densities)(const SoftDensityParams& params, std::size_t begin, std::size_t end);
  /// Activates the outputs of a NeRF's networks at the samples [begin, end).
  void (*shade_samples)(const ShadeParams& params, std::size_t begin, std::size_t end);
  /// Finds the next samples of the rays alive[begin .. end), as march() does for one ray.
  void (*march_rays)(const MarchParams& params, std::size_t begin, std::size_t end);
  /// One step of a field's optimiser for the blocks [begin, end) of 16 parameters. Gradients are
  /// zero afterwards. Returns the number of parameters whose gradient is not finite; these do not
  /// change.
  std::size_t (*update_field)(const FieldUpdateParams& params, std::size_t begin, std::size_t end);
  /// Writes the average of the blocks [begin, end) after `params.step` to `values` and `halves`;
  /// either may be null. Without an average, writes the values.
  void (*read_average)(const FieldUpdateParams& params, std::size_t begin, std::size_t end,
                       float* values, std::uint16_t* halves);
  /// Writes the places of the splats of the blocks [begin, end) in a field's box, and the time.
  void (*place_splats)(const DisplaceParams& params, std::size_t begin, std::size_t end);
  /// Writes their geometry, moved by the outputs of the field.
  void (*displace_splats)(const DisplaceParams& params, std::size_t begin, std::size_t end);
  /// The vjps of both.
  void (*displace_splats_vjp)(const DisplaceBackwardParams& params, std::size_t begin,
                              std::size_t end);
  void (*place_splats_vjp)(const DisplaceBackwardParams& params, std::size_t begin,
                           std::size_t end);
  /// Evaluates planes at the places [begin, end), both multiples of 16.
  void (*encode_hexplane)(const HexPlaneParams& params, std::size_t begin, std::size_t end);
  /// The gradients by these places, and by the values of the planes at them.
  void (*encode_hexplane_vjp)(const HexPlaneBackwardParams& params, std::size_t begin,
                              std::size_t end);
  /// Adds the latter to the nodes of one plane of a level, in the order of the places.
  void (*add_plane_nodes)(const HexPlaneBackwardParams& params, std::size_t level, int plane,
                          std::size_t begin, std::size_t end);
  /// Adds the gradients of the losses of one plane of a level.
  void (*add_plane_losses)(const PlaneLossParams& params, std::size_t level, int plane);
  /// A step of Adam for the parameters [begin, end), both multiples of 16. Those whose gradient is
  /// not finite stay.
  void (*step_parameters)(const AdamParams& params, std::size_t begin, std::size_t end);
};

/// The kernels of one instruction set ("v2", "v3", "v4", "v4bf16", "v4amx").
struct IsaEntry {
  const CpuKernels* kernels;
  bool (*usable)();  // this processor supports it
  bool (*gains)();   // it is then faster than those before it
};

/// All compiled instruction sets, each with more instructions than the one before, and their
/// number.
const IsaEntry* isa_table(std::size_t& count);

/// The kernels of the fastest of the instruction sets that this processor supports; null: there is
/// none.
const CpuKernels* best_kernels(const IsaEntry* entries, std::size_t count);
/// The same of the table.
const CpuKernels* best_kernels();

/// Prefix of CpuKernels::name in the full name of the instruction set: "x86-64-".
extern const char* const kIsaFamily;

}  // namespace mote
