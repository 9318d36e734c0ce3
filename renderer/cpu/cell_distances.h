#pragma once

// The distances of a signed distance field in the middle of all cells of its cube, on the CPU.

#include <cstddef>
#include <vector>

#include "core/parallel.h"
#include "cpu/plain_field.h"
#include "fields/applications/surface_cells.h"

namespace mote {

class CellDistances {
 public:
  /// Forgets them, since the field has changed.
  void forget() { cells_ = 0; }
  /// Finds them if they are not known and a picture of `pixels` is worth them.
  void find(PlainField& values, FieldParameters tables, std::size_t pixels, ThreadPool& pool);
  bool are_known() const { return cells_ > 0; }

  /// Whether a ray goes on by the bound of the point's cell alone, which is `bound` then.
  bool is_far_at(const Vec3<float>& point, float& bound) const {
    if (cells_ == 0) return false;
    bound = cell_bound(point, cells_, Load{distances_});
    return is_far(bound, static_cast<float>(cells_));
  }
  /// Whether light takes a distance between cells for the field's at the point, which is `distance`
  /// then.
  bool is_known_at(const Vec3<float>& point, float& distance) const {
    if (cells_ == 0) return false;
    distance = distance_between_cells(point, cells_, Load{distances_});
    return is_known_for_light(distance, static_cast<float>(cells_));
  }
  std::size_t memory_bytes() const { return distances_.capacity() * sizeof(float); }

 private:
  struct Load {
    const std::vector<float>& distances;

    float operator()(unsigned cell) const { return distances[cell]; }
  };

  int cells_ = 0;  // per axis; 0: not known
  std::vector<float> distances_;
};

}  // namespace mote
