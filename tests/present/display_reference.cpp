#include "display_reference.h"

#include <algorithm>
#include <cmath>

namespace mote {
namespace {

using namespace present;
using Color = std::array<double, 4>;
using Rgb = std::array<double, 3>;

double decode_srgb(double v) {
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}

double encode_srgb(double v) {
  return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1 / 2.4) - 0.055;
}

Color texel(const Image& image, const Image* alpha, int x, int y) {
  x = std::clamp(x, 0, image.width - 1);
  y = std::clamp(y, 0, image.height - 1);
  const float* pixel = image.row(y) + x * image.channels;
  if (image.channels == 1) return {pixel[0], 0, 0, 1};
  return {pixel[0], pixel[1], pixel[2], alpha != nullptr ? alpha->row(y)[x] : 1.0};
}

double catmull_rom(double distance) {
  const double d = std::abs(distance);
  if (d < 1) return 1.5 * d * d * d - 2.5 * d * d + 1;
  if (d < 2) return -0.5 * d * d * d + 2.5 * d * d - 4 * d + 2;
  return 0;
}

double tent(double distance) {
  return std::max(0.0, 1 - std::abs(distance));
}

/// Weighted sum of the texels around a position; the weights depend on the distance along each
/// axis.
Color filtered(const Image& image, const Image* alpha, double x, double y,
               double (*weight)(double)) {
  Color sum{};
  const int left = static_cast<int>(std::floor(x - 0.5)),
            top = static_cast<int>(std::floor(y - 0.5));
  for (int j = top - 2; j <= top + 3; ++j) {
    for (int i = left - 2; i <= left + 3; ++i) {
      const double w = weight(x - 0.5 - i) * weight(y - 0.5 - j);
      const Color value = texel(image, alpha, i, j);
      for (std::size_t c = 0; c < 4; ++c) sum[c] += w * value[c];
    }
  }
  return sum;
}

Color sampled(const Image& image, const Image* alpha, const DisplayScene& scene, int px, int py) {
  const double x = (px + 0.5) * image.width / scene.view.width;
  const double y = (py + 0.5) * image.height / scene.view.height;
  const bool same = image.width == scene.view.width && image.height == scene.view.height;
  if (same || scene.options.upscale == Upscale::nearest) {
    return texel(image, alpha, static_cast<int>(x), static_cast<int>(y));
  }
  if (scene.options.upscale == Upscale::smooth) return filtered(image, alpha, x, y, tent);
  Color result = filtered(image, alpha, x, y, catmull_rom);
  const int left = static_cast<int>(std::floor(x - 0.5)),
            top = static_cast<int>(std::floor(y - 0.5));
  for (std::size_t c = 0; c < 4; ++c) {
    double low = 1e30, high = -1e30;
    for (int k = 0; k < 4; ++k) {
      const double value = texel(image, alpha, left + k % 2, top + k / 2)[c];
      low = std::min(low, value), high = std::max(high, value);
    }
    result[c] = std::clamp(result[c], low, high);
  }
  return result;
}

Rgb backdrop(const DisplayOptions& options, int px, int py) {
  const auto& color = options.backdrop == Backdrop::as_rendered ? options.rendered_background
                                                                : options.backdrop_color;
  if (options.backdrop != Backdrop::checker) return {color[0], color[1], color[2]};
  const int column = static_cast<int>((px + 0.5) / options.checker_px);
  const int row = static_cast<int>((py + 0.5) / options.checker_px);
  const double value = (column + row) % 2 == 0 ? 0.4 : 0.6;
  return {value, value, value};
}

double filmic(double v) {
  return v * (2.51 * v + 0.03) / (v * (2.43 * v + 0.59) + 0.14);
}

Rgb neutral(Rgb v) {
  const double least = *std::ranges::min_element(v);
  const double offset = least < 0.08 ? least - 6.25 * least * least : 0.04;
  for (double& value : v) value -= offset;
  const double peak = *std::ranges::max_element(v);
  if (peak < 0.76) return v;
  const double new_peak = 1 - 0.24 * 0.24 / (peak + 0.24 - 0.76);
  const double white = 1 - 1 / (0.15 * (peak - new_peak) + 1);
  for (double& value : v) value = value * new_peak / peak * (1 - white) + new_peak * white;
  return v;
}

Rgb graded(Rgb v, const DisplayOptions& options) {
  const bool off =
      options.exposure_ev == 0 && options.tone == ToneCurve::none && !options.is_linear;
  if (off) return v;
  for (double& value : v) {
    value = (options.is_linear ? value : decode_srgb(value)) * std::exp2(options.exposure_ev);
  }
  if (options.tone == ToneCurve::neutral) v = neutral(v);
  for (double& value : v) {
    value = encode_srgb(options.tone == ToneCurve::filmic ? filmic(value) : value);
  }
  return v;
}

/// Display values before grading.
Rgb shown(const Image& image, const Image* alpha, const DisplayScene& scene, int px, int py) {
  const DisplayOptions& options = scene.options;
  const Color value = sampled(image, alpha, scene, px, py);
  const Rgb behind = backdrop(options, px, py);
  Rgb color;
  for (std::size_t c = 0; c < 3; ++c) {
    color[c] = value[c] + (1 - value[3]) * (behind[c] - options.rendered_background[c]);
  }
  return color;
}

double error_of(double first, double second, const DisplayOptions& options) {
  const double error = first - second, gain = options.difference_gain;
  switch (options.metric) {
    case ErrorMetric::absolute:
      return gain * std::abs(error);
    case ErrorMetric::squared:
      return gain * error * error;
    case ErrorMetric::relative:
      return gain * std::abs(error) / (second + double{kRelativeErrorFloor});
    case ErrorMetric::signed_:
      return 0.5 + 0.5 * gain * error;
  }
  return 0;
}

Rgb finished(const Image& image, const Image* alpha, const DisplayScene& scene, int px, int py) {
  return graded(shown(image, alpha, scene, px, py), scene.options);
}

}  // namespace

std::array<double, 3> displayed(const DisplayScene& scene, int x, int y) {
  const int px = x - scene.view.x, py = y - scene.view.y;
  const DisplayOptions& options = scene.options;
  const Compare compare = scene.second != nullptr ? options.compare : Compare::none;
  const bool flicks = compare == Compare::flicker &&
                      static_cast<int>(scene.time_s / options.flicker_interval_s) % 2 == 1;
  const bool right =
      compare == Compare::split && px + 0.5 >= double{options.split} * scene.view.width;
  Rgb color = flicks || right ? finished(*scene.second, nullptr, scene, px, py)
                              : finished(*scene.first, scene.alpha, scene, px, py);
  if (compare == Compare::difference) {
    const Rgb a = shown(*scene.first, scene.alpha, scene, px, py);
    const Rgb b = shown(*scene.second, nullptr, scene, px, py);
    for (std::size_t c = 0; c < 3; ++c) color[c] = error_of(a[c], b[c], options);
  }
  for (double& value : color) value = 255 * std::clamp(value, 0.0, 1.0);
  return color;
}

}  // namespace mote
