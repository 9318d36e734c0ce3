#include "fields/direction_encoding.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "fields/applications/nerf_layout.h"
#include "fields/part_encoding.h"

namespace mote {
namespace {

using DirectionInputs = std::array<float, 3 + kMostLatents>;

/// Sets the inputs of the direction, which are from 0 to 1.
void place_direction(const glm::vec3& direction, DirectionInputs& inputs) {
  for (int axis = 0; axis < 3; ++axis) {
    inputs[static_cast<std::size_t>(axis)] = 0.5f * direction[axis] + 0.5f;
  }
}

}  // namespace

void encode_direction(const EncodingConfig& config, const glm::vec3& direction,
                      std::span<const float> latents, float* values) {
  DirectionInputs inputs;
  CHECK(latents.size() <= kMostLatents);
  place_direction(direction, inputs);
  std::ranges::copy(latents, inputs.begin() + 3);
  float* end = values + config.padded_outputs();
  for (const EncodingPart& part : config.parts) {
    encode_part(part, inputs.data(), 1, 0, 1, values);
    values += encoding_outputs(part);
  }
  std::fill(values, end, 1.0f);
}

glm::vec3 direction_gradient(const EncodingConfig& config, const glm::vec3& direction, int latents,
                             const float* d_values) {
  // Latents reach the values unchanged, so that their own values do not matter here.
  DirectionInputs inputs{}, d_inputs{};
  CHECK(latents <= kMostLatents);
  place_direction(direction, inputs);
  for (const EncodingPart& part : config.parts) {
    encode_part_slopes(part, inputs.data(), d_values, 1, 0, 1, d_inputs.data());
    d_values += encoding_outputs(part);
  }
  return 0.5f * glm::vec3(d_inputs[0], d_inputs[1], d_inputs[2]);
}

}  // namespace mote
