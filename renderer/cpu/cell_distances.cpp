#include "cpu/cell_distances.h"

#include <algorithm>

#include "cpu/for_each_part.h"
#include "fields/applications/field_detail.h"

namespace mote {
namespace {

/// Cells that are evaluated at once, so that their positions take little memory.
constexpr std::size_t kCellsAtOnce = std::size_t{1} << 16;

/// The distances at `count` positions. `position(i)` is called by several threads.
template <class Position>
std::vector<float> distances_at(std::size_t count, const Position& position, PlainField& values,
                                FieldParameters tables, ThreadPool& pool,
                                const std::function<void()>& pause) {
  std::vector<float> distances(count);
  for (std::size_t first = 0; first < count; first += kCellsAtOnce) {
    pause();
    const std::size_t now = std::min(kCellsAtOnce, count - first);
    values.begin(now);
    for_each_part(pool, 0, now, 4096, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        const Vec3<float> at = position(static_cast<std::uint32_t>(first + i));
        values.positions()[i] = at.x;
        values.positions()[values.stride() + i] = at.y;
        values.positions()[2 * values.stride() + i] = at.z;
      }
    });
    values.evaluate(tables, now);
    std::copy_n(values.values(), now, distances.data() + first);
  }
  return distances;
}

}  // namespace

void CellDistances::find(PlainField& values, FieldParameters tables, std::size_t pixels,
                         ThreadPool& pool, const std::function<void()>& pause) {
  const int cells = surface_cells(finest_resolution(*values.shape().config.encoding), pixels);
  if (cells == 0) return;
  if (!are_known()) {
    const auto across = static_cast<unsigned>(cells);
    distances_ = distances_at(
        std::size_t{across} * across * across,
        [&](std::uint32_t cell) { return middle_of_cell(cell, across); }, values, tables, pool,
        pause);
    cells_ = cells;
  }
  const std::size_t most = most_divided_cells(pixels);
  if (is_divided_ || most <= most_divided_) return;
  find_parts(values, tables, most, pool, pause);
  most_divided_ = most;
}

void CellDistances::find_parts(PlainField& values, FieldParameters tables, std::size_t most_cells,
                               ThreadPool& pool, const std::function<void()>& pause) {
  std::vector<std::uint32_t> divided;
  for (std::uint32_t cell = 0; cell < distances_.size(); ++cell) {
    if (is_near_surface(distances_[cell], static_cast<float>(cells_))) divided.push_back(cell);
  }
  if (divided.size() > most_cells) return;
  first_parts_.assign(distances_.size(), kNoParts);
  for (std::uint32_t i = 0; i < divided.size(); ++i) first_parts_[divided[i]] = i * kCellParts;
  part_distances_ = distances_at(
      divided.size() * kCellParts,
      [&](std::uint32_t part) {
        return middle_of_part({divided[part / kCellParts], part % kCellParts},
                              static_cast<unsigned>(cells_));
      },
      values, tables, pool, pause);
  is_divided_ = true;
}

}  // namespace mote
