#pragma once

// The configuration of a neural field, as tiny-cuda-nn and instant-ngp describe it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "fields/encodings/frequency.h"
#include "fields/encodings/grid_layout.h"
#include "fields/encodings/identity.h"
#include "fields/encodings/one_blob.h"
#include "fields/encodings/spherical.h"
#include "fields/encodings/triangle_wave.h"
#include "fields/networks/activation.h"
#include "fields/networks/loss.h"
#include "fields/networks/mlp_layout.h"

namespace mote {

/// Spherical harmonics of a direction with components from 0 to 1, which stand for -1 to 1.
struct SphericalEncoding {
  int degree = 4;  // number of bands, 1 to kMostShEncodingDegree
};

/// Ignores its inputs.
struct EmptyEncoding {};

/// A grid without per_level_scale has the growth that its application chooses.
struct GridEncoding {
  GridConfig grid;
  bool has_growth = true;
};

/// An encoding of some of the inputs.
struct EncodingPart {
  using Kind = std::variant<GridEncoding, Frequency, TriangleWave, OneBlob, SphericalEncoding,
                            Identity, EmptyEncoding>;

  Kind kind;
  int first_input = 0, inputs = 0;
};

/// Number of values that the part gives.
int encoding_outputs(const EncodingPart& part);

/// Parts that follow each other in the output. An encoding without `nested` has one.
struct EncodingConfig {
  std::vector<EncodingPart> parts;

  int outputs() const;
  /// Outputs with the padding that follows them, a multiple of 16.
  int padded_outputs() const;
  std::size_t parameters() const;
};

/// Gives the grids that have no growth the one with which the finest of their levels has
/// `finest_resolution` points per axis.
void set_missing_growth(EncodingConfig& config, double finest_resolution);

enum class NetworkKind {
  perceptron,
  gaussians  // fields/networks/gaussian_layer.h
};

/// A network but for its numbers of inputs and outputs, which follow from its place.
struct NetworkConfig {
  NetworkKind kind = NetworkKind::perceptron;
  int neurons = 128;  // of a hidden layer, or the number of Gaussians
  // These are parts of a perceptron:
  int hidden_layers = 5;
  LayerActivation activation = LayerActivation::relu;
  // Both kinds have these:
  LayerActivation output_activation = LayerActivation::none;
};

/// The network in its place.
MlpConfig mlp_config(const NetworkConfig& network, int inputs, int outputs);

/// How a NeRF's density follows from the first output of its density network.
enum class DensityKind {
  exponential,  // the output is its logarithm
  softplus      // fields/applications/soft_density.h
};

/// Names in configurations, in the order of DensityKind.
inline constexpr std::array<std::string_view, 2> kDensityNames{"Exponential", "Softplus"};

struct DensityActivation {
  DensityKind kind = DensityKind::exponential;
  double alpha = 1e-2;  // of a softplus: opacity of a cell of the finest grid where the output is 0
};

/// Adam, and what is nested around it.
struct FieldOptimizer {
  double learning_rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double l2_regularization = 1e-8;  // of matrices only

  struct Decay {
    double base = 0.1;                                             // factor on the learning rate
    std::int64_t start = 10000, interval = 10000, end = 10000000;  // steps
  };
  std::optional<Decay> decay;
  std::optional<double> ema_decay;  // of the parameters that are evaluated; empty: no average
  /// Whether a step gives the same bits each time. Else a device may add up gradients of grids in
  /// any order. Not in files.
  bool repeatable = true;
};

/// A file. Parts that it does not have are empty.
struct FieldConfig {
  std::optional<EncodingConfig> encoding, direction_encoding;
  std::optional<NetworkConfig> network, color_network;
  DensityActivation density;
  std::optional<FieldLoss> loss;
  std::optional<FieldOptimizer> optimizer;
};

}  // namespace mote
