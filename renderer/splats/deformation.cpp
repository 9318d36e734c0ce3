#include "splats/deformation.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/random.h"

namespace mote {
namespace {

constexpr std::uint64_t kDeformationStream = 0x6865785f;  // apart from other uses of the seed
constexpr int kMostNeurons = 256, kMostHiddenLayers = 4;
constexpr double kLeastPlane = 0.1, kMostPlane = 0.5;  // of new planes in space

void fill_plane(bool with_time, std::size_t count, Random& random, float* values) {
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = with_time ? 1.0f : static_cast<float>(random.uniform(kLeastPlane, kMostPlane));
  }
}

}  // namespace

DeformationLayout deformation_layout(const DeformationConfig& config) {
  const bool usable = config.neurons >= kNeuronAlignment && config.neurons <= kMostNeurons &&
                      config.neurons % kNeuronAlignment == 0 && config.hidden_layers >= 1 &&
                      config.hidden_layers <= kMostHiddenLayers;
  if (!usable) {
    throw Error("has a network of an unusable size", "the deformation field",
                "give 4 to 256 neurons in fours, and 1 to 4 hidden layers");
  }
  DeformationLayout layout;
  layout.levels = hex_levels(config.planes);
  layout.plane_features = static_cast<std::size_t>(config.planes.features);
  const MlpConfig network{.inputs = hex_features(config.planes),
                          .outputs = kOffsets,
                          .neurons = config.neurons,
                          .hidden_layers = config.hidden_layers};
  layout.layers = mlp_layers(network);
  layout.features = static_cast<std::size_t>(layout.layers.front().inputs);
  layout.planes_first = mlp_parameters(network);
  layout.parameters = layout.planes_first + hex_parameters(config.planes);
  return layout;
}

std::vector<float> saved_parameters(ByteSource& source, const DeformationLayout& layout) {
  std::vector<float> saved = get_all<float>(source);
  if (saved.size() != layout.parameters) {
    throw Error("the deformation field has another number of parameters",
                "the saved training state", "resume with the same planes and network");
  }
  return saved;
}

DeformationField initial_deformation(const DeformationConfig& config,
                                     const std::array<float, 3>& low,
                                     const std::array<float, 3>& high, std::uint64_t seed) {
  const DeformationLayout layout = deformation_layout(config);
  DeformationField field{config, low, high, std::vector<float>(layout.parameters)};
  Random random(seed, kDeformationStream);
  for (const MlpLayer& layer : layout.layers) {
    if (&layer == &layout.layers.back()) break;  // stays 0
    const double range = std::sqrt(6.0 / (layer.inputs + layer.outputs));
    const auto count =
        static_cast<std::size_t>(layer.inputs) * static_cast<std::size_t>(layer.outputs);
    for (std::size_t i = 0; i < count; ++i) {
      field.parameters[layer.first + i] = static_cast<float>(random.uniform(-range, range));
    }
  }
  for (const HexLevel& level : layout.levels) {
    for (int plane = 0; plane < kHexPlanes; ++plane) {
      fill_plane(has_time(plane), level.nodes_of(plane) * layout.plane_features, random,
                 field.parameters.data() + layout.planes_first + level.first[plane]);
    }
  }
  return field;
}

double time_share(const SceneTimes& times, double time_s) {
  if (!(times.duration_s > 0)) return 0;
  return std::clamp(time_s / times.duration_s, 0.0, 1.0);
}

}  // namespace mote
