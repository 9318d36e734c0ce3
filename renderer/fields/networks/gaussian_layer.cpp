#include "fields/networks/gaussian_layer.h"

#include "core/error.h"

namespace mote {

GaussianLayout gaussian_layout(const MlpConfig& config) {
  CHECK(config.inputs >= 1 && config.outputs >= 1);
  CHECK(config.neurons >= 1 && config.neurons % kNeuronAlignment == 0);
  GaussianLayout layout;
  layout.weights = {config.neurons, mlp_padded(config.outputs), config.output_activation, 0};
  layout.count = static_cast<std::size_t>(config.neurons);
  layout.inputs = static_cast<std::size_t>(mlp_padded(config.inputs));
  layout.centers = layout.count * static_cast<std::size_t>(layout.weights.outputs);
  layout.sharpness = layout.centers + layout.count * layout.inputs;
  layout.parameters = layout.sharpness + layout.count * layout.inputs;
  return layout;
}

}  // namespace mote
