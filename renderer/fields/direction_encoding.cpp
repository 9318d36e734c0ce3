#include "fields/direction_encoding.h"

#include <algorithm>
#include <array>

#include "fields/part_encoding.h"

namespace mote {

void encode_direction(const EncodingConfig& config, const glm::vec3& direction, float* values) {
  const std::array<float, 3> inputs{0.5f * direction.x + 0.5f, 0.5f * direction.y + 0.5f,
                                    0.5f * direction.z + 0.5f};
  float* end = values + config.padded_outputs();
  for (const EncodingPart& part : config.parts) {
    encode_part(part, inputs.data(), 1, 0, 1, values);
    values += encoding_outputs(part);
  }
  std::fill(values, end, 1.0f);
}

}  // namespace mote
