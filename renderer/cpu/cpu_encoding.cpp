#include "cpu/cpu_encoding.h"

#include <algorithm>
#include <variant>

#include "core/error.h"
#include "cpu/for_each_part.h"
#include "cpu/grid_motion.h"
#include "fields/part_encoding.h"

namespace mote {
namespace {

/// The parts without parameters, and the padding.
void encode_analytic(const EncodingShape& shape, ThreadPool& pool, const EncodedSamples& samples,
                     std::size_t begin, std::size_t end) {
  const std::vector<EncodingPart>& parts = shape.encoding.parts;
  const auto own = static_cast<std::size_t>(shape.encoding.outputs());
  const bool only_grids = shape.grids.size() == parts.size();
  if (only_grids && own == shape.features) return;
  for_each_part(pool, begin, end, kSamplePart, [&](std::size_t from, std::size_t to) {
    std::size_t feature = 0;
    for (const EncodingPart& part : parts) {
      if (!std::holds_alternative<GridEncoding>(part.kind)) {
        encode_part(part, samples.positions, samples.stride, from, to,
                    samples.features + feature * samples.stride);
      }
      feature += static_cast<std::size_t>(encoding_outputs(part));
    }
    for (; feature < shape.features; ++feature) {
      float* plane = samples.features + feature * samples.stride;
      std::fill(plane + from, plane + to, only_grids ? 0.0f : 1.0f);
    }
  });
}

/// The levels of all grids, joined until they end with a whole block of parameters.
std::vector<TablePart> table_parts(const std::vector<EncodingShape::Grid>& grids) {
  std::vector<TablePart> parts;
  bool is_whole = true;
  for (std::size_t g = 0; g < grids.size(); ++g) {
    const auto features = static_cast<std::size_t>(grids[g].config.features);
    for (std::size_t l = 0; l < grids[g].levels.size(); ++l) {
      const GridLevel& level = grids[g].levels[l];
      const std::size_t first = grids[g].first_parameter + level.first * features;
      if (is_whole) parts.push_back({.levels = {}, .first_parameter = first, .parameters = 0});
      TablePart& part = parts.back();
      part.levels.push_back({g, static_cast<int>(l), first - part.first_parameter});
      part.parameters = first - part.first_parameter + level.entries * features;
      is_whole = part.parameters % kFieldBlock == 0;
    }
  }
  if (!is_whole) parts.back().parameters = field_plane_stride(parts.back().parameters);
  std::ranges::reverse(parts);  // fine levels take longest
  return parts;
}

}  // namespace

EncodingShape::EncodingShape(const EncodingConfig& config, std::size_t padded_features)
    : encoding(config), features(padded_features) {
  std::size_t feature = 0, parameter = 0;
  for (const EncodingPart& part : encoding.parts) {
    if (const auto* grid = std::get_if<GridEncoding>(&part.kind)) {
      grids.push_back({.config = grid->grid,
                       .levels = grid_levels(grid->grid),
                       .first_input = static_cast<std::size_t>(part.first_input),
                       .first_feature = feature,
                       .first_parameter = parameter});
      parameter += grid_parameters(grid->grid);
    }
    feature += static_cast<std::size_t>(encoding_outputs(part));
  }
  parts = table_parts(grids);
}

GridParams grid_params(const EncodingShape::Grid& grid, const std::uint16_t* table,
                       const EncodedSamples& samples) {
  return {.dimensions = grid.config.dimensions,
          .features = grid.config.features,
          .interpolation = grid.config.interpolation,
          .levels = grid.levels.data(),
          .table = table + grid.first_parameter,
          .positions = samples.positions + grid.first_input * samples.stride,
          .out = samples.features == nullptr
                     ? nullptr
                     : samples.features + grid.first_feature * samples.stride,
          .stride = samples.stride};
}

GridBackwardParams grid_backward_params(const EncodingShape::Grid& grid,
                                        const EncodedSamples& samples, std::size_t count,
                                        float* d_table) {
  return {.dimensions = grid.config.dimensions,
          .features = grid.config.features,
          .interpolation = grid.config.interpolation,
          .levels = grid.levels.data(),
          .positions = samples.positions + grid.first_input * samples.stride,
          .d_features = samples.features + grid.first_feature * samples.stride,
          .count = count,
          .stride = samples.stride,
          .d_table = d_table};
}

void encode_positions(const EncodingShape& shape, const CpuKernels& kernels, ThreadPool& pool,
                      const std::uint16_t* table, const EncodedSamples& samples, std::size_t begin,
                      std::size_t end) {
  const std::size_t parts = (end - begin + kSamplePart - 1) / kSamplePart;
  for (const EncodingShape::Grid& grid : shape.grids) {
    const GridParams params = grid_params(grid, table, samples);
    // A level after the other, so that its table is in a cache.
    pool.run(parts * grid.levels.size(), [&](std::size_t task, int) {
      const std::size_t first = begin + task % parts * kSamplePart;
      kernels.encode_grid(params, static_cast<int>(task / parts), first,
                          std::min(first + kSamplePart, end));
    });
  }
  encode_analytic(shape, pool, samples, begin, end);
}

void encode_position_slopes(const EncodingShape& shape, const CpuKernels& kernels, ThreadPool& pool,
                            const std::uint16_t* table, const EncodedSlopes& slopes) {
  const EncodedSamples& samples = slopes.samples;
  const std::size_t stride = samples.stride;
  const auto each_part = [&](const auto& work) {
    for_each_part(pool, 0, slopes.count, kSamplePart, work);
  };
  each_part([&](std::size_t from, std::size_t to) {
    for (std::size_t i = 0; i < slopes.inputs; ++i) {
      float* plane = slopes.d_positions + i * stride;
      std::fill(plane + from, plane + to, 0.0f);
    }
  });
  for (const EncodingShape::Grid& grid : shape.grids) {
    CHECK(grid.config.interpolation != Interpolation::nearest);
    const GridSlopeParams params{
        .grid = grid_params(grid, table, {samples.positions, nullptr, stride}),
        .d_features = samples.features + grid.first_feature * stride,
        .d_positions = slopes.d_positions + grid.first_input * stride};
    // A level after the other, so that its table is in a cache.
    for (int level = 0; level < grid.config.levels; ++level) {
      each_part([&](std::size_t from, std::size_t to) {
        kernels.encode_grid_slopes(params, level, from, to);
      });
    }
  }
  each_part([&](std::size_t from, std::size_t to) {
    std::size_t feature = 0;
    for (const EncodingPart& part : shape.encoding.parts) {
      if (!std::holds_alternative<GridEncoding>(part.kind)) {
        encode_part_slopes(part, samples.positions, samples.features + feature * stride, stride,
                           from, to, slopes.d_positions);
      }
      feature += static_cast<std::size_t>(encoding_outputs(part));
    }
  });
}

TableGradients table_gradients(const EncodingShape& shape, const CpuKernels& kernels,
                               const EncodedSamples& samples, std::size_t count) {
  return {shape.parts, [&shape, &kernels, samples, count](const TablePart& part, float* d_part) {
            for (const TablePart::Level& level : part.levels) {
              kernels.encode_grid_backward(
                  grid_backward_params(shape.grids[level.grid], samples, count,
                                       d_part + level.first_parameter),
                  level.level);
            }
          }};
}

}  // namespace mote
