#pragma once

// Fields with one network by plain loops in double, for tests of their kernels.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <variant>
#include <vector>

#include "core/error.h"
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
  explicit PlainReference(const NeuralField& field, PlainMlp::Rounding rounding = not_rounded)
      : shape_(field), network_(shape_, network_weights(field), rounding) {
    for (std::size_t i = shape_.layout.encoding_first; i < field.parameters.size(); ++i) {
      table_.push_back(static_cast<double>(from_half(to_half(field.parameters[i]))));
    }
  }

  std::size_t network_parameters() const { return shape_.layout.encoding_first; }
  Values value(const std::array<double, 3>& x) const { return network_.forward(features(x)); }

  void add_gradients(const std::array<double, 3>& x, Values d, Values& d_network,
                     Values& d_table) const {
    d.resize(static_cast<std::size_t>(shape_.layers.back().outputs));
    const Values d_features = network_.backward(features(x), d, d_network);
    visit_table(x, [&](std::size_t feature, std::size_t parameter, double weight) {
      d_table.at(parameter) += weight * d_features[feature];
    });
  }

  /// Whether rounding may move the position to another cell.
  bool is_near_border(const std::array<double, 3>& x) const {
    for (const EncodingShape::Grid& grid : shape_.encoding.grids) {
      for (const GridLevel& level : grid.levels) {
        for (const double own : x) {
          const double at = static_cast<double>(level.scale) * own + 0.5;
          if (std::abs(at - std::round(at)) < 1e-4) return true;
        }
      }
    }
    return false;
  }

 private:
  Values network_weights(const NeuralField& field) const {
    return {field.parameters.begin(),
            field.parameters.begin() + static_cast<std::ptrdiff_t>(shape_.layout.encoding_first)};
  }

  /// Calls visit(feature, parameter of the table, weight) for all that a position reads of grids.
  template <class Visit>
  void visit_table(const std::array<double, 3>& x, const Visit& visit) const {
    for (const EncodingShape::Grid& grid : shape_.encoding.grids) {
      const auto features = static_cast<std::size_t>(grid.config.features);
      std::size_t first = grid.first_feature;
      for (const GridLevel& level : grid.levels) {
        for_each_point(grid, level, x, [&](int, std::uint32_t index, double weight) {
          const std::size_t entry = std::size_t{level.first} + index;
          for (std::size_t f = 0; f < features; ++f) {
            visit(first + f, grid.first_parameter + entry * features + f, weight);
          }
        });
        first += features;
      }
    }
  }

  template <class Visit>
  static void for_each_point(const EncodingShape::Grid& grid, const GridLevel& level,
                             const std::array<double, 3>& x, const Visit& visit) {
    const auto in = [&]<int D>(const double(&own)[D]) {
      switch (grid.config.interpolation) {
        case Interpolation::nearest:
          return for_each_corner<Interpolation::nearest>(
              level, grid_cell<Interpolation::nearest>(level, own), visit);
        case Interpolation::linear:
          return for_each_corner<Interpolation::linear>(
              level, grid_cell<Interpolation::linear>(level, own), visit);
        case Interpolation::smoothstep:
          return for_each_corner<Interpolation::smoothstep>(
              level, grid_cell<Interpolation::smoothstep>(level, own), visit);
      }
    };
    const double plane[] = {x[grid.first_input], x[grid.first_input + 1]},
                 space[] = {x[0], x[1], x[2]};
    grid.config.dimensions == 2 ? in(plane) : in(space);
  }

  static void add_values(const GridEncoding&, const EncodingPart& part,
                         const std::array<double, 3>&, Values& values) {
    values.resize(values.size() + static_cast<std::size_t>(encoding_outputs(part)));
  }
  static void add_values(const EmptyEncoding&, const EncodingPart&, const std::array<double, 3>&,
                         Values&) {}
  static void add_values(const SphericalEncoding& encoding, const EncodingPart&,
                         const std::array<double, 3>& x, Values& values) {
    const Vec3<double> direction{2 * x[0] - 1, 2 * x[1] - 1, 2 * x[2] - 1};
    std::array<double, kMostShEncodingDegree * kMostShEncodingDegree> all{};
    encode_direction<kMostShEncodingDegree>(direction, all.data());
    values.insert(values.end(), all.begin(), all.begin() + encoding.degree * encoding.degree);
  }
  template <class Encoding>
  static void add_values(const Encoding& encoding, const EncodingPart& part,
                         const std::array<double, 3>& x, Values& values) {
    for (int input = part.first_input; input < part.first_input + part.inputs; ++input) {
      for (int k = 0; k < encoding.per_input(); ++k) {
        values.push_back(encoding.value(k, x[static_cast<std::size_t>(input)]));
      }
    }
  }

  Values features(const std::array<double, 3>& x) const {
    Values values;
    for (const EncodingPart& part : shape_.config.encoding->parts) {
      std::visit([&](const auto& encoding) { add_values(encoding, part, x, values); }, part.kind);
    }
    const bool only_grids = shape_.config.encoding->parts.size() == shape_.encoding.grids.size();
    values.resize(shape_.encoding.features, only_grids ? 0.0 : 1.0);
    visit_table(x, [&](std::size_t feature, std::size_t parameter, double weight) {
      values[feature] += weight * table_.at(parameter);
    });
    return values;
  }

  PlainShape shape_;
  PlainNetwork network_;
  Values table_;
};

}  // namespace mote
