#include "fields/direction_encoding.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "fields/applications/nerf_layout.h"
#include "fields/part_encoding.h"

namespace mote {

void encode_direction(const EncodingConfig& config, const glm::vec3& direction,
                      std::span<const float> latents, float* values) {
  std::array<float, 3 + kMostLatents> inputs;
  CHECK(latents.size() <= kMostLatents);
  for (int axis = 0; axis < 3; ++axis) {
    inputs[static_cast<std::size_t>(axis)] = 0.5f * direction[axis] + 0.5f;
  }
  std::ranges::copy(latents, inputs.begin() + 3);
  float* end = values + config.padded_outputs();
  for (const EncodingPart& part : config.parts) {
    encode_part(part, inputs.data(), 1, 0, 1, values);
    values += encoding_outputs(part);
  }
  std::fill(values, end, 1.0f);
}

}  // namespace mote
