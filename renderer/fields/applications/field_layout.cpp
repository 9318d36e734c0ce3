#include "fields/applications/field_layout.h"

#include <array>

#include "core/error.h"
#include "fields/applications/nerf_layout.h"

namespace mote {
namespace {

template <class Value>
Value of(const std::array<Value, kFieldApplicationNames.size()>& values,
         FieldApplication application) {
  return values[static_cast<std::size_t>(application)];
}

}  // namespace

int field_inputs(FieldApplication application) {
  constexpr std::array<int, 4> kInputs{3, 3, 2, 3};
  return of(kInputs, application);
}

int field_outputs(FieldApplication application) {
  constexpr std::array<int, 4> kOutputs{kNerfDensityOutputs, 1, 3, 4};
  return of(kOutputs, application);
}

SimpleFieldLayout simple_field_layout(FieldApplication application, const FieldConfig& config) {
  CHECK(application != FieldApplication::nerf);
  SimpleFieldLayout layout;
  layout.network =
      mlp_config(*config.network, config.encoding->padded_outputs(), field_outputs(application));
  if (config.network->kind == NetworkKind::gaussians) {
    layout.gaussians = gaussian_layout(layout.network);
    layout.encoding_first = layout.gaussians->parameters;
  } else {
    layout.encoding_first = mlp_parameters(layout.network);
  }
  layout.parameters = layout.encoding_first + config.encoding->parameters();
  return layout;
}

std::size_t field_parameters(FieldApplication application, const FieldConfig& config) {
  if (application == FieldApplication::nerf) return nerf_layout(config).parameters;
  return simple_field_layout(application, config).parameters;
}

}  // namespace mote
