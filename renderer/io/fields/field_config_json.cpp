#include "io/fields/field_config_json.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace mote {
namespace {

using nlohmann::json;

json kind_json(const GridEncoding& encoding) {
  const GridConfig& grid = encoding.grid;
  const std::string_view kind = kGridKindNames[static_cast<std::size_t>(grid.kind)];
  json own = {{"otype", std::string(kind) + "Grid"},
              {"n_levels", grid.levels},
              {"n_features_per_level", grid.features},
              {"log2_hashmap_size", grid.log2_table_size},
              {"base_resolution", grid.base_resolution},
              {"interpolation", kInterpolationNames[static_cast<std::size_t>(grid.interpolation)]}};
  if (encoding.has_growth) own["per_level_scale"] = grid.per_level_scale;
  return own;
}

json kind_json(const Frequency& encoding) {
  return {{"otype", "Frequency"}, {"n_frequencies", encoding.frequencies}};
}

json kind_json(const TriangleWave& encoding) {
  return {{"otype", "TriangleWave"}, {"n_frequencies", encoding.frequencies}};
}

json kind_json(const OneBlob& encoding) {
  return {{"otype", "OneBlob"}, {"n_bins", encoding.bins}};
}

json kind_json(const SphericalEncoding& encoding) {
  return {{"otype", "SphericalHarmonics"}, {"degree", encoding.degree}};
}

json kind_json(const Identity& encoding) {
  return {{"otype", "Identity"}, {"scale", encoding.scale}, {"offset", encoding.offset}};
}

json kind_json(const EmptyEncoding&) {
  return {{"otype", "Empty"}};
}

json part_json(const EncodingPart& part) {
  return std::visit([](const auto& kind) { return kind_json(kind); }, part.kind);
}

json encoding_json(const EncodingConfig& config) {
  if (config.parts.size() == 1) return part_json(config.parts.front());
  json nested = json::array();
  for (const EncodingPart& part : config.parts) {
    json own = part_json(part);
    own["n_dims_to_encode"] = part.inputs;
    own["dims_to_encode_begin"] = part.first_input;
    nested.push_back(std::move(own));
  }
  return {{"otype", "Composite"}, {"nested", std::move(nested)}};
}

json network_json(const NetworkConfig& network) {
  constexpr std::array<int, 4> kFusedWidths{16, 32, 64, 128};
  const bool fused = network.hidden_layers > 0 &&
                     std::ranges::find(kFusedWidths, network.neurons) != kFusedWidths.end();
  const auto name = [](LayerActivation activation) {
    return kActivationNames[static_cast<std::size_t>(activation)];
  };
  if (network.kind == NetworkKind::gaussians) {
    return {{"otype", "GaussianRBF"},
            {"output_activation", name(network.output_activation)},
            {"n_neurons", network.neurons}};
  }
  return {{"otype", fused ? "FullyFusedMLP" : "CutlassMLP"},
          {"activation", name(network.activation)},
          {"output_activation", name(network.output_activation)},
          {"n_neurons", network.neurons},
          {"n_hidden_layers", network.hidden_layers}};
}

/// From Adam outwards.
json optimizer_json(const FieldOptimizer& optimizer) {
  json own = {{"otype", "Adam"},
              {"learning_rate", optimizer.learning_rate},
              {"beta1", optimizer.beta1},
              {"beta2", optimizer.beta2},
              {"epsilon", optimizer.epsilon},
              {"l2_reg", optimizer.l2_regularization}};
  if (const auto& decay = optimizer.decay) {
    own = {{"otype", "ExponentialDecay"}, {"decay_base", decay->base},
           {"decay_start", decay->start}, {"decay_interval", decay->interval},
           {"decay_end", decay->end},     {"nested", std::move(own)}};
  }
  if (optimizer.ema_decay) {
    own = {{"otype", "Ema"}, {"decay", *optimizer.ema_decay}, {"nested", std::move(own)}};
  }
  return own;
}

}  // namespace

json field_config_json(const FieldConfig& config) {
  json all = json::object();
  if (config.encoding) all["encoding"] = encoding_json(*config.encoding);
  if (config.direction_encoding) all["dir_encoding"] = encoding_json(*config.direction_encoding);
  if (config.network) all["network"] = network_json(*config.network);
  if (config.color_network) all["rgb_network"] = network_json(*config.color_network);
  if (config.density.kind != DensityKind::exponential) {
    all["density_activation"] = {
        {"otype", kDensityNames[static_cast<std::size_t>(config.density.kind)]},
        {"alpha_init", config.density.alpha}};
  }
  if (config.loss) {
    all["loss"] = {{"otype", kFieldLossNames[static_cast<std::size_t>(*config.loss)]}};
  }
  if (config.optimizer) all["optimizer"] = optimizer_json(*config.optimizer);
  return all;
}

}  // namespace mote
