#include "cuda/fields/device_encoding.h"

#include <fmt/format.h>

#include <limits>
#include <variant>

#include "core/error.h"
#include "cuda/kernels/fields/network_blocks.h"
#include "fields/applications/field_layout.h"
#include "math/half.h"

namespace mote::cuda {
namespace {

/// The grid that is the whole encoding, and whose features fill words; null: encode by parts.
const GridConfig* only_grid(const NeuralField& field) {
  const std::vector<EncodingPart>& parts = field.config.encoding->parts;
  const auto* grid = std::get_if<GridEncoding>(&parts.front().kind);
  const bool is_whole = parts.size() == 1 && grid != nullptr &&
                        parts.front().inputs == field_inputs(field.application);
  return is_whole && grid->grid.features > 1 ? &grid->grid : nullptr;
}

}  // namespace

std::string missing_encoding_kernels(const NeuralField& field) {
  const EncodingConfig& encoding = *field.config.encoding;
  if (encoding.parts.size() > kMostEncodedParts) {
    return fmt::format("encodings of more than {} parts are not built for CUDA", kMostEncodedParts);
  }
  // Kernels count the parameters of encodings by parts with 32 bits.
  if (only_grid(field) == nullptr &&
      encoding.parameters() > std::numeric_limits<std::uint32_t>::max()) {
    return "encodings of several parts with more than 2^32 parameters are not built for CUDA";
  }
  for (const EncodingPart& part : encoding.parts) {
    const auto* grid = std::get_if<GridEncoding>(&part.kind);
    if (grid == nullptr || grid->grid.dimensions <= 3) continue;
    return fmt::format("grids of {} dimensions are not built for CUDA, only of 2 or 3 dimensions",
                       grid->grid.dimensions);
  }
  return {};
}

EncodingForm::EncodingForm(const NeuralField& field) {
  CHECK(missing_encoding_kernels(field).empty());
  const EncodingConfig& encoding = *field.config.encoding;
  if (const GridConfig* grid = only_grid(field)) {
    grid_ = *grid;
    levels_ = grid_levels(*grid);
    return;
  }
  grid_ = {.dimensions = field_inputs(field.application),
           .levels = encoding.padded_outputs(),
           .features = kByParts};
  parts_ = encoded_parts(encoding);
  for (const EncodingPart& part : encoding.parts) {
    const auto* grid = std::get_if<GridEncoding>(&part.kind);
    if (grid == nullptr) continue;
    const std::vector<GridLevel> own = grid_levels(grid->grid);
    levels_.insert(levels_.end(), own.begin(), own.end());
  }
}

int EncodingForm::lane_blocks() const {
  return parts_ ? grid_.levels / kBlockValues : lane_order_blocks(grid_.levels, grid_.features);
}

std::vector<std::uint16_t> EncodingForm::table_of(std::span<const float> parameters) const {
  std::vector<std::uint16_t> table;
  const auto pair = 2 * static_cast<std::size_t>(grid_.features);
  table.reserve((parameters.size() + pair - 1) / pair * pair);
  for (const float value : parameters) table.push_back(to_half(value));
  table.resize((parameters.size() + pair - 1) / pair * pair);
  return table;
}

DeviceEncoding::DeviceEncoding(const EncodingForm& form, cudaStream_t stream) {
  levels_.resize_discard(form.levels().size());
  levels_.upload(form.levels(), stream);
  if (form.parts()) {
    parts_.resize_discard(1);
    parts_.upload({&*form.parts(), 1}, stream);
  }
  check(cudaStreamSynchronize(stream), "copying the form of an encoding");
}

}  // namespace mote::cuda
