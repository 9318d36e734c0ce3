#pragma once

// The encoding of positions as kernels take it: one grid over all inputs, or parts.

#include <optional>
#include <string>
#include <vector>

#include "cuda/kernels/fields/grid_encoding.h"
#include "cuda/runtime/runtime.h"
#include "fields/neural_field.h"

namespace mote::cuda {

/// The first part of the encoding of any field that has no kernels, as a phrase; empty if all have.
std::string missing_encoding_kernels(const NeuralField& field);

/// The shape of an encoding, which training does not change.
class EncodingForm {
 public:
  /// CHECKs that no kernels are missing.
  explicit EncodingForm(const NeuralField& field);

  /// As launches take it.
  const GridConfig& grid() const { return grid_; }
  /// For all grids.
  const std::vector<GridLevel>& levels() const { return levels_; }
  const std::optional<EncodedParts>& parts() const { return parts_; }
  /// Pairs of outputs, with the padding if there are parts.
  int pairs() const { return grid_.levels * grid_.features / 2; }
  /// NetworkWeightsArgs::grid_features and the first layer's blocks in kernels that encode.
  int lane_features() const { return parts_ ? 0 : grid_.features; }
  int lane_blocks() const;
  /// The table of a grid's parameters as halves, with an even number of entries.
  std::vector<std::uint16_t> table_of(std::span<const float> parameters) const;

 private:
  GridConfig grid_;
  std::vector<GridLevel> levels_;
  std::optional<EncodedParts> parts_;
};

/// The parts of an encoding that kernels read, but its table.
class DeviceEncoding {
 public:
  /// Copies them, in stream order, and waits for that.
  DeviceEncoding(const EncodingForm& form, cudaStream_t stream);

  const GridLevel* levels() const { return levels_.data(); }
  /// Null: there are none.
  const EncodedParts* parts() const { return parts_.empty() ? nullptr : parts_.data(); }
  std::size_t memory_bytes() const { return levels_.bytes() + parts_.bytes(); }

 private:
  DeviceBuffer<GridLevel> levels_{"the levels of a grid"};
  DeviceBuffer<EncodedParts> parts_{"the parts of an encoding"};
};

}  // namespace mote::cuda
