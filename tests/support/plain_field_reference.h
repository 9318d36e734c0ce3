#pragma once

// Fields with one network by plain loops in double, for tests of their kernels.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "cpu/plain_field.h"
#include "fields/encodings/grid.h"
#include "math/half.h"
#include "support/plain_mlp.h"
#include "support/tiny_field.h"

namespace mote {

/// The parameters from `first` on as the field's table has them, and one word more.
inline std::vector<std::uint16_t> table_of(const NeuralField& field, std::size_t first) {
  std::vector<std::uint16_t> halves(field.parameters.size() - first + 1);
  for (std::size_t i = first; i < field.parameters.size(); ++i) {
    halves[i - first] = to_half(field.parameters[i]);
  }
  return halves;
}

/// A surface with a grid over all inputs, then a frequency encoding of the last two.
inline NeuralField composite_field() {
  NeuralField field = tiny_field(FieldApplication::sdf, 3);
  field.config.encoding->parts.push_back({Frequency{3}, 1, 2});
  field.parameters.resize(field_parameters(field.application, field.config));
  std::mt19937 random(7);
  const Values values = random_values(random, field.parameters.size(), 0.5);
  for (std::size_t i = 0; i < values.size(); ++i) {
    field.parameters[i] = static_cast<float>(values[i]);
  }
  return field;
}

/// A field with another network, and random parameters.
inline NeuralField field_with(FieldApplication application, const NetworkConfig& network) {
  NeuralField field = tiny_field(application, 3);
  field.config.network = network;
  field.parameters.resize(field_parameters(application, field.config));
  std::mt19937 random(7);
  // Smaller for wide networks, whose sums have more parts.
  const double size = std::min(0.5, 4 / std::sqrt(network.neurons));
  const Values values = random_values(random, field.parameters.size(), size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    field.parameters[i] = static_cast<float>(values[i]);
  }
  return field;
}

/// A network in double: a perceptron, or Gaussians followed by the weights of one.
class PlainNetwork {
 public:
  PlainNetwork(const PlainShape& shape, const Values& parameters, PlainMlp::Rounding rounding)
      : gaussians_(shape.layout.gaussians),
        parameters_(parameters),
        layers_(shape.layers, parameters, rounding) {}

  Values forward(const Values& features) const {
    return layers_.forward(gaussians_ ? gaussians_of(features) : features);
  }

  /// Adds the gradients of the parameters, and returns those of the features.
  Values backward(const Values& features, const Values& d, Values& d_parameters) const {
    if (!gaussians_) return layers_.backward(features, d, d_parameters);
    const Values values = gaussians_of(features);
    const Values d_values = layers_.backward(values, d, d_parameters);
    Values d_features(features.size());
    for (std::size_t k = 0; k < gaussians_->count; ++k) {
      const double d_exponent = -values[k] * d_values[k];
      for (std::size_t i = 0; i < features.size(); ++i) {
        const double u = features[i] - center(k, i), s = sharpness(k, i);
        d_features[i] += 2 * d_exponent * s * s * u;
        d_parameters[gaussians_->centers + k * gaussians_->inputs + i] -=
            2 * d_exponent * s * s * u;
        d_parameters[gaussians_->sharpness + k * gaussians_->inputs + i] +=
            2 * d_exponent * s * u * u;
      }
    }
    return d_features;
  }

 private:
  double center(std::size_t k, std::size_t i) const {
    return parameters_[gaussians_->centers + k * gaussians_->inputs + i];
  }
  double sharpness(std::size_t k, std::size_t i) const {
    return parameters_[gaussians_->sharpness + k * gaussians_->inputs + i];
  }
  Values gaussians_of(const Values& features) const {
    Values values;
    for (std::size_t k = 0; k < gaussians_->count; ++k) {
      double exponent = 0;
      for (std::size_t i = 0; i < features.size(); ++i) {
        exponent += std::pow(sharpness(k, i) * (features[i] - center(k, i)), 2);
      }
      values.push_back(std::exp(-exponent));
    }
    return values;
  }

  std::optional<GaussianLayout> gaussians_;
  Values parameters_;
  PlainMlp layers_;
};

/// The field at one position in double, and its gradients by the parameters.
class PlainReference {
 public:
  PlainReference(const NeuralField& field, PlainMlp::Rounding rounding)
      : shape_(field), network_(shape_, network_weights(field), rounding) {
    for (std::size_t i = shape_.layout.encoding_first; i < field.parameters.size(); ++i) {
      table_.push_back(static_cast<double>(from_half(to_half(field.parameters[i]))));
    }
  }

  Values value(const std::array<double, 3>& x) const { return network_.forward(features(x)); }

  void add_gradients(const std::array<double, 3>& x, Values d, Values& d_network,
                     Values& d_table) const {
    d.resize(static_cast<std::size_t>(shape_.layers.back().outputs));
    const Values d_features = network_.backward(features(x), d, d_network);
    const double position[] = {x[0], x[1], x[2]};
    std::size_t at = 0;
    for (const GridLevel& level : shape_.encoding.grids[0].levels) {
      const double own[] = {d_features[at], d_features[at + 1]};
      grid_parameters_vjp<Interpolation::linear>(level, position, own,
                                                 [&](std::uint32_t index, int f, double gradient) {
                                                   d_table.at(place(level, index, f)) += gradient;
                                                 });
      at += 2;
    }
  }

  /// Whether rounding may move the position to another cell.
  bool is_near_border(const std::array<double, 3>& x) const {
    for (const GridLevel& level : shape_.encoding.grids[0].levels) {
      for (const double own : x) {
        const double at = static_cast<double>(level.scale) * own + 0.5;
        if (std::abs(at - std::round(at)) < 1e-4) return true;
      }
    }
    return false;
  }

 private:
  Values network_weights(const NeuralField& field) const {
    return {field.parameters.begin(),
            field.parameters.begin() + static_cast<std::ptrdiff_t>(shape_.layout.encoding_first)};
  }
  static std::size_t place(const GridLevel& level, std::uint32_t index, int feature) {
    return (std::size_t{level.first} + index) * 2 + static_cast<std::size_t>(feature);
  }

  Values features(const std::array<double, 3>& x) const {
    Values values;
    const double position[] = {x[0], x[1], x[2]};
    for (const GridLevel& level : shape_.encoding.grids[0].levels) {
      double own[2];
      grid_features<Interpolation::linear>(
          level, position,
          [&](std::uint32_t index, int f) { return table_.at(place(level, index, f)); }, own);
      values.insert(values.end(), own, own + 2);
    }
    if (shape_.config.encoding->parts.size() > 1) {
      for (const double own : {x[1], x[2]}) {
        for (int k = 0; k < 6; ++k) values.push_back(Frequency{3}.value(k, own));
      }
      values.resize(shape_.encoding.features, 1.0);
    }
    values.resize(shape_.encoding.features, 0.0);
    return values;
  }

  PlainShape shape_;
  PlainNetwork network_;
  Values table_;
};

}  // namespace mote
