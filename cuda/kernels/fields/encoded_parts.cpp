#include "cuda/kernels/fields/encoded_parts.h"

#include <algorithm>
#include <variant>

#include "core/error.h"

namespace mote::cuda {
namespace {

using Kind = EncodedPart::Kind;

struct PartForm {
  EncodedPart part;

  void operator()(const GridEncoding& own) {
    part.kind = Kind::grid;
    part.values = own.grid.features;
    part.interpolation = own.grid.interpolation;
  }
  void operator()(const EmptyEncoding&) { part.kind = Kind::empty; }
  void operator()(const Frequency& own) {
    part.kind = Kind::frequency;
    part.values = own.per_input();
  }
  void operator()(const TriangleWave& own) {
    part.kind = Kind::triangle_wave;
    part.values = own.per_input();
  }
  void operator()(const OneBlob& own) {
    part.kind = Kind::one_blob;
    part.values = own.per_input();
  }
  void operator()(const SphericalEncoding& own) {
    part.kind = Kind::spherical;
    part.values = own.degree;
  }
  void operator()(const Identity& own) {
    part.kind = Kind::identity;
    part.values = own.per_input();
    part.scale = own.scale;
    part.offset = own.offset;
  }
};

}  // namespace

SphericalNorms spherical_norms() {
  SphericalNorms norms{};
  for (std::size_t l = 0; l < kMostShEncodingDegree; ++l) {
    std::copy_n(spherical::kNorms[l].begin(), kMostShEncodingDegree, norms.of[l]);
  }
  return norms;
}

EncodedPart encoded_part(const EncodingPart& part) {
  PartForm form{{Kind::empty, part.first_input, part.inputs, 0, 1, 0, Interpolation::linear, 0, 0}};
  std::visit(form, part.kind);
  return form.part;
}

EncodedParts encoded_parts(const EncodingConfig& config) {
  CHECK(config.parts.size() <= kMostEncodedParts);
  EncodedParts all{};
  all.norms = spherical_norms();
  int levels = 0, outputs = 0;
  std::size_t parameters = 0;
  for (const EncodingPart& part : config.parts) {
    EncodedPart own = encoded_part(part);
    if (const auto* grid = std::get_if<GridEncoding>(&part.kind)) {
      own.first_level = levels;
      own.first_parameter = static_cast<std::uint32_t>(parameters);
      levels += grid->grid.levels;
      parameters += grid_parameters(grid->grid);
    } else {
      all.padding = 1;
    }
    outputs += encoding_outputs(part);
    all.parts[all.part_count] = own;
    all.outputs_before[++all.part_count] = outputs;
  }
  return all;
}

}  // namespace mote::cuda
