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
  /// `moving`: with rates.
  GeneralTiles(const GeneralNetworkParams& params, bool moving)
      : params_(params),
        wanted_((params.outputs + kPlaneRows - 1) / kPlaneRows * kPlaneRows),
        memory_((moving ? 2 : 1) * floats_for(params)) {
    values_ = memory_.take(value_floats(params));
    arguments_ = memory_.take(value_floats(params));
    d_ = memory_.take(tile_floats(widest(params)));
    d_before_ = memory_.take(tile_floats(widest(params)));
    if (params.gaussians != nullptr) {
      features_ = memory_.take(params.gaussians->inputs * kPlaneTile);
    }
    if (!moving) return;
    rates_ = memory_.take(value_floats(params));
    argument_rates_ = memory_.take(value_floats(params));
    d_rates_ = memory_.take(tile_floats(widest(params)));
    d_rates_before_ = memory_.take(tile_floats(widest(params)));
    if (params.gaussians != nullptr) {
      feature_rates_ = memory_.take(params.gaussians->inputs * kPlaneTile);
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
      multiply_forward(layer, outputs, values_ + place, arguments_ + next);
      activate_all(layer.activation, arguments_ + next, outputs * kPlaneTile, values_ + next);
      place = next;
    }
    last_ = place;
  }

  /// The changes of the values, after forward(). `rates`: of the features.
  void forward_rates(const float* rates, std::size_t at, std::size_t samples) {
    const std::size_t inputs = input_planes();
    float* const features = params_.gaussians != nullptr ? feature_rates_ : rates_;
    load_tile(rates + at, params_.stride, inputs, samples, inputs, features);
    if (params_.gaussians != nullptr) {
      evaluate_gaussian_rates(*params_.gaussians, gaussian_tables(params_.weights), features_,
                              feature_rates_, values_, rates_);
    }
    std::size_t place = 0;
    for (std::size_t l = 0; l < params_.layer_count; ++l) {
      const MlpLayer& layer = params_.layers[l];
      const std::size_t next = place + tile_floats(layer.inputs), outputs = outputs_of(l);
      multiply_forward(layer, outputs, rates_ + place, argument_rates_ + next);
      std::memcpy(rates_ + next, argument_rates_ + next, outputs * kPlaneTile * sizeof(float));
      activate_all_vjp(layer.activation, arguments_ + next, values_ + next, outputs * kPlaneTile,
                       rates_ + next);
      place = next;
    }
  }

  void store_values(std::size_t at, std::size_t samples) const {
    store_tile(values_ + last_, params_.outputs, samples, params_.stride, params_.values + at);
  }

  /// Gradients of the tile that forward() and forward_rates() evaluated.
  void backward(const GeneralBackwardParams& params, std::size_t at, std::size_t samples) {
    load_tile(params.d_values + at, params_.stride, params_.outputs, samples, wanted_, d_);
    const bool moving = params.rates != nullptr;
    if (moving) {
      load_tile(params.d_value_rates + at, params_.stride, params_.outputs, samples, wanted_,
                d_rates_);
    }
    std::size_t place = last_;
    for (std::size_t l = params_.layer_count; l-- > 0;) {
      const MlpLayer& layer = params_.layers[l];
      const auto inputs = static_cast<std::size_t>(layer.inputs);
      const std::size_t outputs = outputs_of(l), before = place - tile_floats(layer.inputs);
      const std::size_t count = outputs * kPlaneTile;
      if (moving) {
        activate_rates_vjp(layer.activation, place, count);
      } else {
        activate_all_vjp(layer.activation, arguments_ + place, values_ + place, count, d_);
      }
      if (params.d_weights != nullptr) {
        float* const matrix = params.d_weights + layer.first;
        add_plane_products({d_, values_ + before, outputs, inputs, matrix});
        if (moving) add_plane_products({d_rates_, rates_ + before, outputs, inputs, matrix});
      }
      step_back(layer, outputs, d_, d_before_);
      if (moving) step_back(layer, outputs, d_rates_, d_rates_before_);
      place = before;
    }
    if (params_.gaussians != nullptr) backward_gaussians(params);
    store_tile(d_, input_planes(), samples, params_.stride, params.d_features + at);
    if (moving) {
      store_tile(d_rates_, input_planes(), samples, params_.stride, params.d_rates + at);
    }
  }

 private:
  /// The floats that the inputs of all layers and the outputs of the last take.
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

  void multiply_forward(const MlpLayer& layer, std::size_t outputs, const float* from,
                        float* to) const {
    const auto inputs = static_cast<std::size_t>(layer.inputs);
    multiply_planes({.matrix = params_.weights + layer.first,
                     .output_step = inputs,
                     .input_step = 1,
                     .inputs = inputs,
                     .outputs = outputs,
                     .from = from,
                     .to = to});
  }

  /// `d` becomes the gradient of the layer's inputs.
  void step_back(const MlpLayer& layer, std::size_t outputs, float*& d, float*& other) const {
    const auto inputs = static_cast<std::size_t>(layer.inputs);
    multiply_planes({.matrix = params_.weights + layer.first,
                     .output_step = 1,
                     .input_step = inputs,
                     .inputs = outputs,
                     .outputs = inputs,
                     .from = d,
                     .to = other});
    float* const done = d;
    d = other;
    other = done;
  }

  /// The gradients of arguments and their changes, from those of the results.
  void activate_rates_vjp(LayerActivation activation, std::size_t place, std::size_t count) {
    visit_activation(activation, [&]<LayerActivation ACTIVATION>() {
      for (std::size_t i = 0; i < count; i += kLanes) {
        const Pack x = load(arguments_ + place + i), y = load(values_ + place + i);
        const Pack rate = load(argument_rates_ + place + i), d_rate = load(d_rates_ + i);
        const Pack still = activate_vjp<ACTIVATION>(x, y, load(d_ + i));
        store(fma(activation_curvature<ACTIVATION>(x, y) * rate, d_rate, still), d_ + i);
        store(activate_vjp<ACTIVATION>(x, y, d_rate), d_rates_ + i);
      }
    });
  }

  /// `d_` and `d_rates_` become the gradients of the features.
  void backward_gaussians(const GeneralBackwardParams& params) {
    const GaussianTables<const float> tables = gaussian_tables(params_.weights);
    GaussianTables<float> d_tables{};
    if (params.d_weights != nullptr) d_tables = gaussian_tables(params.d_weights);
    if (params.rates == nullptr) {
      differentiate_gaussians(*params_.gaussians, tables, features_, values_, d_, d_tables,
                              d_before_);
    } else {
      differentiate_gaussian_rates(*params_.gaussians, tables, {features_, feature_rates_},
                                   {values_, rates_}, {d_, d_rates_}, d_tables,
                                   {d_before_, d_rates_before_});
    }
    // The other buffers are as wide.
    float* const done = d_;
    d_ = d_before_;
    d_before_ = done;
    float* const done_rates = d_rates_;
    d_rates_ = d_rates_before_;
    d_rates_before_ = done_rates;
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
  // The same for changes.
  float *rates_ = nullptr, *argument_rates_ = nullptr, *feature_rates_ = nullptr;
  float *d_rates_ = nullptr, *d_rates_before_ = nullptr;
  std::size_t last_ = 0;  // place of the outputs
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
  GeneralTiles tiles(params, false);
  for_each_plane_tile(begin, end, [&](std::size_t at, std::size_t samples) {
    tiles.forward(at, samples);
    tiles.store_values(at, samples);
  });
}

void general_backward(const GeneralBackwardParams& params, std::size_t begin, std::size_t end) {
  GeneralTiles tiles(params.forward, params.rates != nullptr);
  for_each_plane_tile(begin, end, [&](std::size_t at, std::size_t samples) {
    tiles.forward(at, samples);
    if (params.rates != nullptr) tiles.forward_rates(params.rates, at, samples);
    tiles.backward(params, at, samples);
  });
}

}  // namespace mote::MOTE_ISA
