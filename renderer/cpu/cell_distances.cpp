#include "cpu/cell_distances.h"

#include <algorithm>

#include "cpu/for_each_part.h"
#include "fields/applications/field_detail.h"

namespace mote {
namespace {

/// Cells that are evaluated at once, so that their positions take little memory.
constexpr std::size_t kCellsAtOnce = std::size_t{1} << 16;

}  // namespace

void CellDistances::find(PlainField& values, FieldParameters tables, std::size_t pixels,
                         ThreadPool& pool) {
  if (cells_ > 0) return;
  const int cells = surface_cells(finest_resolution(*values.shape().config.encoding), pixels);
  if (cells == 0) return;
  const auto across = static_cast<std::size_t>(cells);
  const std::size_t all = across * across * across;
  const float size = 1 / static_cast<float>(cells);
  distances_.resize(all);
  for (std::size_t first = 0; first < all; first += kCellsAtOnce) {
    const std::size_t count = std::min(kCellsAtOnce, all - first);
    values.begin(count);
    for_each_part(pool, 0, count, 4096, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const std::size_t cell = first + i;
        const std::size_t place[] = {cell % across, cell / across % across, cell / across / across};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          values.positions()[axis * values.stride() + i] =
              (static_cast<float>(place[axis]) + 0.5f) * size;
        }
      }
    });
    values.evaluate(tables, count);
    std::copy_n(values.values(), count, distances_.data() + first);
  }
  cells_ = cells;
}

}  // namespace mote
