#pragma once

// The distances of a signed distance field in the middle of all cells of its cube, and of parts of
// those near the surface, on the CPU.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/parallel.h"
#include "cpu/plain_field.h"
#include "fields/applications/surface_cells.h"

namespace mote {

class CellDistances {
 public:
  /// Forgets them, since the field has changed.
  void forget() {
    cells_ = 0;
    is_divided_ = false;
    most_divided_ = 0;
  }
  /// Finds what is not known and a picture of `pixels` is worth. `pause` is called often, and may
  /// throw.
  void find(PlainField& values, FieldParameters tables, std::size_t pixels, ThreadPool& pool,
            const std::function<void()>& pause);
  bool are_known() const { return cells_ > 0; }

  /// Whether a ray goes on by the bound of the point's cell alone, which is `bound` then.
  /// `tolerance`: as for is_far().
  bool is_far_at(const Vec3<float>& point, float tolerance, float& bound) const {
    return are_known() && mote::is_far_at(point, table(), tolerance, bound);
  }
  /// Whether light takes a distance between cells for the field's at the point, which is `distance`
  /// then.
  bool is_known_at(const Vec3<float>& point, float& distance) const {
    return are_known() && mote::is_known_at(point, table(), distance);
  }
  std::size_t memory_bytes() const {
    return (distances_.capacity() + part_distances_.capacity()) * sizeof(float) +
           first_parts_.capacity() * sizeof(std::uint32_t);
  }

 private:
  struct Load {
    const float* distances = nullptr;

    float operator()(std::uint32_t at) const { return distances[at]; }
  };

  SurfaceTable<Load> table() const {
    return {.cells = cells_,
            .distance = {distances_.data()},
            .first_part = is_divided_ ? first_parts_.data() : nullptr,
            .part_distance = {part_distances_.data()}};
  }
  void find_parts(PlainField& values, FieldParameters tables, std::size_t most_cells,
                  ThreadPool& pool, const std::function<void()>& pause);

  int cells_ = 0;                 // per axis; 0: not known
  bool is_divided_ = false;       // cells near the surface have parts
  std::size_t most_divided_ = 0;  // of the largest picture
  std::vector<float> distances_, part_distances_;
  std::vector<std::uint32_t> first_parts_;
};

}  // namespace mote
