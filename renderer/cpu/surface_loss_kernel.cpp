// The gradient of the surface losses of a step, in independent bands of rows. Compiled once per
// instruction set.
//
// A band first computes the expected depth of its rows and of two more rows on either side. Then it
// computes the gradient with respect to the slopes of the depths, with one more row on either side.
// Each pixel gathers the gradients of its four neighbours.

#include "pipeline/surface_loss.h"

#include "cameras/view_camera.h"
#include "cpu/isa_kernels.h"
#include "lanes/pack.h"

namespace mote::MOTE_ISA {
namespace {

constexpr int kDepthHalo = 2, kSlopeHalo = 1;  // rows
constexpr int kSlopeValues = 6;                // along_x, along_y
// The scratch of loss_band() has six rows of the pitch for each row of the band and its halo.
static_assert(kLossBandRows + 2 * kDepthHalo + kSlopeValues * (kLossBandRows + 2 * kSlopeHalo) <
              6 * (kLossBandRows + 2 * kLossHalo));

/// A band with its scratch, whose rows have zeros on both sides.
struct SurfaceBand {
  const SurfaceLossParams& params;
  Pinhole<Pack> camera;
  int first, count;  // rows
  std::size_t pitch;
  float* scratch;

  /// Row `row` of the band, from -kDepthHalo.
  float* depth(int row) const { return line(row + kDepthHalo); }
  /// Row `row`, from -kSlopeHalo, of one value of the slopes' gradient.
  float* slope(int value, int row) const {
    constexpr int kDepthRows = kLossBandRows + 2 * kDepthHalo;
    constexpr int kSlopeRows = kLossBandRows + 2 * kSlopeHalo;
    return line(kDepthRows + value * kSlopeRows + row + kSlopeHalo);
  }
  float* line(int number) const {
    return scratch + static_cast<std::size_t>(number) * pitch + kPlaneAlignment;
  }
  /// Lanes of the pack at column x among the columns [1, width - 1).
  PackMask inner(std::size_t x) const {
    const Pack column = columns(x);
    return (column > Pack(1.0f)) & (column < Pack(static_cast<float>(params.width - 1)));
  }
  /// The centres of the pack at column x, px.
  static Pack columns(std::size_t x) {
    return Pack(hn::Iota(PackTag(), static_cast<float>(x))) + Pack(0.5f);
  }
  Pack center_of_row(int row) const { return Pack(static_cast<float>(first + row) + 0.5f); }
  std::size_t at(int row) const { return static_cast<std::size_t>(first + row) * params.stride; }
};

void clear_line(const SurfaceBand& band, float* line) {
  __builtin_memset(line - kPlaneAlignment, 0,
                   (band.params.stride + 2 * kPlaneAlignment) * sizeof(float));
}

void find_depths(const SurfaceBand& band) {
  for (int row = -kDepthHalo; row < band.count + kDepthHalo; ++row) {
    float* line = band.depth(row);
    clear_line(band, line);
    if (band.first + row < 0 || band.first + row >= band.params.height) continue;
    const std::size_t at = band.at(row);
    for (std::size_t x = 0; x < static_cast<std::size_t>(band.params.width); x += kPackLanes) {
      const PackMask inside{hn::FirstN(PackTag(), static_cast<std::size_t>(band.params.width) - x)};
      const Pack coverage = Pack(1.0f) - load(band.params.transmittance + at + x);
      store(keep(inside, expected_depth(coverage, load(band.params.sums[kDepthSum] + at + x))),
            line + x);
    }
  }
}

/// The normal consistency of one row. Writes the gradient with respect to its slopes. If the row
/// belongs to the band, also writes the gradient with respect to its sums of normals.
void differentiate_normals(const SurfaceBand& band, int row) {
  const SurfaceLossParams& params = band.params;
  const bool own = row >= 0 && row < band.count;
  const std::size_t at = band.at(row);
  const float *here = band.depth(row), *above = band.depth(row - 1), *below = band.depth(row + 1);
  for (std::size_t x = 0; x < static_cast<std::size_t>(params.width); x += kPackLanes) {
    const PackMask inner = band.inner(x);
    const DepthStencil<Pack> z{load_unaligned(here + x - 1), load_unaligned(here + x + 1),
                               load(above + x), load(below + x)};
    const Vec3<Pack> normal_sum{load(params.sums[kNormalXSum] + at + x),
                                load(params.sums[kNormalYSum] + at + x),
                                load(params.sums[kNormalZSum] + at + x)};
    const NormalLoss<Pack> loss = normal_loss(
        surface_slopes(band.camera, SurfaceBand::columns(x), band.center_of_row(row), z),
        normal_sum, Pack(1.0f) - load(params.transmittance + at + x), Pack(params.normal_weight));
    const Vec3<Pack> d_x = loss.d_slopes.along_x, d_y = loss.d_slopes.along_y;
    const Pack slopes[kSlopeValues] = {d_x.x, d_x.y, d_x.z, d_y.x, d_y.y, d_y.z};
    for (int k = 0; k < kSlopeValues; ++k) store(keep(inner, slopes[k]), band.slope(k, row) + x);
    if (!own) continue;
    store(keep(inner, loss.d_normal_sum.x), params.d_sums[kNormalXSum] + at + x);
    store(keep(inner, loss.d_normal_sum.y), params.d_sums[kNormalYSum] + at + x);
    store(keep(inner, loss.d_normal_sum.z), params.d_sums[kNormalZSum] + at + x);
  }
}

void find_slopes(const SurfaceBand& band) {
  for (int row = -kSlopeHalo; row < band.count + kSlopeHalo; ++row) {
    for (int k = 0; k < kSlopeValues; ++k) clear_line(band, band.slope(k, row));
    const int y = band.first + row;
    if (y >= 1 && y < band.params.height - 1) {
      differentiate_normals(band, row);
    } else if (row >= 0 && row < band.count) {
      for (const int k : {kNormalXSum, kNormalYSum, kNormalZSum}) {
        __builtin_memset(band.params.d_sums[k] + band.at(row), 0,
                         band.params.stride * sizeof(float));
      }
    }
  }
}

void gather_gradients(const SurfaceBand& band, int row) {
  const SurfaceLossParams& params = band.params;
  const SurfaceWeights<Pack> weights{params.distortion_weight, params.normal_weight};
  const std::size_t at = band.at(row);
  for (std::size_t x = 0; x < static_cast<std::size_t>(params.width); x += kPackLanes) {
    const auto slope = [&](int first_value, int line, int shift) {
      const auto value = [&](int k) {
        return load_unaligned(band.slope(first_value + k, line) + static_cast<std::ptrdiff_t>(x) +
                              shift);
      };
      return Vec3<Pack>{value(0), value(1), value(2)};
    };
    const Pack d_depth = surface_slopes_vjp(
        band.camera, SurfaceBand::columns(x), band.center_of_row(row), slope(0, row, -1),
        slope(0, row, 1), slope(3, row - 1, 0), slope(3, row + 1, 0));
    Pack sums[kSurfaceSums];
    for (int k = 0; k < kSurfaceSums; ++k) sums[k] = load(params.sums[k] + at + x);
    const Vec3<Pack> d_normal{load(params.d_sums[kNormalXSum] + at + x),
                              load(params.d_sums[kNormalYSum] + at + x),
                              load(params.d_sums[kNormalZSum] + at + x)};
    const SurfaceGradient<Pack> d = surface_gradient(
        sums, Pack(1.0f) - load(params.transmittance + at + x), d_depth, d_normal, weights);
    for (int k = 0; k < kSurfaceGradients; ++k) store(d.value[k], params.d_sums[k] + at + x);
  }
}

}  // namespace

void surface_band(const SurfaceLossParams& params, int first_row, float* scratch) {
  const int left = params.height - first_row;
  const SurfaceBand band{params,
                         view_camera<Pack>(*params.camera).pinhole,
                         first_row,
                         left < kLossBandRows ? left : kLossBandRows,
                         loss_pitch(params.width),
                         scratch};
  find_depths(band);
  find_slopes(band);
  for (int row = 0; row < band.count; ++row) gather_gradients(band, row);
}

}  // namespace mote::MOTE_ISA
