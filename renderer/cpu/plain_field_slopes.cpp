// Derivatives of a field's first output by the position, and gradients of a loss on these. A loss
// on the slopes g has the gradient by parameters of the directional derivative d . g along d =
// dL/dg, with d constant: one pass forward along d, and one back through both.

#include <algorithm>
#include <variant>

#include "core/error.h"
#include "cpu/for_each_part.h"
#include "cpu/plain_field.h"
#include "fields/part_encoding.h"

namespace mote {

void PlainField::find_slopes(FieldParameters tables, std::size_t count) {
  const std::size_t end = field_plane_stride(count);
  CHECK(end <= stride_);
  slopes_.resize_discard(shape_.inputs * stride_);
  d_slopes_.resize_discard(shape_.inputs * stride_);
  d_features_.resize_discard(shape_.encoding.features * stride_);
  rates_.resize_discard(shape_.encoding.features * stride_);
  first_output_.resize_discard(shape_.outputs * stride_);
  std::fill_n(first_output_.data(), stride_, 1.0f);
  std::fill(first_output_.data() + stride_, first_output_.data() + first_output_.size(), 0.0f);
  for_each_part(pool_, 0, end, kSamplePart, [&](std::size_t from, std::size_t to) {
    kernels_.general_backward({.forward = general_params(tables),
                               .d_values = first_output_.data(),
                               .d_features = d_features_.data(),
                               .d_weights = nullptr},
                              from, to);
  });
  encode_position_slopes(shape_.encoding, kernels_, pool_, tables.table,
                         {.samples = samples(d_features_.data()),
                          .count = end,
                          .inputs = shape_.inputs,
                          .d_positions = slopes_.data()});
}

void PlainField::encode_rates(FieldParameters tables, std::size_t from, std::size_t to) {
  for (const EncodingShape::Grid& grid : shape_.encoding.grids) {
    const GridRateParams params{.grid = grid_params(grid, tables.table, samples(rates_.data())),
                                .velocities = d_slopes_.data() + grid.first_input * stride_};
    for (int level = 0; level < grid.config.levels; ++level) {
      kernels_.encode_grid_rates(params, level, from, to);
    }
  }
  std::size_t feature = 0;
  for (const EncodingPart& part : shape_.encoding.encoding.parts) {
    if (!std::holds_alternative<GridEncoding>(part.kind)) {
      encode_part_rates(part, positions_.data(), d_slopes_.data(), stride_, from, to,
                        rates_.data() + feature * stride_);
    }
    feature += static_cast<std::size_t>(encoding_outputs(part));
  }
  for (; feature < shape_.encoding.features; ++feature) {  // the padding is constant
    std::fill(rates_.data() + feature * stride_ + from, rates_.data() + feature * stride_ + to,
              0.0f);
  }
}

void PlainField::differentiate_slopes(FieldParameters tables, float* d_network, std::size_t count) {
  const std::size_t end = field_plane_stride(count);
  for_each_part(pool_, 0, end, kSamplePart,
                [&](std::size_t from, std::size_t to) { encode_rates(tables, from, to); });
  part_gradients_.add(pool_, end, shape_.layout.encoding_first, d_network,
                      [&](float* own, std::size_t from, std::size_t to) {
                        kernels_.general_backward({.forward = general_params(tables),
                                                   .d_values = d_values_.data(),
                                                   .d_features = d_features_.data(),
                                                   .d_weights = own,
                                                   .rates = rates_.data(),
                                                   .d_value_rates = first_output_.data(),
                                                   .d_rates = rates_.data()},
                                                  from, to);
                      });
}

TableGradients PlainField::slope_table_gradients(std::size_t count) {
  const auto add = [this, count](const TablePart& part, float* d_part) {
    for (const TablePart::Level& level : part.levels) {
      const EncodingShape::Grid& grid = shape_.encoding.grids[level.grid];
      kernels_.encode_grid_rates_backward(
          {.grid = grid_backward_params(grid, samples(d_features_.data()), count,
                                        d_part + level.first_parameter),
           .velocities = d_slopes_.data() + grid.first_input * stride_,
           .d_rates = rates_.data() + grid.first_feature * stride_},
          level.level);
    }
  };
  return {shape_.encoding.parts, add};
}

}  // namespace mote
