#pragma once

// Parts of the kernels of a NeRF's networks that are the same for floats and for BF16. Only kernel
// files include this.

#include "cpu/field_kernels.h"
#include "cpu/mlp_tile.h"

namespace mote::MOTE_ISA {

inline constexpr std::size_t kRawColors = 3;

/// The greatest number of values of a layer.
inline int widest_layer(const NerfNetworkParams& params) {
  int width = 0;
  const auto include = [&](int other) { width = other > width ? other : width; };
  for (int l = 0; l < params.density_layer_count; ++l) {
    include(params.density_layers[l].inputs);
    include(params.density_layers[l].outputs);
  }
  for (int l = 0; l < params.color_layer_count; ++l) include(params.color_layers[l].inputs);
  return width;
}

/// Copies the directions of the samples' rays to the features of the colour network's inputs from
/// `first` on. Rows from `samples` on are zero.
inline void load_directions(const NerfNetworkParams& params, std::size_t at, std::size_t samples,
                            std::size_t first, float* panels) {
  const auto inputs = static_cast<std::size_t>(params.direction_inputs);
  for (std::size_t i = 0; i < inputs; i += kLanes) {
    float* row = panels + feature_offset(first + i);
    for (std::size_t s = 0; s < kTile; ++s, row += kPanel) {
      const float* from = params.directions + i;
      store(s < samples ? load_unaligned(from + params.rays[at + s] * inputs) : Pack(), row);
    }
  }
}

/// Number of inputs of the colour network whose gradients are needed: the first ones, or all if
/// some behind the density network's outputs are wanted. `inputs`: all.
inline std::size_t differentiated_inputs(const NerfNetworkBackwardParams& params,
                                         std::size_t density_outputs, std::size_t inputs) {
  return params.color_inputs > 0 ? inputs : density_outputs;
}

/// Copies the gradients by the wanted inputs of the colour network.
inline void store_color_inputs(const NerfNetworkBackwardParams& params, const float* d_input,
                               std::size_t at, std::size_t samples) {
  for (int i = 0; i < params.color_inputs; ++i) {
    const float* from =
        d_input + feature_offset(static_cast<std::size_t>(params.first_color_input + i));
    float* to = params.d_color_inputs + static_cast<std::size_t>(i) * params.forward.stride + at;
    for (std::size_t s = 0; s < samples; ++s) to[s] = from[s * kPanel];
  }
}

/// Copies `rows` planes to [kOutputQuad][kTile], which is zero elsewhere.
inline void read_rows(const float* planes, std::size_t stride, std::size_t rows,
                      std::size_t samples, float* to) {
  std::memset(to, 0, kOutputQuad * kTile * sizeof(float));
  for (std::size_t r = 0; r < rows; ++r) {
    std::memcpy(to + r * kTile, planes + r * stride, samples * sizeof(float));
  }
}

/// Copies `rows` rows of [kOutputQuad][kTile] to planes.
inline void write_rows(const float* from, std::size_t rows, std::size_t samples, std::size_t stride,
                       float* planes) {
  for (std::size_t r = 0; r < rows; ++r) {
    std::memcpy(planes + r * stride, from + r * kTile, samples * sizeof(float));
  }
}

}  // namespace mote::MOTE_ISA
