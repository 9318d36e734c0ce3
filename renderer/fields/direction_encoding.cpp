#include "fields/direction_encoding.h"

#include <algorithm>

#include "core/error.h"

namespace mote {
namespace {

template <int DEGREE = 1>
void encode_bands(int degree, const glm::vec3& d, float* values) {
  if (degree == DEGREE) {
    encode_direction<DEGREE>(Vec3<float>{d.x, d.y, d.z}, values);
  } else if constexpr (DEGREE < kMostShEncodingDegree) {
    encode_bands<DEGREE + 1>(degree, d, values);
  }
}

/// Encodes the inputs of a part, each from 0 to 1.
struct PartEncoder {
  const EncodingPart& part;
  const glm::vec3& direction;
  float* values;

  void operator()(const GridEncoding&) const { CHECK(false); }
  void operator()(const EmptyEncoding&) const {}
  void operator()(const SphericalEncoding& encoding) const {
    encode_bands(encoding.degree, direction, values);
  }
  template <class Encoding>
  void operator()(const Encoding& encoding) const {
    float* next = values;
    for (int i = part.first_input; i < part.first_input + part.inputs; ++i) {
      const float input = 0.5f * direction[i] + 0.5f;
      for (int k = 0; k < encoding.per_input(); ++k) *next++ = encoding.value(k, input);
    }
  }
};

}  // namespace

void encode_direction(const EncodingConfig& config, const glm::vec3& direction, float* values) {
  float* end = values + config.padded_outputs();
  for (const EncodingPart& part : config.parts) {
    std::visit(PartEncoder{part, direction, values}, part.kind);
    values += encoding_outputs(part);
  }
  std::fill(values, end, 1.0f);
}

}  // namespace mote
