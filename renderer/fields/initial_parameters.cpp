#include "fields/initial_parameters.h"

#include <cmath>

#include "core/random.h"
#include "fields/applications/nerf_layout.h"

namespace mote {
namespace {

constexpr double kGridRange = 1e-4;

void fill_network(const MlpConfig& network, Random& random, float* parameters) {
  for (const MlpLayer& layer : mlp_layers(network)) {
    const double range = std::sqrt(6.0 / (layer.inputs + layer.outputs));
    const auto count =
        static_cast<std::size_t>(layer.inputs) * static_cast<std::size_t>(layer.outputs);
    for (std::size_t i = 0; i < count; ++i) {
      parameters[layer.first + i] = static_cast<float>(random.uniform(-range, range));
    }
  }
}

}  // namespace

std::vector<float> initial_nerf_parameters(const FieldConfig& config, std::uint64_t seed) {
  constexpr std::uint64_t kStream = 0x6e657266;  // apart from other uses of the seed
  const NerfLayout layout = nerf_layout(config);
  std::vector<float> parameters(layout.parameters);
  Random random(seed, kStream);
  fill_network(layout.density, random, parameters.data());
  fill_network(layout.color, random, parameters.data() + layout.color_first);
  for (std::size_t i = layout.encoding_first; i < parameters.size(); ++i) {
    parameters[i] = static_cast<float>(random.uniform(-kGridRange, kGridRange));
  }
  return parameters;
}

}  // namespace mote
