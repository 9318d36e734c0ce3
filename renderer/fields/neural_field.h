#pragma once

// A neural field in the host's memory: read from a snapshot, or copied from a learner.

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fields/field_config.h"
#include "fields/occupancy.h"
#include "scene/oriented_box.h"

namespace mote {

/// The meaning of a field's inputs and outputs.
enum class FieldApplication { nerf, sdf, image, volume };

/// Names in snapshots and on the command line, in the order of FieldApplication.
inline constexpr std::array<std::string_view, 4> kFieldApplicationNames{"nerf", "sdf", "image",
                                                                        "volume"};

/// The place of a field in the world, in the form of instant-ngp:
/// field = cycled(scale * world + offset) with cycled(x, y, z) = (y, z, x).
struct FieldPlacement {
  double scale = 1;  // above 0
  glm::dvec3 offset{0};

  bool operator==(const FieldPlacement&) const = default;
};

/// An axis-aligned box, in the field's frame.
struct FieldBox {
  glm::vec3 min{0}, max{1};

  bool operator==(const FieldBox&) const = default;
};

/// The cube of a field: its side is `aabb_scale`.
inline FieldBox field_cube(int aabb_scale) {
  const float reach = 0.5f * static_cast<float>(aabb_scale);
  return {glm::vec3(0.5f - reach), glm::vec3(0.5f + reach)};
}

/// A small density field that the intervals of rays are chosen by.
struct ProposalRound {
  FieldConfig config;             // encoding, network and optimiser
  std::vector<float> parameters;  // network, encoding; as evaluated
  int samples = 0;                // intervals of a ray in which it is evaluated, at least 1
};

/// Samples of a NeRF in all of space, which a contraction takes into its cube
/// (fields/proposals/contraction.h), in place of those in occupied cells.
struct ProposalSampler {
  std::vector<ProposalRound> rounds;  // the first is evaluated in even intervals
  int samples = 0;                    // of the field itself along a ray, at least 1
};

struct NeuralField {
  FieldApplication application = FieldApplication::nerf;
  FieldConfig config;  // complete: with all parts that the application needs
  /// As evaluated: averaged if the optimiser averages. In the order of snapshots: density network,
  /// colour network, position encoding (NeRF); network, encoding (others).
  std::vector<float> parameters;
  FieldPlacement placement;
  int aabb_scale = 1;              // side of the cube around (0.5, 0.5, 0.5); a power of two
  FieldBox render_box;             // the part that is drawn
  std::vector<OrientedBox> crops;  // field's frame; only their common part is drawn; not in files
  OccupancyDensities occupancy;    // NeRF and volume
  std::optional<ProposalSampler> proposals;  // NeRF; empty: samples are in occupied cells
  /// Colours have no upper bound: those of a NeRF are exp(), not sigmoid(), of the network's, as
  /// display values; those of an image are linear light.
  bool hdr = false;
  /// Latents of a NeRF that has them: [photographs][NerfLayout::latents], of the photographs that
  /// it was trained on. May be empty: they are unknown.
  std::vector<float> latents;
  int image_width = 1, image_height = 1;     // px, of the picture that an image was trained on
  std::array<float, 3> background{0, 0, 0};  // that it was trained with
  std::uint64_t training_step = 0;
  std::vector<std::string> warnings;  // about the file, as phrases without its name
};

}  // namespace mote
