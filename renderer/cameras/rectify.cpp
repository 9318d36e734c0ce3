#include "cameras/rectify.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/geometric.hpp>

#include "core/error.h"
#include "math/half.h"

namespace mote {
namespace {

/// Sums of one output pixel: colour (weighted with alpha where there is straight alpha), alpha.
using Sums = std::array<float, 4>;

/// Weights of the pixels at -1, 0, 1, 2 for a point at distance `t` from pixel 0. Source: E.
/// Catmull and R. Rom, "A Class of Local Interpolating Splines", 1974.
std::array<float, 4> catmull_rom(float t) {
  const float t2 = t * t, t3 = t2 * t;
  return {-0.5f * t3 + t2 - 0.5f * t, 1.5f * t3 - 2.5f * t2 + 1, -1.5f * t3 + 2 * t2 + 0.5f * t,
          0.5f * t3 - 0.5f * t2};
}

std::array<float, 2> linear(float t) {
  return {1 - t, t};
}

template <int kChannels>
void add_pixel(const std::uint8_t* pixel, float weight, Sums& sums) {
  if constexpr (kChannels == 4) {
    const float alpha = weight * static_cast<float>(pixel[3]) * (1 / 255.0f);
    for (std::size_t c = 0; c < 3; ++c) sums[c] += alpha * static_cast<float>(pixel[c]);
    sums[3] += alpha;
  } else {
    for (std::size_t c = 0; c < kChannels; ++c) sums[c] += weight * static_cast<float>(pixel[c]);
  }
}

/// Light is multiplied with alpha already, so that all channels are averaged alike.
template <int kChannels>
void add_pixel(const std::uint16_t* pixel, float weight, Sums& sums) {
  for (std::size_t c = 0; c < kChannels; ++c) sums[c] += weight * from_half(pixel[c]);
}

std::uint8_t rounded(float value) {
  const float shifted = std::clamp(value, 0.0f, 255.0f) + 0.5f;
  return static_cast<std::uint8_t>(shifted);
}

template <int kChannels>
void store(const Sums& sums, std::uint8_t* pixel) {
  if constexpr (kChannels == 4) {
    const float alpha = std::min(sums[3], 1.0f);
    const float scale = alpha > 0.5f / 255 ? 1 / sums[3] : 0.0f;
    for (std::size_t c = 0; c < 3; ++c) pixel[c] = rounded(sums[c] * scale);
    pixel[3] = rounded(255 * alpha);
  } else {
    for (std::size_t c = 0; c < kChannels; ++c) pixel[c] = rounded(sums[c]);
  }
}

template <int kChannels>
void store(const Sums& sums, std::uint16_t* pixel) {
  for (std::size_t c = 0; c < kChannels; ++c) {
    const float most = c == 3 ? 1.0f : kLargestHalfFloat;
    pixel[c] = to_half(std::clamp(sums[c], 0.0f, most));
  }
}

/// Adds the image's value at `px` (pixel centres at +0.5). Outside the image, the nearest border
/// pixel is used.
template <int kChannels, bool kCubic, class T>
void add_sample(const ImageOf<T>& image, glm::dvec2 px, float weight, Sums& sums) {
  constexpr int kTaps = kCubic ? 4 : 2, kFirst = kCubic ? -1 : 0;
  const double x = std::clamp(px.x - 0.5, -1.0, static_cast<double>(image.width));
  const double y = std::clamp(px.y - 0.5, -1.0, static_cast<double>(image.height));
  const int column = static_cast<int>(std::floor(x)), row = static_cast<int>(std::floor(y));
  const auto weights = [](double t) {
    if constexpr (kCubic) {
      return catmull_rom(static_cast<float>(t));
    } else {
      return linear(static_cast<float>(t));
    }
  };
  const auto across = weights(x - column), down = weights(y - row);
  std::array<int, kTaps> offsets;
  for (int i = 0; i < kTaps; ++i) {
    offsets[static_cast<std::size_t>(i)] =
        std::clamp(column + kFirst + i, 0, image.width - 1) * kChannels;
  }
  for (int j = 0; j < kTaps; ++j) {
    const T* line = image.row(std::clamp(row + kFirst + j, 0, image.height - 1));
    const float row_weight = weight * down[static_cast<std::size_t>(j)];
    for (std::size_t i = 0; i < kTaps; ++i) {
      add_pixel<kChannels>(line + offsets[i], row_weight * across[i], sums);
    }
  }
}

/// Maps target pixels to source pixels.
class Mapping {
 public:
  explicit Mapping(const Rectification& r)
      : lens_(r.lens),
        target_center_(r.target.center_px),
        source_center_(r.source.center_px),
        source_focal_(r.source.focal_px),
        inverse_focal_(1.0 / r.target.focal_px) {}

  glm::dvec2 operator()(glm::dvec2 px) const {
    return source_focal_ * distort(lens_, (px - target_center_) * inverse_focal_) + source_center_;
  }

 private:
  Lens lens_;
  glm::dvec2 target_center_, source_center_, source_focal_, inverse_focal_;
};

/// Number of samples per side of an output pixel, along x and y: about one per source pixel.
struct SampleGrid {
  int across, down;
};

SampleGrid sample_grid(const Mapping& mapping, const Camera& target) {
  const glm::dvec2 middle = 0.5 * glm::dvec2(target.width, target.height);
  const auto samples = [&](glm::dvec2 axis) {
    const double scale = glm::length(mapping(middle + 0.5 * axis) - mapping(middle - 0.5 * axis));
    return std::clamp(static_cast<int>(std::ceil(scale - 0.25)), 1, 64);
  };
  return {samples({1, 0}), samples({0, 1})};
}

template <int kChannels, bool kCubic, class T>
void fill(const ImageOf<T>& image, const Mapping& mapping, SampleGrid grid, ImageOf<T>& result) {
  const float weight = 1.0f / static_cast<float>(grid.across * grid.down);
  for (int y = 0; y < result.height; ++y) {
    T* out = result.row(y);
    for (int x = 0; x < result.width; ++x, out += kChannels) {
      Sums sums{};
      for (int j = 0; j < grid.down; ++j) {
        for (int i = 0; i < grid.across; ++i) {
          const glm::dvec2 px(x + (i + 0.5) / grid.across, y + (j + 0.5) / grid.down);
          add_sample<kChannels, kCubic>(image, mapping(px), weight, sums);
        }
      }
      store<kChannels>(sums, out);
    }
  }
}

template <int kChannels, class T>
ImageOf<T> halved_channels(const ImageOf<T>& image) {
  ImageOf<T> result;
  result.resize_discard(std::max(image.width / 2, 1), std::max(image.height / 2, 1), kChannels);
  const int right = image.width > 1 ? kChannels : 0;
  for (int y = 0; y < result.height; ++y) {
    const T* above = image.row(2 * y);
    const T* below = image.row(std::min(2 * y + 1, image.height - 1));
    T* out = result.row(y);
    for (int x = 0; x < result.width; ++x, out += kChannels) {
      Sums sums{};
      for (const T* line : {above, below}) {
        add_pixel<kChannels>(line + 2 * x * kChannels, 0.25f, sums);
        add_pixel<kChannels>(line + 2 * x * kChannels + right, 0.25f, sums);
      }
      store<kChannels>(sums, out);
    }
  }
  return result;
}

/// Calls work<channels>() with the number of channels as a constant.
template <class T, class Work>
auto with_channels(const ImageOf<T>& image, const Work& work) {
  CHECK(image.channels == 1 || image.channels == 3 || image.channels == 4);
  switch (image.channels) {
    case 1:
      return work.template operator()<1>();
    case 3:
      return work.template operator()<3>();
    default:
      return work.template operator()<4>();
  }
}

}  // namespace

bool is_untouched(const Rectification& r) {
  return is_identity(r.lens) && r.source.width == r.target.width &&
         r.source.height == r.target.height && r.source.focal_px == r.target.focal_px &&
         r.source.center_px == r.target.center_px;
}

template <class T>
ImageOf<T> rectify(const ImageOf<T>& image, const Rectification& r) {
  CHECK(image.width == r.source.width && image.height == r.source.height);
  ImageOf<T> result;
  result.resize_discard(r.target.width, r.target.height, image.channels);
  const Mapping mapping(r);
  const SampleGrid grid = sample_grid(mapping, r.target);
  const bool cubic = std::max(grid.across, grid.down) < 3;
  with_channels(image, [&]<int kChannels>() {
    const auto work = cubic ? fill<kChannels, true, T> : fill<kChannels, false, T>;
    work(image, mapping, grid, result);
  });
  return result;
}

template <class T>
ImageOf<T> halved(const ImageOf<T>& image) {
  return with_channels(image, [&]<int kChannels>() { return halved_channels<kChannels>(image); });
}

template Image8 rectify(const Image8&, const Rectification&);
template ImageLight rectify(const ImageLight&, const Rectification&);
template Image8 halved(const Image8&);
template ImageLight halved(const ImageLight&);

}  // namespace mote
