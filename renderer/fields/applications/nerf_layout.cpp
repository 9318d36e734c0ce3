#include "fields/applications/nerf_layout.h"

#include <algorithm>
#include <string>
#include <variant>

#include "core/error.h"
#include "fields/applications/soft_density.h"

namespace mote {
namespace {

constexpr int kDirectionInputs = 3;

void check_network(const NetworkConfig& network, const std::string& key) {
  if (network.kind != NetworkKind::perceptron) {
    throw Error("GaussianRBF is no network of a NeRF", key + "/otype", "use MLP or FullyFusedMLP");
  }
  if (network.hidden_layers == 0 || network.neurons % kMlpAlignment == 0) return;
  throw Error("the networks of a NeRF have a multiple of 16 neurons, not " +
                  std::to_string(network.neurons),
              key + "/n_neurons", "correct the value");
}

std::optional<NerfLayout::SoftDensity> soft_density(const FieldConfig& config) {
  if (config.density.kind != DensityKind::softplus) return {};
  NerfLayout::SoftDensity density{
      .shift = static_cast<float>(soft_density_shift(config.density.alpha)), .cells = 0};
  for (const EncodingPart& part : config.encoding->parts) {
    const auto* grid = std::get_if<GridEncoding>(&part.kind);
    if (grid == nullptr) continue;
    density.cells = std::max(density.cells, grid_levels(grid->grid).back().scale);
  }
  if (density.cells > 0) return density;
  throw Error("the density is that of a grid's cells, and the encoding has none with two points",
              "density_activation", "use a grid, or remove density_activation");
}

}  // namespace

FieldConfig default_nerf_config() {
  GridEncoding grid{.grid = {.levels = 8, .features = 4}, .has_growth = false};
  FieldConfig config;
  config.encoding = {.parts = {{.kind = grid, .first_input = 0, .inputs = 3}}};
  config.direction_encoding = {
      .parts = {{.kind = SphericalEncoding{4}, .first_input = 0, .inputs = 3}}};
  config.network = {.neurons = 64, .hidden_layers = 1};
  config.color_network = {.neurons = 64, .hidden_layers = 2};
  config.loss = FieldLoss::huber;
  config.optimizer = {.learning_rate = 1e-2,
                      .beta1 = 0.9,
                      .beta2 = 0.99,
                      .epsilon = 1e-15,
                      .l2_regularization = 1e-6,
                      .decay = FieldOptimizer::Decay{.base = 0.33, .start = 20000},
                      .ema_decay = 0.95};
  return config;
}

FieldConfig complete_nerf_config(FieldConfig config, int aabb_scale) {
  const FieldConfig usual = default_nerf_config();
  if (!config.encoding) config.encoding = usual.encoding;
  if (!config.direction_encoding) config.direction_encoding = usual.direction_encoding;
  if (!config.network) config.network = usual.network;
  if (!config.color_network) config.color_network = usual.color_network;
  if (!config.loss) config.loss = usual.loss;
  if (!config.optimizer) config.optimizer = usual.optimizer;
  set_missing_growth(*config.encoding, kFinestResolution * aabb_scale);
  return config;
}

FieldConfig with_latents(FieldConfig complete, int count) {
  CHECK(count >= 0 && count <= kMostLatents);
  if (count == 0) return complete;
  complete.direction_encoding->parts.push_back(
      {.kind = Identity{}, .first_input = kDirectionInputs, .inputs = count});
  return complete;
}

int latents_of(const EncodingConfig& direction_encoding) {
  int inputs = 0, latents = 0;
  for (const EncodingPart& part : direction_encoding.parts) {
    inputs = std::max(inputs, part.first_input + part.inputs);
    const auto* identity = std::get_if<Identity>(&part.kind);
    const bool fits = identity != nullptr && identity->scale == 1 && identity->offset == 0 &&
                      part.first_input == kDirectionInputs &&
                      &part == &direction_encoding.parts.back();
    if (fits) latents = part.inputs;
  }
  if (inputs <= kDirectionInputs) return 0;
  if (kDirectionInputs + latents == inputs && latents <= kMostLatents) return latents;
  throw Error("the inputs behind the direction are those of no last Identity, or more than " +
                  std::to_string(kMostLatents),
              "dir_encoding", "encode latents by Identity without scale and offset");
}

NerfLayout nerf_layout(const FieldConfig& config) {
  check_network(*config.network, "network");
  check_network(*config.color_network, "rgb_network");
  NerfLayout layout;
  layout.density =
      mlp_config(*config.network, config.encoding->padded_outputs(), kNerfDensityOutputs);
  layout.direction_inputs = config.direction_encoding->padded_outputs();
  layout.latents = latents_of(*config.direction_encoding);
  layout.first_latent = kNerfDensityOutputs + config.direction_encoding->outputs() - layout.latents;
  layout.color =
      mlp_config(*config.color_network, kNerfDensityOutputs + layout.direction_inputs, kNerfColors);
  layout.color_first = mlp_parameters(layout.density);
  layout.encoding_first = layout.color_first + mlp_parameters(layout.color);
  layout.parameters = layout.encoding_first + config.encoding->parameters();
  layout.soft_density = soft_density(config);
  return layout;
}

}  // namespace mote
