// Networks of any width, for tiles of samples. A tile goes through all layers, and back. Compiled
// once per instruction set.

#include "cpu/gaussian_tile.h"
#include "cpu/isa_kernels.h"
#include "cpu/plane_tile.h"

namespace mote::MOTE_ISA {
namespace {

constexpr std::size_t tile_floats(int planes) {
  return static_cast<std::size_t>(planes) * kPlaneTile;
}

/// The network of a call and the memory of its tiles.
class GeneralTiles {
 public:
  explicit GeneralTiles(const GeneralNetworkParams& params)
      : params_(params),
        wanted_((params.outputs + kPlaneRows - 1) / kPlaneRows * kPlaneRows),
        memory_(floats_for(params)) {
    values_ = memory_.take(value_floats(params));
    arguments_ = memory_.take(value_floats(params));
    d_ = memory_.take(tile_floats(widest(params)));
    d_before_ = memory_.take(tile_floats(widest(params)));
    if (params.gaussians != nullptr) {
      features_ = memory_.take(params.gaussians->inputs * kPlaneTile);
    }
  }

  /// Values of the `samples` samples from `at` on.
  void forward(std::size_t at, std::size_t samples) {
    const std::size_t inputs = input_planes();
    float* const features = params_.gaussians != nullptr ? features_ : values_;
    load_tile(params_.features + at, params_.stride, inputs, samples, inputs, features);
    if (params_.gaussians != nullptr) {
      evaluate_gaussians(*params_.gaussians, gaussian_tables(params_.weights), features_, values_);
    }
    std::size_t place = 0;
    for (std::size_t l = 0; l < params_.layer_count; ++l) {
      const MlpLayer& layer = params_.layers[l];
      const std::size_t next = place + tile_floats(layer.inputs), outputs = outputs_of(l);
      multiply_planes({.matrix = params_.weights + layer.first,
                       .output_step = static_cast<std::size_t>(layer.inputs),
                       .input_step = 1,
                       .inputs = static_cast<std::size_t>(layer.inputs),
                       .outputs = outputs,
                       .from = values_ + place,
                       .to = arguments_ + next});
      activate_all(layer.activation, arguments_ + next, outputs * kPlaneTile, values_ + next);
      place = next;
    }
    last_ = place;
  }

  void store_values(std::size_t at, std::size_t samples) const {
    store_tile(values_ + last_, params_.outputs, samples, params_.stride, params_.values + at);
  }

  /// Gradients of the tile that forward() evaluated.
  void backward(const GeneralBackwardParams& params, std::size_t at, std::size_t samples) {
    load_tile(params.d_values + at, params_.stride, params_.outputs, samples, wanted_, d_);
    std::size_t place = last_;
    for (std::size_t l = params_.layer_count; l-- > 0;) {
      const MlpLayer& layer = params_.layers[l];
      const auto inputs = static_cast<std::size_t>(layer.inputs);
      const std::size_t outputs = outputs_of(l), before = place - tile_floats(layer.inputs);
      activate_all_vjp(layer.activation, arguments_ + place, values_ + place, outputs * kPlaneTile,
                       d_);
      add_plane_products({.d = d_,
                          .from = values_ + before,
                          .outputs = outputs,
                          .inputs = inputs,
                          .matrix = params.d_weights + layer.first});
      multiply_planes({.matrix = params_.weights + layer.first,
                       .output_step = 1,
                       .input_step = inputs,
                       .inputs = outputs,
                       .outputs = inputs,
                       .from = d_,
                       .to = d_before_});
      float* const done = d_;
      d_ = d_before_;
      d_before_ = done;
      place = before;
    }
    if (params_.gaussians != nullptr) {
      differentiate_gaussians(*params_.gaussians, gaussian_tables(params_.weights), features_,
                              values_, d_, gaussian_tables(params.d_weights), d_before_);
      d_ = d_before_;
    }
    store_tile(d_, input_planes(), samples, params_.stride, params.d_features + at);
  }

 private:
  /// Of the inputs of all layers and the outputs of the last.
  static std::size_t value_floats(const GeneralNetworkParams& params) {
    std::size_t floats = tile_floats(params.layers[params.layer_count - 1].outputs);
    for (std::size_t l = 0; l < params.layer_count; ++l) {
      floats += tile_floats(params.layers[l].inputs);
    }
    return floats;
  }
  static int widest(const GeneralNetworkParams& params) {
    int planes = params.layers[params.layer_count - 1].outputs;
    for (std::size_t l = 0; l < params.layer_count; ++l) {
      if (params.layers[l].inputs > planes) planes = params.layers[l].inputs;
    }
    if (params.gaussians == nullptr) return planes;
    const auto inputs = static_cast<int>(params.gaussians->inputs);
    return inputs > planes ? inputs : planes;
  }
  static std::size_t floats_for(const GeneralNetworkParams& params) {
    const std::size_t inputs = params.gaussians == nullptr ? 0 : params.gaussians->inputs;
    return 2 * value_floats(params) + 2 * tile_floats(widest(params)) + inputs * kPlaneTile;
  }

  /// Number of the network's features.
  std::size_t input_planes() const {
    return params_.gaussians != nullptr ? params_.gaussians->inputs
                                        : static_cast<std::size_t>(params_.layers[0].inputs);
  }
  template <class Float>
  GaussianTables<Float> gaussian_tables(Float* parameters) const {
    return {parameters + params_.gaussians->centers, parameters + params_.gaussians->sharpness};
  }

  /// Only the first outputs of the last layer are used.
  std::size_t outputs_of(std::size_t layer) const {
    if (layer + 1 == params_.layer_count) return wanted_;
    return static_cast<std::size_t>(params_.layers[layer].outputs);
  }

  const GeneralNetworkParams& params_;
  const std::size_t wanted_;  // outputs that are computed
  TileMemory memory_;
  // The inputs of each layer, and the outputs of the last, follow each other; arguments are in the
  // places of their activations.
  float *values_, *arguments_;
  float *d_, *d_before_;
  float* features_ = nullptr;  // of Gaussians
  std::size_t last_ = 0;       // place of the outputs
};

/// Calls visit(first, samples) for the tiles of the samples [begin, end).
template <class Visit>
void for_each_plane_tile(std::size_t begin, std::size_t end, const Visit& visit) {
  for (std::size_t at = begin; at < end; at += kPlaneTile) {
    visit(at, end - at < kPlaneTile ? end - at : kPlaneTile);
  }
}

}  // namespace

void general_forward(const GeneralNetworkParams& params, std::size_t begin, std::size_t end) {
  GeneralTiles tiles(params);
  for_each_plane_tile(begin, end, [&](std::size_t at, std::size_t samples) {
    tiles.forward(at, samples);
    tiles.store_values(at, samples);
  });
}

void general_backward(const GeneralBackwardParams& params, std::size_t begin, std::size_t end) {
  GeneralTiles tiles(params.forward);
  for_each_plane_tile(begin, end, [&](std::size_t at, std::size_t samples) {
    tiles.forward(at, samples);
    tiles.backward(params, at, samples);
  });
}

}  // namespace mote::MOTE_ISA
