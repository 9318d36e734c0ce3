#include "fields/initial_parameters.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/random.h"
#include "fields/applications/field_layout.h"
#include "fields/applications/nerf_layout.h"

namespace mote {
namespace {

constexpr double kGridRange = 1e-4;
constexpr std::uint64_t kStream = 0x6e657266;  // apart from other uses of the seed

void fill_layer(const MlpLayer& layer, Random& random, float* parameters) {
  const double range = std::sqrt(6.0 / (layer.inputs + layer.outputs));
  const auto count =
      static_cast<std::size_t>(layer.inputs) * static_cast<std::size_t>(layer.outputs);
  for (std::size_t i = 0; i < count; ++i) {
    parameters[layer.first + i] = static_cast<float>(random.uniform(-range, range));
  }
}

void fill_network(const MlpConfig& network, Random& random, float* parameters) {
  for (const MlpLayer& layer : mlp_layers(network)) fill_layer(layer, random, parameters);
}

/// Wide Gaussians around the features of a new grid, which are close to 0: with centres uniform in
/// +-1, the mean exponent is 1.
void fill_gaussians(const GaussianLayout& layout, Random& random, float* parameters) {
  fill_layer(layout.weights, random, parameters);
  for (std::size_t i = layout.centers; i < layout.sharpness; ++i) {
    parameters[i] = static_cast<float>(random.uniform(-1, 1));
  }
  const auto sharpness = static_cast<float>(std::sqrt(3.0 / static_cast<double>(layout.inputs)));
  std::fill(parameters + layout.sharpness, parameters + layout.parameters, sharpness);
}

void fill_grids(std::span<float> parameters, Random& random) {
  for (float& parameter : parameters) {
    parameter = static_cast<float>(random.uniform(-kGridRange, kGridRange));
  }
}

}  // namespace

std::vector<float> initial_nerf_parameters(const FieldConfig& config, std::uint64_t seed) {
  const NerfLayout layout = nerf_layout(config);
  std::vector<float> parameters(layout.parameters);
  Random random(seed, kStream);
  fill_network(layout.density, random, parameters.data());
  fill_network(layout.color, random, parameters.data() + layout.color_first);
  fill_grids(std::span(parameters).subspan(layout.encoding_first), random);
  return parameters;
}

std::vector<float> initial_parameters(FieldApplication application, const FieldConfig& config,
                                      std::uint64_t seed) {
  if (application == FieldApplication::nerf) return initial_nerf_parameters(config, seed);
  const SimpleFieldLayout layout = simple_field_layout(application, config);
  std::vector<float> parameters(layout.parameters);
  Random random(seed, kStream);
  if (layout.gaussians) {
    fill_gaussians(*layout.gaussians, random, parameters.data());
  } else {
    fill_network(layout.network, random, parameters.data());
  }
  fill_grids(std::span(parameters).subspan(layout.encoding_first), random);
  return parameters;
}

}  // namespace mote
