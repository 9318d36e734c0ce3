#include "fields/field_config.h"

#include "fields/networks/mlp_layout.h"

namespace mote {
namespace {

template <class... Visits>
struct Overloads : Visits... {
  using Visits::operator()...;
};
template <class... Visits>
Overloads(Visits...) -> Overloads<Visits...>;

}  // namespace

int encoding_outputs(const EncodingPart& part) {
  return std::visit(Overloads{[](const GridEncoding& e) { return e.grid.levels * e.grid.features; },
                              [](const SphericalEncoding& e) { return e.degree * e.degree; },
                              [](const EmptyEncoding&) { return 0; },
                              [&](const auto& e) { return part.inputs * e.per_input(); }},
                    part.kind);
}

int EncodingConfig::outputs() const {
  int sum = 0;
  for (const EncodingPart& part : parts) sum += encoding_outputs(part);
  return sum;
}

int EncodingConfig::padded_outputs() const {
  return mlp_padded(outputs());
}

std::size_t EncodingConfig::parameters() const {
  std::size_t sum = 0;
  for (const EncodingPart& part : parts) {
    if (const auto* grid = std::get_if<GridEncoding>(&part.kind))
      sum += grid_parameters(grid->grid);
  }
  return sum;
}

}  // namespace mote
