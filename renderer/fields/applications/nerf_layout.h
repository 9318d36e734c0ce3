#pragma once

// The parts of a NeRF of instant-ngp: a position encoding and a density network, whose outputs
// together with the encoded direction are the inputs of a colour network.

#include <cstddef>
#include <optional>

#include "fields/field_config.h"
#include "fields/networks/mlp_layout.h"

namespace mote {

inline constexpr int kNerfDensityOutputs = 16;  // the first is the density's logarithm
inline constexpr int kNerfColors = 3;
inline constexpr int kMostLatents = 64;

/// Grid points per axis of the finest level, for each unit of aabb_scale, where a configuration of
/// a NeRF or a signed distance function does not give the growth.
inline constexpr double kFinestResolution = 2048;

/// The networks, and where parts begin among the parameters.
struct NerfLayout {
  MlpConfig density, color;
  /// Inputs of the colour network: the density network's outputs, then the direction's values, of
  /// which the latents are the last before the padding.
  int direction_inputs = 0;  // padded
  int latents = 0;           // numbers of each photograph; see with_latents()
  int first_latent = 0;      // among the colour network's inputs
  std::size_t color_first = 0, encoding_first = 0, parameters = 0;

  /// A density by a softplus, of cells of the finest grid.
  struct SoftDensity {
    float shift = 0;
    float cells = 0;  // per side of the field's cube
  };
  std::optional<SoftDensity> soft_density;
};

/// The configuration of instant-ngp's configs/nerf/base.json.
FieldConfig default_nerf_config();

/// Fills in the parts that `config` lacks, from the default, and the growth of grids without one:
/// the finest level has kFinestResolution * aabb_scale points per axis.
FieldConfig complete_nerf_config(FieldConfig config, int aabb_scale);

/// Adds `count` inputs behind the direction, which reach the colour network unchanged: numbers that
/// are learned for each photograph (R. Martin-Brualla et al., "NeRF in the Wild", 2021, 4.1; in
/// instant-ngp, n_extra_learnable_dims). 0 changes nothing.
FieldConfig with_latents(FieldConfig complete, int count);

/// Number of inputs behind the direction. Throws Error if they are not the inputs of one last part,
/// which is an Identity without scale and offset.
int latents_of(const EncodingConfig& direction_encoding);

/// Throws Error if the networks cannot be built, or a softplus has no grid.
NerfLayout nerf_layout(const FieldConfig& config);

}  // namespace mote
