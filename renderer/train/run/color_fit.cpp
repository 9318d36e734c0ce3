#include "train/run/color_fit.h"

#include <algorithm>
#include <cmath>
#include <glm/glm.hpp>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"

namespace mote {
namespace {

constexpr int kFitRows = 64;
/// Pull towards the identity, per pixel. It decides values that a picture of one colour leaves
/// undetermined.
constexpr double kPull = 1e-6;
/// The pull for a map that is applied to other pixels than those that it was fitted to.
constexpr double kPullForOthers = 1e-4;

/// Sums of the normal equations: x = (r, g, b, 1) of the rendering, t of the photograph.
struct Moments {
  glm::dmat4 xx{0};
  glm::dmat3x4 xt{0};  // column c: x times channel c of t
  double weight = 0;

  void add(const Moments& other) {
    xx += other.xx;
    xt += other.xt;
    weight += other.weight;
  }
};

/// Sums over bands of rows, added in the order of the bands.
template <class Sum, class OfPixel>
Sum sum_of_pixels(const Image& rendered, const Image& truth, const Image& mask,
                  const OfPixel& of_pixel) {
  std::vector<Sum> bands(static_cast<std::size_t>((truth.height - 1) / kFitRows + 1));
  run_tasks(bands.size(), [&](std::size_t band, int) {
    const int first = static_cast<int>(band) * kFitRows;
    for (int y = first; y < std::min(first + kFitRows, truth.height); ++y) {
      const float *x = rendered.row(y), *t = truth.row(y);
      const float* weights = mask.pixels.empty() ? nullptr : mask.row(y);
      for (int i = 0; i < truth.width; ++i, x += 3, t += 3) {
        const auto clamped = [x](int c) {
          return static_cast<double>(std::clamp(x[c], 0.0f, 1.0f));
        };
        of_pixel(bands[band], glm::dvec4(clamped(0), clamped(1), clamped(2), 1),
                 glm::dvec3(t[0], t[1], t[2]),
                 weights == nullptr ? 1.0 : static_cast<double>(weights[i]));
      }
    }
  });
  Sum total;
  for (const Sum& band : bands) total.add(band);
  return total;
}

struct SquaredError {
  double value = 0, weight = 0;
  void add(const SquaredError& other) {
    value += other.value;
    weight += other.weight;
  }
};

/// The map x -> t with the least squared error and a pull towards the identity of `pull` per pixel.
glm::dmat3x4 fitted_map(const Image& rendered, const Image& truth, const Image& mask, double pull) {
  CHECK(rendered.width == truth.width && rendered.height == truth.height && truth.height > 0);
  const auto moments = sum_of_pixels<Moments>(
      rendered, truth, mask,
      [](Moments& sum, const glm::dvec4& x, const glm::dvec3& t, double weight) {
        sum.xx += glm::outerProduct(x, weight * x);
        sum.xt += glm::outerProduct(x, weight * t);
        sum.weight += weight;
      });
  if (!(moments.weight > 0)) return glm::dmat3x4(1);
  pull *= moments.weight;
  return glm::inverse(moments.xx + glm::dmat4(pull)) * (moments.xt + pull * glm::dmat3x4(1));
}

}  // namespace

double color_corrected_psnr_db(const Image& rendered, const Image& truth, const Image& mask) {
  const glm::dmat3x4 map = fitted_map(rendered, truth, mask, kPull);
  const auto error = sum_of_pixels<SquaredError>(
      rendered, truth, mask,
      [&](SquaredError& sum, const glm::dvec4& x, const glm::dvec3& t, double weight) {
        const glm::dvec3 off = glm::clamp(x * map, 0.0, 1.0) - t;
        sum.value += weight * glm::dot(off, off);
        sum.weight += weight;
      });
  return -10 * std::log10(error.value / (3 * error.weight));
}

Exposure fitted_exposure(const Image& rendered, const Image& truth, const Image& mask) {
  const glm::dmat3x4 map = fitted_map(rendered, truth, mask, kPullForOthers);
  Exposure exposure;
  for (int channel = 0; channel < 3; ++channel) {
    for (int k = 0; k < 4; ++k) {
      exposure[static_cast<std::size_t>(4 * channel) + static_cast<std::size_t>(k)] =
          static_cast<float>(map[channel][k]);
    }
  }
  return exposure;
}

}  // namespace mote
