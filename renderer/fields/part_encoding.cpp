#include "fields/part_encoding.h"

#include <algorithm>
#include <array>

#include "core/error.h"

namespace mote {
namespace {

struct PartPlanes {
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

/// Calls visit(plane of the part, place of the input, slope) for all samples of an encoding whose
/// values depend on one input each.
template <class Encoding, class Visit>
void for_each_slope(const Encoding& encoding, const EncodingPart& part, const float* positions,
                    std::size_t stride, std::size_t begin, std::size_t end, const Visit& visit) {
  std::size_t plane = 0;
  for (int input = 0; input < part.inputs; ++input) {
    const std::size_t first = static_cast<std::size_t>(part.first_input + input) * stride;
    for (int k = 0; k < encoding.per_input(); ++k, ++plane) {
      for (std::size_t i = begin; i < end; ++i) {
        visit(plane * stride + i, first + i, encoding.slope(k, positions[first + i]));
      }
    }
  }
}

/// Calls visit(plane, component, sample, slope) for the spherical harmonics of all samples.
template <int DEGREE = 1, class Visit>
void for_each_band_slope(int degree, const float* own, std::size_t stride, std::size_t begin,
                         std::size_t end, const Visit& visit) {
  if (degree == DEGREE) {
    constexpr auto kValues = static_cast<std::size_t>(DEGREE * DEGREE);
    for (std::size_t i = begin; i < end; ++i) {
      const auto component = [&](std::size_t axis) { return 2 * own[axis * stride + i] - 1; };
      const Vec3<float> direction{component(0), component(1), component(2)};
      for (std::size_t k = 0; k < kValues; ++k) {
        std::array<float, kValues> one{};
        one[k] = 1;
        const Vec3<float> slope = encode_direction_vjp<DEGREE>(direction, one.data());
        visit(k, 0, i, 2 * slope.x);
        visit(k, 1, i, 2 * slope.y);
        visit(k, 2, i, 2 * slope.z);
      }
    }
  } else if constexpr (DEGREE < kMostShEncodingDegree) {
    for_each_band_slope<DEGREE + 1>(degree, own, stride, begin, end, visit);
  }
}

/// Calls visit(place of the feature, place of the position, slope) for the slopes that are not zero
/// everywhere.
struct Slopes {
  const EncodingPart& part;
  const float* positions;
  std::size_t stride, begin, end;

  template <class Visit>
  void for_each(const Visit& visit) const {
    std::visit([&](const auto& encoding) { of(encoding, visit); }, part.kind);
  }

 private:
  template <class Visit>
  void of(const GridEncoding&, const Visit&) const {
    CHECK(false);
  }
  template <class Visit>
  void of(const EmptyEncoding&, const Visit&) const {}
  template <class Visit>
  void of(const SphericalEncoding& encoding, const Visit& visit) const {
    const std::size_t first = static_cast<std::size_t>(part.first_input) * stride;
    for_each_band_slope(encoding.degree, positions + first, stride, begin, end,
                        [&](std::size_t plane, std::size_t axis, std::size_t i, float slope) {
                          visit(plane * stride + i, first + axis * stride + i, slope);
                        });
  }
  template <class Encoding, class Visit>
  void of(const Encoding& encoding, const Visit& visit) const {
    for_each_slope(encoding, part, positions, stride, begin, end, visit);
  }
};

}  // namespace

void encode_part(const EncodingPart& part, const float* positions, std::size_t stride,
                 std::size_t begin, std::size_t end, float* features) {
  const float* own = positions + static_cast<std::size_t>(part.first_input) * stride;
  std::visit(PartPlanes{part, own, stride, begin, end, features}, part.kind);
}

void encode_part_slopes(const EncodingPart& part, const float* positions, const float* d_features,
                        std::size_t stride, std::size_t begin, std::size_t end,
                        float* d_positions) {
  Slopes{part, positions, stride, begin, end}.for_each(
      [&](std::size_t feature, std::size_t position, float slope) {
        d_positions[position] += slope * d_features[feature];
      });
}

void encode_part_rates(const EncodingPart& part, const float* positions, const float* velocities,
                       std::size_t stride, std::size_t begin, std::size_t end, float* rates) {
  for (std::size_t f = 0; f < static_cast<std::size_t>(encoding_outputs(part)); ++f) {
    std::fill(rates + f * stride + begin, rates + f * stride + end, 0.0f);
  }
  Slopes{part, positions, stride, begin, end}.for_each(
      [&](std::size_t feature, std::size_t position, float slope) {
        rates[feature] += slope * velocities[position];
      });
}

}  // namespace mote
