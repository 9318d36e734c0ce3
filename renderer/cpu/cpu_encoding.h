#pragma once

// Encodings of positions on the CPU: grids, and parts without parameters, beside each other.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/parallel.h"
#include "cpu/kernels.h"
#include "fields/field_config.h"

namespace mote {

/// Where the parts of an encoding have their inputs, features and parameters.
struct EncodingShape {
  struct Grid {
    GridConfig config;
    std::vector<GridLevel> levels;
    std::size_t first_input, first_feature, first_parameter;
  };

  /// `features`: inputs of the network, of which those beyond the encoding are padding.
  EncodingShape(const EncodingConfig& encoding, std::size_t features);

  EncodingConfig encoding;
  std::vector<Grid> grids;
  std::size_t features;
};

/// Samples in planes as fields/planes.h describes them.
struct EncodedSamples {
  const float* positions;  // [inputs][stride], 0 to 1
  float* features;         // [features][stride], or their gradients
  std::size_t stride;
};

/// `table`: IEEE halves of all grids.
GridParams grid_params(const EncodingShape::Grid& grid, const std::uint16_t* table,
                       const EncodedSamples& samples);
GridBackwardParams grid_backward_params(const EncodingShape::Grid& grid,
                                        const EncodedSamples& samples, std::size_t count,
                                        float* d_table);

/// Encodes the samples [begin, end), and writes the padding: 0 behind grids alone, else 1.
void encode_positions(const EncodingShape& shape, const CpuKernels& kernels, ThreadPool& pool,
                      const std::uint16_t* table, const EncodedSamples& samples, std::size_t begin,
                      std::size_t end);

/// Adds the gradients by the tables of all grids, from those by the features of the first `count`
/// samples.
void add_table_gradients(const EncodingShape& shape, const CpuKernels& kernels, ThreadPool& pool,
                         const EncodedSamples& samples, std::size_t count, float* d_table);

}  // namespace mote
