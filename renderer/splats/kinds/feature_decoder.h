#pragma once

// Colours from splatted features: the full model of Spacetime Gaussians (Li et al. 2024). A splat
// has nine features in place of harmonics: base, directional and temporal ones, three of each. They
// are blended like colours, over 0. In each pixel, a network of two layers without biases makes the
// colour of them and of the pixel's ray:
//   hidden = max(0, W1 (directional, temporal, origin of the ray, direction of the ray))
//   colour = activation(base + W2 hidden)
// The ray is in the frame of the scene; its direction has length 1.
//
// A cloud with a decoder stores the features in its harmonics, which have the degree
// kFeatureDegree: coefficient k holds triple k, and the others are 0. At the time d after the
// middle of its life, a splat has the temporal features d * temporal; a splat without a life has
// the stored ones.

#include <cstdint>

#include "math/activations.h"
#include "math/vector.h"

namespace mote {

enum class FeatureTriple : std::uint8_t { base, directional, temporal };
inline constexpr int kFeatureTriples = 3;
inline constexpr int kFeatureDegree = 1;

inline constexpr int kDecoderInputs = 12, kDecoderHidden = 6;

/// The range of colours: 1 / (1 + e^-x), or x from 0 to 1.
enum class ColorActivation : std::uint8_t { sigmoid, clamp };

/// The network, which is the same for all pixels.
struct FeatureDecoder {
  float hidden[kDecoderHidden][kDecoderInputs] = {};
  float output[3][kDecoderHidden] = {};
  ColorActivation activation = ColorActivation::sigmoid;

  bool operator==(const FeatureDecoder&) const = default;
};

/// The values that a splat with features shows in place of a colour. `base_color`: the colour that
/// the base features have without the network.
enum class FeatureColor : std::uint8_t { none, base, directional, temporal, base_color, mark };

/// The values that one picture shows. `activation`: for base_color.
struct ShownFeatures {
  FeatureColor color = FeatureColor::none;
  ColorActivation activation = ColorActivation::sigmoid;

  bool operator==(const ShownFeatures&) const = default;
};

template <class F>
MOTE_LANE F activated(ColorActivation activation, F value) {
  return activation == ColorActivation::sigmoid ? sigmoid(value)
                                                : min(max(value, F(0.0f)), F(1.0f));
}

template <class F>
MOTE_LANE Vec3<F> activated(ColorActivation activation, Vec3<F> value) {
  return {activated(activation, value.x), activated(activation, value.y),
          activated(activation, value.z)};
}

/// The values of a splat. load(k, channel) returns the stored features; `since_middle`: seconds, or
/// 1 for a splat without a life; `mark`: 1 if it is marked, else 0.
template <class F, class Load>
MOTE_LANE Vec3<F> shown_features(const ShownFeatures& shown, const Load& load, F since_middle,
                                 F mark) {
  const auto triple = [&](FeatureTriple which) {
    const int k = static_cast<int>(which);
    return Vec3<F>{load(k, 0), load(k, 1), load(k, 2)};
  };
  switch (shown.color) {
    case FeatureColor::directional:
      return triple(FeatureTriple::directional);
    case FeatureColor::temporal:
      return triple(FeatureTriple::temporal) * since_middle;
    case FeatureColor::base_color:
      return activated(shown.activation, triple(FeatureTriple::base));
    case FeatureColor::mark:
      return {mark, mark, mark};
    default:
      return triple(FeatureTriple::base);
  }
}

/// The blended features of a pixel.
template <class F>
struct PixelFeatures {
  Vec3<F> base, directional, temporal;
};

/// The colour of a pixel. The ray is in the frame of the scene.
template <class F>
MOTE_LANE Vec3<F> decoded_color(const FeatureDecoder& decoder, const PixelFeatures<F>& features,
                                Vec3<F> ray_origin, Vec3<F> ray_direction) {
  const Vec3<F>&d = features.directional, &t = features.temporal;
  const F inputs[kDecoderInputs] = {d.x,
                                    d.y,
                                    d.z,
                                    t.x,
                                    t.y,
                                    t.z,
                                    ray_origin.x,
                                    ray_origin.y,
                                    ray_origin.z,
                                    ray_direction.x,
                                    ray_direction.y,
                                    ray_direction.z};
  Vec3<F> sum = features.base;
  MOTE_UNROLL
  for (int h = 0; h < kDecoderHidden; ++h) {
    F hidden(0.0f);
    MOTE_UNROLL
    for (int i = 0; i < kDecoderInputs; ++i) {
      hidden = fma(F(decoder.hidden[h][i]), inputs[i], hidden);
    }
    hidden = max(hidden, F(0.0f));
    sum = {fma(F(decoder.output[0][h]), hidden, sum.x), fma(F(decoder.output[1][h]), hidden, sum.y),
           fma(F(decoder.output[2][h]), hidden, sum.z)};
  }
  return activated(decoder.activation, sum);
}

}  // namespace mote
