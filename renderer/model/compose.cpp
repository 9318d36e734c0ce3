#include "model/compose.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"

namespace mote {
namespace {

constexpr std::size_t kPixelsOfTask = 1 << 14;

/// One pixel of the composed picture, front to back.
struct ComposedPixel {
  std::array<float, 3> rgb{}, normal{};
  float transmittance = 1;
  float depth_sum = 0, depth_median = 0;

  void cover_with(const Frame& layer, std::size_t pixel) {
    const float alpha = layer.alpha.pixels[pixel];
    for (std::size_t c = 0; c < 3; ++c) rgb[c] += transmittance * layer.rgb.pixels[3 * pixel + c];
    if (!layer.normal.pixels.empty()) {
      for (std::size_t c = 0; c < 3; ++c) {
        normal[c] += transmittance * layer.normal.pixels[3 * pixel + c];
      }
    }
    const float depth = layer.depth_expected.pixels[pixel];
    depth_sum += transmittance * alpha * depth;
    const float behind = transmittance * (1 - alpha);
    if (transmittance >= 0.5f && behind < 0.5f) {
      const float own = layer.depth_median.pixels[pixel];
      depth_median = own > 0 ? own : depth;
    }
    transmittance = behind;
  }

  void write(const std::array<float, 3>& background, std::size_t pixel, Frame& frame) const {
    const float alpha = 1 - transmittance;
    for (std::size_t c = 0; c < 3; ++c) {
      frame.rgb.pixels[3 * pixel + c] = rgb[c] + transmittance * background[c];
    }
    if (!frame.alpha.pixels.empty()) frame.alpha.pixels[pixel] = alpha;
    if (!frame.depth_expected.pixels.empty()) {
      frame.depth_expected.pixels[pixel] = alpha > 0 ? depth_sum / alpha : 0;
      frame.depth_median.pixels[pixel] = depth_median;
    }
    if (!frame.normal.pixels.empty()) {
      for (std::size_t c = 0; c < 3; ++c) frame.normal.pixels[3 * pixel + c] = normal[c];
    }
  }
};

/// Adds up an image of the layers, if it is requested.
void add_up(std::span<const Frame> layers, Image Frame::*image, std::size_t pixel, Frame& frame) {
  if ((frame.*image).pixels.empty()) return;
  float sum = 0;
  for (const Frame& layer : layers) {
    if (!(layer.*image).pixels.empty()) sum += (layer.*image).pixels[pixel];
  }
  (frame.*image).pixels[pixel] = sum;
}

}  // namespace

double compose_by_depth(std::span<const Frame> layers, const std::array<float, 3>& background,
                        Frame& frame) {
  const auto start = std::chrono::steady_clock::now();
  const std::size_t pixels = frame.rgb.pixels.size() / 3;
  for (const Frame& layer : layers) {
    CHECK(layer.rgb.pixels.empty() || layer.depth_median.pixels.size() == pixels);
  }
  const auto compose = [&](std::size_t task, int) {
    std::vector<std::size_t> order;  // of the layers that are visible in the pixel
    const std::size_t end = std::min(pixels, (task + 1) * kPixelsOfTask);
    for (std::size_t i = task * kPixelsOfTask; i < end; ++i) {
      order.clear();
      for (std::size_t k = 0; k < layers.size(); ++k) {
        if (!layers[k].alpha.pixels.empty() && layers[k].alpha.pixels[i] > 0) order.push_back(k);
      }
      std::ranges::sort(order, {}, [&](std::size_t k) {
        return std::pair(layers[k].depth_expected.pixels[i], k);
      });
      ComposedPixel pixel;
      for (const std::size_t k : order) pixel.cover_with(layers[k], i);
      pixel.write(background, i, frame);
      add_up(layers, &Frame::overdraw, i, frame);
      add_up(layers, &Frame::tile_cost, i, frame);
    }
  };
  run_tasks((pixels + kPixelsOfTask - 1) / kPixelsOfTask, compose);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace mote
