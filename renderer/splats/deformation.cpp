#include "splats/deformation.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/parallel.h"
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

template <class T>
DeformationValues<T>::DeformationValues(const DeformationLayout& layout, const T* parameters)
    : layout_(layout), planes_(parameters + layout.planes_first), matrices_(layout.planes_first) {
  std::size_t widest = layout.features;
  for (const MlpLayer& layer : layout.layers) {
    const auto inputs = static_cast<std::size_t>(layer.inputs);
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    widest = std::max(widest, outputs);
    for (std::size_t o = 0; o < outputs; ++o) {
      for (std::size_t i = 0; i < inputs; ++i) {
        matrices_[layer.first + i * outputs + o] = parameters[layer.first + o * inputs + i];
      }
    }
  }
  values_.resize(widest);
  next_.resize(widest);
}

template <class T>
const T* DeformationValues<T>::at(const T (&x)[kHexAxes]) {
  const std::size_t features = layout_.plane_features;
  for (std::size_t l = 0; l < layout_.levels.size(); ++l) {
    const HexLevel& level = layout_.levels[l];
    const HexPoint<T> point = hex_point(level, x);
    for (std::size_t f = 0; f < features; ++f) {
      values_[l * features + f] = hex_value<T>(level, point, [&](int plane, std::size_t node) {
        return planes_[level.first[plane] + node * features + f];
      });
    }
  }
  for (const MlpLayer& layer : layout_.layers) {
    const auto inputs = static_cast<std::size_t>(layer.inputs);
    const auto outputs = static_cast<std::size_t>(layer.outputs);
    T* const to = next_.data();
    std::fill_n(to, outputs, T(0));
    for (std::size_t i = 0; i < inputs; ++i) {
      const T value = values_[i];
      const T* row = matrices_.data() + layer.first + i * outputs;
      for (std::size_t o = 0; o < outputs; ++o) to[o] += row[o] * value;
    }
    if (layer.activation == LayerActivation::relu) {
      for (std::size_t o = 0; o < outputs; ++o) to[o] = activate<LayerActivation::relu>(to[o]);
    }
    values_.swap(next_);
  }
  return values_.data();
}

template class DeformationValues<float>;
template class DeformationValues<double>;

SplatCloud deformed(const SplatCloud& cloud, double time_s) {
  CHECK(cloud.deformation != nullptr && cloud.kind() == SplatKind::gaussian);
  constexpr std::size_t kBlocksPerTask = 64;
  const DeformationField& field = *cloud.deformation;
  const DeformationLayout layout = deformation_layout(field.config);
  const MotionBox<float> box = motion_box<float>(field);
  const auto share = static_cast<float>(time_share(cloud.times, time_s));
  SplatCloud moved = with_sh_degree(cloud, cloud.sh_degree());
  moved.deformation = nullptr;
  moved.times = {};
  const std::size_t blocks = moved.block_count();
  run_tasks((blocks + kBlocksPerTask - 1) / kBlocksPerTask, [&](std::size_t task, int) {
    DeformationValues<float> values(layout, field.parameters.data());
    const std::size_t end = std::min(blocks, (task + 1) * kBlocksPerTask);
    for (std::size_t block = task * kBlocksPerTask; block < end; ++block) {
      float* const geometry = moved.geometry_block(block);
      for (std::size_t lane = 0; lane < kBlockSize; ++lane) {
        const auto value = [&](int k) -> float& {
          return geometry[static_cast<std::size_t>(k) * kBlockSize + lane];
        };
        const Vec3<float> place = place_in(box, {value(0), value(1), value(2)});
        const float* outputs = values.at({place.x, place.y, place.z, share});
        for (int k = 0; k < kOffsets; ++k) value(k) = displaced(k, box, value(k), outputs[k]);
      }
    }
  });
  return moved;
}

}  // namespace mote
