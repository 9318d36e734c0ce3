#pragma once

// Encodings of positions on the CPU: grids, and parts without parameters, beside each other.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/parallel.h"
#include "cpu/kernels.h"
#include "fields/field_config.h"

namespace mote {

/// A level of a grid, or neighbours that share a block of kFieldBlock parameters.
struct TablePart {
  struct Level {
    std::size_t grid;
    int level;
    std::size_t first_parameter;  // from that of the part on
  };
  std::vector<Level> levels;
  std::size_t first_parameter, parameters;  // in whole blocks of the tables
};

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
  std::vector<TablePart> parts;  // of all grids, fine levels first
};

/// Samples in planes as fields/planes.h describes them.
struct EncodedSamples {
  const float* positions;  // [inputs][stride], 0 to 1
  float* features;         // [features][stride], or their gradients
  std::size_t stride;
};

/// `table`: IEEE halves of all grids. Without features, the result has no `out`.
GridParams grid_params(const EncodingShape::Grid& grid, const std::uint16_t* table,
                       const EncodedSamples& samples);
/// `d_table`: of one level.
GridBackwardParams grid_backward_params(const EncodingShape::Grid& grid,
                                        const EncodedSamples& samples, std::size_t count,
                                        float* d_table);

/// Encodes the samples [begin, end), and writes the padding: 0 behind grids alone, else 1.
void encode_positions(const EncodingShape& shape, const CpuKernels& kernels, ThreadPool& pool,
                      const std::uint16_t* table, const EncodedSamples& samples, std::size_t begin,
                      std::size_t end);

/// Gradients by positions, from those by the features.
struct EncodedSlopes {
  EncodedSamples samples;  // `features`: their gradients
  std::size_t count;       // of samples, a field_plane_stride()
  std::size_t inputs;      // of the field
  float* d_positions;      // [inputs][stride]
};

/// Writes the gradients by the positions of the first samples. CHECKs that the grids are not of the
/// nearest point.
void encode_position_slopes(const EncodingShape& shape, const CpuKernels& kernels, ThreadPool& pool,
                            const std::uint16_t* table, const EncodedSlopes& slopes);

/// Gradients by the tables, computed a part at a time. So those of all parameters need no memory,
/// and those of a part are in a cache when the optimiser reads them.
struct TableGradients {
  std::span<const TablePart> parts;
  /// Adds the gradients by a part to d_part, [parameters of the part].
  std::function<void(const TablePart& part, float* d_part)> add;
};

/// From the gradients by the features of the first `count` samples, which must be there while the
/// result is used. `shape` and `kernels` must outlive it.
TableGradients table_gradients(const EncodingShape& shape, const CpuKernels& kernels,
                               const EncodedSamples& samples, std::size_t count);

}  // namespace mote
