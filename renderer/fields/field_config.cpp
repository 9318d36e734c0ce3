#include "fields/field_config.h"

namespace mote {
namespace {

template <class... Visits>
struct Overloads : Visits... {
  using Visits::operator()...;
};
template <class... Visits>
Overloads(Visits...) -> Overloads<Visits...>;

}  // namespace

int encoding_outputs(const EncodingPart& part) {
  return std::visit(Overloads{[](const GridEncoding& e) { return e.grid.levels * e.grid.features; },
                              [](const SphericalEncoding& e) { return e.degree * e.degree; },
                              [](const EmptyEncoding&) { return 0; },
                              [&](const auto& e) { return part.inputs * e.per_input(); }},
                    part.kind);
}

int EncodingConfig::outputs() const {
  int sum = 0;
  for (const EncodingPart& part : parts) sum += encoding_outputs(part);
  return sum;
}

int EncodingConfig::padded_outputs() const {
  return mlp_padded(outputs());
}

std::size_t EncodingConfig::parameters() const {
  std::size_t sum = 0;
  for (const EncodingPart& part : parts) {
    if (const auto* grid = std::get_if<GridEncoding>(&part.kind))
      sum += grid_parameters(grid->grid);
  }
  return sum;
}

void set_missing_growth(EncodingConfig& config, double finest_resolution) {
  for (EncodingPart& part : config.parts) {
    auto* grid = std::get_if<GridEncoding>(&part.kind);
    if (grid == nullptr || grid->has_growth) continue;
    grid->grid.per_level_scale =
        grid_growth(finest_resolution, grid->grid.base_resolution, grid->grid.levels);
    grid->has_growth = true;
  }
}

MlpConfig mlp_config(const NetworkConfig& network, int inputs, int outputs) {
  return {.inputs = inputs,
          .outputs = outputs,
          .neurons = network.neurons,
          .hidden_layers = network.hidden_layers,
          .activation = network.activation,
          .output_activation = network.output_activation};
}

}  // namespace mote
