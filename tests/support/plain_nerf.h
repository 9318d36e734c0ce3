#pragma once

#include <cstddef>
#include <utility>

#include "support/plain_mlp.h"

namespace mote {

/// Both networks of a NeRF in double. Samples are processed one by one.
struct PlainNerf {
  PlainMlp density, color;
  Values d_density_weights, d_color_weights;

  PlainNerf(PlainMlp density_network, PlainMlp color_network)
      : density(std::move(density_network)),
        color(std::move(color_network)),
        d_density_weights(density.weights().size()),
        d_color_weights(color.weights().size()) {}

  Values color_input(const Values& features, const Values& direction) const {
    Values input = density.forward(features);
    input.insert(input.end(), direction.begin(), direction.end());
    return input;
  }

  /// The density and three colours.
  Values forward(const Values& features, const Values& direction) const {
    const Values input = color_input(features, direction);
    const Values colors = color.forward(input);
    return {input[0], colors[0], colors[1], colors[2]};
  }

  /// Adds the gradients of the weights and returns dL/dfeatures. `d_direction`: gets dL/ddirection.
  Values backward(const Values& features, const Values& direction, const Values& d_raw,
                  Values* d_direction = nullptr) {
    const Values input = color_input(features, direction);
    Values d_colors(color.forward(input).size());
    for (std::size_t c = 0; c < 3; ++c) d_colors[c] = d_raw[1 + c];
    Values d_input = color.backward(input, d_colors, d_color_weights);
    const std::size_t outputs = input.size() - direction.size();
    if (d_direction != nullptr) {
      d_direction->assign(d_input.begin() + static_cast<std::ptrdiff_t>(outputs), d_input.end());
    }
    d_input.resize(outputs);
    d_input[0] += d_raw[0];
    return density.backward(features, d_input, d_density_weights);
  }
};

}  // namespace mote
