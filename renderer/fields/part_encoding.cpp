#include "fields/part_encoding.h"

#include <array>

#include "core/error.h"

namespace mote {
namespace {

struct Planes {
  const EncodingPart& part;
  const float* positions;  // of the part's first input
  std::size_t stride, begin, end;
  float* features;

  template <int DEGREE = 1>
  void encode_bands(int degree) const {
    if (degree == DEGREE) {
      std::array<float, static_cast<std::size_t>(DEGREE * DEGREE)> values;
      for (std::size_t i = begin; i < end; ++i) {
        const auto component = [&](std::size_t axis) {
          return 2 * positions[axis * stride + i] - 1;
        };
        encode_direction<DEGREE>(Vec3<float>{component(0), component(1), component(2)},
                                 values.data());
        for (std::size_t k = 0; k < values.size(); ++k) features[k * stride + i] = values[k];
      }
    } else if constexpr (DEGREE < kMostShEncodingDegree) {
      encode_bands<DEGREE + 1>(degree);
    }
  }

  void operator()(const GridEncoding&) const { CHECK(false); }
  void operator()(const EmptyEncoding&) const {}
  void operator()(const SphericalEncoding& encoding) const { encode_bands(encoding.degree); }
  template <class Encoding>
  void operator()(const Encoding& encoding) const {
    float* plane = features;
    for (int input = 0; input < part.inputs; ++input) {
      const float* own = positions + static_cast<std::size_t>(input) * stride;
      for (int k = 0; k < encoding.per_input(); ++k, plane += stride) {
        for (std::size_t i = begin; i < end; ++i) plane[i] = encoding.value(k, own[i]);
      }
    }
  }
};

}  // namespace

void encode_part(const EncodingPart& part, const float* positions, std::size_t stride,
                 std::size_t begin, std::size_t end, float* features) {
  const float* own = positions + static_cast<std::size_t>(part.first_input) * stride;
  std::visit(Planes{part, own, stride, begin, end, features}, part.kind);
}

}  // namespace mote
