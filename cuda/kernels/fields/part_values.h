#pragma once

// Values of encodings by parts, for kernels: one feature after the other, since parts begin at any
// feature and any parameter.

#include "cuda/kernels/fields/encoded_parts.h"
#include "cuda/runtime/dialect.h"
#include "cuda/runtime/halves.h"
#include "fields/encodings/grid.h"

namespace mote::cuda {

/// Value `k` of an input of a part whose values depend on one input each.
MOTE_DEVICE float part_value(const EncodedPart& part, int k, float x) {
  switch (part.kind) {
    case EncodedPart::Kind::frequency:
      return Frequency{part.values / 2}.value(k, x);
    case EncodedPart::Kind::triangle_wave:
      return TriangleWave{part.values}.value(k, x);
    case EncodedPart::Kind::one_blob:
      return OneBlob{part.values}.value(k, x);
    default:
      return Identity{part.scale, part.offset}.value(k, x);
  }
}

/// Its derivative.
MOTE_DEVICE float part_slope(const EncodedPart& part, int k, float x) {
  switch (part.kind) {
    case EncodedPart::Kind::frequency:
      return Frequency{part.values / 2}.slope(k, x);
    case EncodedPart::Kind::triangle_wave:
      return TriangleWave{part.values}.slope(k, x);
    case EncodedPart::Kind::one_blob:
      return OneBlob{part.values}.slope(k, x);
    default:
      return Identity{part.scale, part.offset}.slope(k, x);
  }
}

/// Loads one parameter of the entries of a level.
struct SingleFeature {
  const std::uint16_t* table;  // aligned to words
  std::uint32_t first, step;   // parameters

  MOTE_MEMBER float operator()(unsigned index, int /*feature*/) const {
    const std::uint32_t place = first + index * step;
    const unsigned word = __ldg(reinterpret_cast<const unsigned*>(table) + place / 2);
    const float2 both = __half22float2(halves_of(word));
    return place % 2 == 0 ? both.x : both.y;
  }
};

/// A feature of a part.
struct PartFeature {
  const EncodedPart* part;  // null: padding
  int number;               // in the part
};

MOTE_DEVICE PartFeature part_feature(const EncodedParts& encoding, int output) {
  for (int p = 0; p < encoding.part_count; ++p) {
    if (output < encoding.outputs_before[p + 1]) {
      return {&encoding.parts[p], output - encoding.outputs_before[p]};
    }
  }
  return {nullptr, 0};
}

/// A feature of a grid: its level, and its places in the table.
struct GridFeature {
  GridLevel level;
  std::uint32_t first, step;
};

MOTE_DEVICE GridFeature grid_feature(const EncodedPart& part, int number, const GridLevel* levels) {
  const GridLevel level = levels[part.first_level + number / part.values];
  const auto step = static_cast<std::uint32_t>(part.values);
  return {level,
          part.first_parameter + level.first * step + static_cast<std::uint32_t>(number) % step,
          step};
}

template <int D>
MOTE_DEVICE float axis_of(const float (&x)[D], int axis) {
  if constexpr (D == 3) {
    return axis == 0 ? x[0] : axis == 1 ? x[1] : x[2];
  } else {
    return axis == 0 ? x[0] : x[1];
  }
}

/// The inputs of a part of a position, or of its velocity.
template <int D, int INPUTS>
MOTE_DEVICE void part_inputs(const EncodedPart& part, const float (&x)[D], float (&own)[INPUTS]) {
  MOTE_UNROLL
  for (int i = 0; i < INPUTS; ++i) own[i] = axis_of(x, part.first_input + i);
}

/// visit<INTERPOLATION>(inputs) with the inputs of a grid, two or three. HAS_SLOPES: the grid is
/// not one of the nearest point.
template <bool HAS_SLOPES = false, int D, class Visit>
MOTE_DEVICE void visit_grid_inputs(const EncodedPart& part, const float (&x)[D],
                                   const Visit& visit) {
  const auto inputs = [&]<Interpolation INTERPOLATION>() {
    if constexpr (D == 3) {
      if (part.inputs == 3) return visit.template operator()<INTERPOLATION>(x);
    }
    float own[2];
    part_inputs(part, x, own);
    visit.template operator()<INTERPOLATION>(own);
  };
  if constexpr (!HAS_SLOPES) {
    if (part.interpolation == Interpolation::nearest) {
      return inputs.template operator()<Interpolation::nearest>();
    }
  }
  if (part.interpolation == Interpolation::smoothstep) {
    inputs.template operator()<Interpolation::smoothstep>();
  } else {
    inputs.template operator()<Interpolation::linear>();
  }
}

/// Feature `number` of the spherical harmonics of a position.
template <int D>
MOTE_DEVICE float spherical_value(const SphericalNorms& norms, int number, const float (&x)[D]) {
  float found = 0;
  if constexpr (D == 3) {
    const Vec3<float> direction{2 * x[0] - 1, 2 * x[1] - 1, 2 * x[2] - 1};
    encode_direction_to<kMostShEncodingDegree>(
        direction, [&](int l, int m) { return norms.of[l][m]; },
        [&](int k, float value) { found = k == number ? value : found; });
  }
  return found;
}

/// An output of the encoding, padding included.
template <int D>
MOTE_DEVICE float encoded_value(const EncodedParts& encoding, const GridLevel* levels,
                                const std::uint16_t* table, int output, const float (&x)[D]) {
  const PartFeature feature = part_feature(encoding, output);
  if (feature.part == nullptr) return encoding.padding;
  const EncodedPart& part = *feature.part;
  if (part.kind == EncodedPart::Kind::spherical) {
    return spherical_value(encoding.norms, feature.number, x);
  }
  if (part.kind != EncodedPart::Kind::grid) {
    return part_value(part, feature.number % part.values,
                      axis_of(x, part.first_input + feature.number / part.values));
  }
  const GridFeature own = grid_feature(part, feature.number, levels);
  float value[1];
  visit_grid_inputs(part, x, [&]<Interpolation INTERPOLATION>(const auto& inputs) {
    grid_features<INTERPOLATION>(own.level, inputs, SingleFeature{table, own.first, own.step},
                                 value);
  });
  return value[0];
}

/// Two outputs as halves in a word.
template <int D>
MOTE_DEVICE unsigned encoded_pair(const EncodedParts& encoding, const GridLevel* levels,
                                  const std::uint16_t* table, int pair, const float (&x)[D]) {
  return rounded_halves(encoded_value(encoding, levels, table, 2 * pair, x),
                        encoded_value(encoding, levels, table, 2 * pair + 1, x));
}

}  // namespace mote::cuda
