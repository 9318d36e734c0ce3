#pragma once

// Parts of an encoding, as kernels know them.

#include <cstdint>

#include "fields/field_config.h"

namespace mote::cuda {

struct EncodedPart {
  enum class Kind {
    frequency,
    triangle_wave,
    one_blob,
    spherical,
    identity,
    empty,
    latents,  // inputs behind a direction
    grid
  };

  Kind kind;
  int first_input, inputs;
  int values;  // of each input; of spherical harmonics, the number of bands; of grids, of a level
  float scale, offset;
  // For grids:
  Interpolation interpolation;
  int first_level;                // among the levels of all grids
  std::uint32_t first_parameter;  // of the table
};

/// `spherical::kNorms`, since devices have no arrays of constants.
struct SphericalNorms {
  float of[kMostShEncodingDegree][kMostShEncodingDegree];
};
SphericalNorms spherical_norms();

/// The part alone: of a grid, the first levels and parameters are 0.
EncodedPart encoded_part(const EncodingPart& part);

inline constexpr int kMostEncodedParts = 8;

/// An encoding of positions whose features are encoded one by one, in the order of the layout.
struct EncodedParts {
  EncodedPart parts[kMostEncodedParts];
  int outputs_before[kMostEncodedParts + 1];  // of each part, and of all
  int part_count;
  float padding;  // value of the outputs behind
  SphericalNorms norms;
};

/// CHECKs that there are at most kMostEncodedParts.
EncodedParts encoded_parts(const EncodingConfig& config);

}  // namespace mote::cuda
