#pragma once

// A multilayer perceptron by plain loops in double, for tests of the network kernels.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "fields/networks/mlp_layout.h"

namespace mote {

using Values = std::vector<double>;

/// Rounds to the nearest BF16, the upper half of a float; to an even one in the middle.
inline double rounded_to_bf16(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const std::uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
  return static_cast<double>(std::bit_cast<float>(rounded & 0xffff0000));
}

inline double not_rounded(double value) {
  return value;
}

/// A network in double. Positions are processed one by one.
class PlainMlp {
 public:
  using Rounding = double (*)(double);

  /// `rounding` is applied to the factors of all products.
  PlainMlp(std::vector<MlpLayer> layers, Values weights, Rounding rounding = not_rounded)
      : layers_(std::move(layers)), weights_(std::move(weights)), rounding_(rounding) {}

  Values& weights() { return weights_; }

  /// The output, and the arguments of all activations.
  Values forward(Values values, Values* arguments = nullptr) const {
    for (const MlpLayer& layer : layers_) {
      Values sums(static_cast<std::size_t>(layer.outputs));
      for (std::size_t o = 0; o < sums.size(); ++o) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          sums[o] +=
              rounding_(weights_[layer.first + o * values.size() + i]) * rounding_(values[i]);
        }
      }
      if (arguments != nullptr) arguments->insert(arguments->end(), sums.begin(), sums.end());
      for (double& sum : sums) sum = activated(layer.activation, sum);
      values = std::move(sums);
    }
    return values;
  }

  /// Adds dL/dweights and returns dL/dinput.
  Values backward(const Values& input, Values d, Values& d_weights) const {
    Values arguments;
    forward(input, &arguments);
    std::size_t end = arguments.size();
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const MlpLayer& layer = layers_[l];
      const auto inputs = static_cast<std::size_t>(layer.inputs);
      const std::size_t begin = end - static_cast<std::size_t>(layer.outputs);
      Values d_from(inputs);
      for (std::size_t o = 0; o < d.size(); ++o) {
        const double x = arguments[begin + o];
        const double own = visit_activation(layer.activation, [&]<LayerActivation ACTIVATION>() {
          return activate_vjp<ACTIVATION>(x, activate<ACTIVATION>(x), d[o]);
        });
        for (std::size_t i = 0; i < inputs; ++i) {
          const double from =
              l == 0 ? input[i]
                     : activated(layers_[l - 1].activation, arguments[begin - inputs + i]);
          d_weights[layer.first + o * inputs + i] += rounding_(own) * rounding_(from);
          d_from[i] += rounding_(own) * rounding_(weights_[layer.first + o * inputs + i]);
        }
      }
      d = std::move(d_from);
      end = begin;
    }
    return d;
  }

 private:
  static double activated(LayerActivation activation, double x) {
    return visit_activation(activation,
                            [&]<LayerActivation ACTIVATION>() { return activate<ACTIVATION>(x); });
  }

  std::vector<MlpLayer> layers_;
  Values weights_;
  Rounding rounding_;
};

/// Values from -size to size.
inline Values random_values(std::mt19937& random, std::size_t count, double size) {
  Values values(count);
  for (double& value : values) {
    // As floats, so that both computations begin with the same numbers.
    const double unit = static_cast<double>(random()) / 4294967295.0;
    value = static_cast<double>(static_cast<float>(size * (2 * unit - 1)));
  }
  return values;
}

inline Buffer<float> floats_of(const Values& values) {
  Buffer<float> floats(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) floats[i] = static_cast<float>(values[i]);
  return floats;
}

/// The matrices [inputs][outputs] of the layers, in the places of the matrices [outputs][inputs].
inline Values transposed_weights(const std::vector<MlpLayer>& layers, const Values& weights) {
  Values transposed(weights.size());
  for (const MlpLayer& layer : layers) {
    const auto in = static_cast<std::size_t>(layer.inputs);
    const auto out = static_cast<std::size_t>(layer.outputs);
    for (std::size_t o = 0; o < out; ++o) {
      for (std::size_t i = 0; i < in; ++i) {
        transposed[layer.first + i * out + o] = weights[layer.first + o * in + i];
      }
    }
  }
  return transposed;
}

}  // namespace mote
