#include "fields/applications/plain_configs.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "fields/applications/nerf_layout.h"

namespace mote {
namespace {

constexpr int kFewestEntries_log2 = 10, kMostEntries_log2 = 24;

GridConfig image_grid(int log2_table_size, double finest) {
  GridConfig grid{.dimensions = 2,
                  .levels = 16,
                  .features = 2,
                  .log2_table_size = log2_table_size,
                  .base_resolution = 16};
  grid.per_level_scale = grid_growth(finest, grid.base_resolution, grid.levels);
  return grid;
}

/// The largest table of at most `parameters`.
GridConfig fitting_image_grid(std::uint64_t parameters, double finest) {
  GridConfig grid = image_grid(kFewestEntries_log2, finest);
  for (int size = kFewestEntries_log2 + 1; size <= kMostEntries_log2; ++size) {
    const GridConfig larger = image_grid(size, finest);
    if (grid_parameters(larger) > parameters) break;
    grid = larger;
  }
  return grid;
}

FieldOptimizer adam(double learning_rate) {
  return {.learning_rate = learning_rate,
          .beta1 = 0.9,
          .beta2 = 0.99,
          .epsilon = 1e-15,
          .l2_regularization = 1e-6,
          .decay = FieldOptimizer::Decay{.base = 0.33, .start = 20000},
          .ema_decay = 0.99};
}

void refuse_density(const FieldConfig& config) {
  if (config.density.kind == DensityKind::exponential) return;
  throw Error("only a NeRF has an activation of its density", "density_activation", "remove it");
}

}  // namespace

FieldConfig complete_image_config(FieldConfig config, int width, int height, bool linear) {
  refuse_density(config);
  const double finest = std::max(std::max(width, height) / 2, 32);
  const auto pixels = static_cast<std::uint64_t>(width) * static_cast<std::uint64_t>(height);
  if (!config.network) config.network = {.neurons = 64, .hidden_layers = 2};
  if (!config.encoding) {
    constexpr int kUsualFeatures = 32;
    const std::uint64_t network = mlp_parameters(mlp_config(*config.network, kUsualFeatures, 3));
    const std::uint64_t halves = 3 * pixels / 4 / 2;
    const GridEncoding grid{.grid = fitting_image_grid(halves - std::min(network, halves), finest),
                            .has_growth = true};
    config.encoding = {.parts = {{.kind = grid, .first_input = 0, .inputs = 2}}};
  }
  set_missing_growth(*config.encoding, finest);
  if (!config.loss) config.loss = linear ? FieldLoss::relative_l2 : FieldLoss::l2;
  if (!config.optimizer) config.optimizer = adam(1e-2);
  return config;
}

FieldConfig complete_sdf_config(FieldConfig config) {
  refuse_density(config);
  if (!config.encoding) {
    const GridEncoding grid{.grid = {.levels = 16, .features = 2}, .has_growth = false};
    config.encoding = {.parts = {{.kind = grid, .first_input = 0, .inputs = 3}}};
  }
  set_missing_growth(*config.encoding, kFinestResolution);
  if (!config.network) config.network = {.neurons = 64, .hidden_layers = 2};
  if (!config.loss) config.loss = FieldLoss::mape;
  if (is_loss_of_densities(*config.loss)) {
    const std::string name(kFieldLossNames[static_cast<std::size_t>(*config.loss)]);
    throw Error("the loss " + name + " is for values above 0, and distances have both signs",
                "loss/otype", "use another loss, such as MAPE");
  }
  if (!config.optimizer) config.optimizer = adam(1e-3);
  return config;
}

FieldConfig complete_volume_config(FieldConfig config, int voxels) {
  refuse_density(config);
  if (!config.encoding) {
    const GridEncoding grid{.grid = {.levels = 16, .features = 2}, .has_growth = false};
    config.encoding = {.parts = {{.kind = grid, .first_input = 0, .inputs = 3}}};
  }
  set_missing_growth(*config.encoding, std::max(voxels, 32));
  if (!config.network) {
    config.network = {
        .neurons = 64, .hidden_layers = 2, .output_activation = LayerActivation::relu};
  }
  if (!config.loss) config.loss = FieldLoss::l2;
  if (!config.optimizer) {
    config.optimizer = adam(5e-3);
    config.optimizer->decay = FieldOptimizer::Decay{.base = 0.33, .start = 10000, .interval = 5000};
    config.optimizer->ema_decay = 0.95;
  }
  return config;
}

}  // namespace mote
