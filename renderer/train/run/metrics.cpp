#include "train/run/metrics.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "math/ssim.h"

namespace mote {
namespace {

constexpr int kMetricRows = 32;

struct Sums {
  double weight = 0, squared = 0, ssim = 0;
};

/// The moments of one row and channel after the vertical window, zero-padded on both sides.
struct MomentRow {
  explicit MomentRow(std::size_t width) {
    for (auto& moment : moments) moment.resize(width + 2 * kSsimRadius);
  }
  std::vector<double> moments[kSsimMoments];
};

/// One channel of both pictures, for the rows of a band and kSsimRadius rows on either side.
struct Planes {
  Planes(std::size_t width, int first_row, int rows)
      : width(width), first(first_row - kSsimRadius), rows(rows + 2 * kSsimRadius) {
    for (auto& plane : planes) plane.resize(width * static_cast<std::size_t>(this->rows));
  }

  /// Values outside the image stay zero.
  void fill(const Image& rendered, const Image& truth, std::size_t channel) {
    for (int row = 0; row < rows; ++row) {
      const int y = first + row;
      if (y < 0 || y >= truth.height) continue;
      const float *x_row = rendered.row(y) + channel, *y_row = truth.row(y) + channel;
      const std::size_t at = static_cast<std::size_t>(row) * width;
      for (std::size_t i = 0; i < width; ++i) {
        const auto a = static_cast<double>(std::clamp(x_row[i * 3], 0.0f, 1.0f));
        const auto b = static_cast<double>(y_row[i * 3]);
        planes[kMeanX][at + i] = a;
        planes[kMeanY][at + i] = b;
        planes[kMeanSquares][at + i] = ssim_squares(a, b);
        planes[kMeanDifference][at + i] = ssim_difference(a, b);
      }
    }
  }

  std::size_t width;
  int first, rows;
  std::vector<double> planes[kSsimMoments];  // of single pixels
};

/// out[i] = weighted sum of middle[i + k * step] over k from -kSsimRadius to kSsimRadius.
void weigh(const double* middle, std::size_t step, double* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = kSsimWeights[0] * middle[i];
  for (int k = 1; k <= kSsimRadius; ++k) {
    const std::ptrdiff_t offset = k * static_cast<std::ptrdiff_t>(step);
    const double *before = middle - offset, *after = middle + offset;
    for (std::size_t i = 0; i < count; ++i) out[i] += kSsimWeights[k] * (before[i] + after[i]);
  }
}

/// Adds one row of one channel.
void add_row(const Planes& planes, int row, const float* weights, MomentRow& columns,
             MomentRow& both, Sums& sums) {
  const std::size_t middle = static_cast<std::size_t>(row + kSsimRadius) * planes.width;
  for (int m = 0; m < kSsimMoments; ++m) {
    double* const moment = columns.moments[m].data() + kSsimRadius;
    weigh(planes.planes[m].data() + middle, planes.width, moment, planes.width);
    weigh(moment, 1, both.moments[m].data(), planes.width);
  }
  for (std::size_t i = 0; i < planes.width; ++i) {
    const auto weight = weights == nullptr ? 1.0 : static_cast<double>(weights[i]);
    const auto moments = ssim_moments<double>([&](int m) { return both.moments[m][i]; });
    sums.weight += weight;
    sums.squared += weight * planes.planes[kMeanDifference][middle + i];
    sums.ssim += weight * ssim_of(moments).value;
  }
}

Sums compare_band(const Image& rendered, const Image& truth, const Image& mask, int first_row) {
  const auto width = static_cast<std::size_t>(truth.width);
  const int rows = std::min(kMetricRows, truth.height - first_row);
  Planes planes(width, first_row, rows);
  MomentRow columns(width), both(width);
  Sums sums;
  for (std::size_t channel = 0; channel < 3; ++channel) {
    planes.fill(rendered, truth, channel);
    for (int row = 0; row < rows; ++row) {
      add_row(planes, row, mask.pixels.empty() ? nullptr : mask.row(first_row + row), columns, both,
              sums);
    }
  }
  return sums;
}

}  // namespace

std::uint64_t image_comparison_bytes(std::uint64_t width) {
  constexpr std::uint64_t kBandRows = kMetricRows + 2 * kSsimRadius, kPlanes = 4;
  return static_cast<std::uint64_t>(usable_cpus()) * kBandRows * kPlanes * width * sizeof(double);
}

ImageQuality compare_images(const Image& rendered, const Image& truth, const Image& mask) {
  CHECK(rendered.channels == 3 && truth.channels == 3);
  CHECK(rendered.width == truth.width && rendered.height == truth.height);
  CHECK(truth.width > 0 && truth.height > 0);
  CHECK(mask.pixels.empty() ||
        (mask.width == truth.width && mask.height == truth.height && mask.channels == 1));
  std::vector<Sums> bands(static_cast<std::size_t>((truth.height - 1) / kMetricRows + 1));
  run_tasks(bands.size(), [&](std::size_t band, int) {
    bands[band] = compare_band(rendered, truth, mask, static_cast<int>(band) * kMetricRows);
  });
  Sums total;
  for (const Sums& band : bands) {
    total.weight += band.weight;
    total.squared += band.squared;
    total.ssim += band.ssim;
  }
  return {-10 * std::log10(total.squared / total.weight), total.ssim / total.weight,
          total.weight / 3};
}

double absolute_differences(const Image& rendered, const Image& truth,
                            std::span<const float> weights) {
  CHECK(rendered.channels == 3 && truth.channels == 3);
  CHECK(rendered.width == truth.width && rendered.height == truth.height);
  const std::size_t pixels = truth.pixels.size() / 3;
  CHECK(weights.empty() || weights.size() == pixels);
  double sum = 0;
  for (std::size_t i = 0; i < pixels; ++i) {
    const float weight = weights.empty() ? 1.0f : weights[i];
    if (!(weight > 0)) continue;
    double error = 0;
    for (std::size_t c = 3 * i; c < 3 * i + 3; ++c) {
      const auto shown = static_cast<double>(std::clamp(rendered.pixels[c], 0.0f, 1.0f));
      error += std::abs(shown - static_cast<double>(truth.pixels[c]));
    }
    sum += static_cast<double>(weight) * error;
  }
  return sum;
}

}  // namespace mote
