// Colours from blended features, a pack of pixels of a row at a time. Compiled once per instruction
// set.

#include <cstddef>

#include "cpu/isa_kernels.h"
#include "lanes/pack.h"
#include "pipeline/decode.h"

namespace mote::MOTE_ISA {
namespace {

constexpr std::size_t kDecodeLanes = static_cast<std::size_t>(kPackLanes);

/// The three channels of up to kPackLanes pixels side by side, from [pixels][3].
MOTE_LANE Vec3<Pack> load_pixels(const float* from, std::size_t count) {
  alignas(64) float planes[3][kDecodeLanes] = {};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < 3; ++c) planes[c][i] = from[3 * i + c];
  }
  return {load(planes[0]), load(planes[1]), load(planes[2])};
}

MOTE_LANE void store_pixels(const Vec3<Pack>& color, float* to, std::size_t count) {
  alignas(64) float planes[3][kDecodeLanes];
  store(color.x, planes[0]);
  store(color.y, planes[1]);
  store(color.z, planes[2]);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < 3; ++c) to[3 * i + c] = planes[c][i];
  }
}

/// The first value of up to kPackLanes pixels, from [pixels][step].
MOTE_LANE Pack load_values(const float* from, std::size_t step, std::size_t count) {
  alignas(64) float values[kDecodeLanes] = {};
  for (std::size_t i = 0; i < count; ++i) values[i] = from[i * step];
  return load(values);
}

/// The middles of the pixels from `column` on.
MOTE_LANE Pack middles_from(std::size_t column) {
  alignas(64) float x[kDecodeLanes];
  for (std::size_t i = 0; i < kDecodeLanes; ++i) x[i] = static_cast<float>(column + i) + 0.5f;
  return load(x);
}

}  // namespace

void decode_features(const DecodeParams& params, int begin, int end) {
  const ViewCamera<Pack> camera = view_camera<Pack>(params.camera);
  const auto width = static_cast<std::size_t>(params.width);
  for (int row = begin; row < end; ++row) {
    const Pack y(static_cast<float>(row) + 0.5f);
    for (std::size_t column = 0; column < width; column += kDecodeLanes) {
      const std::size_t rest = width - column, count = rest < kDecodeLanes ? rest : kDecodeLanes;
      const std::size_t at = static_cast<std::size_t>(row) * width + column;
      const PixelFeatures<Pack> features{load_pixels(params.rgb + 3 * at, count),
                                         load_pixels(params.directional + 3 * at, count),
                                         load_pixels(params.temporal + 3 * at, count)};
      const Pack marks =
          params.marks != nullptr ? load_values(params.marks + 3 * at, 3, count) : Pack(0.0f);
      Vec3<Pack> color =
          pixel_color(*params.decoder, camera, middles_from(column), y, features, marks);
      if (params.alpha != nullptr) color = color * load_values(params.alpha + at, 1, count);
      store_pixels(color, params.rgb + 3 * at, count);
    }
  }
}

}  // namespace mote::MOTE_ISA
