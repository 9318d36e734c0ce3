#pragma once

// Densities on a sparse grid of cubic voxels, in Mote's own form.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <glm/vec3.hpp>
#include <span>
#include <string>
#include <vector>

namespace mote {

/// Voxels have their centres at whole numbers: a position in voxels p is at origin + voxel_side * p
/// in the world.
struct VoxelFrame {
  double voxel_side = 1;  // world units
  glm::dvec3 origin{0};   // world
};

/// A density at each place, linear between the centres of voxels, and 0 outside of them.
class DensityVolume {
 public:
  static constexpr int kBrickSide = 8;
  static constexpr std::size_t kBrickVoxels = 512;
  using Brick = std::array<float, kBrickVoxels>;  // [z][y][x]

  /// Collects the bricks of a volume.
  class Builder {
   public:
    /// Sets the voxels from kBrickSide * `place` on. Values are finite and at least 0. The last
    /// brick of a place counts.
    void add(const glm::ivec3& place, const Brick& values);
    std::size_t bricks() const { return places_.size(); }
    /// Throws Error, with `name` as its place, if no value is above 0 or the volume is too large.
    DensityVolume finish(const VoxelFrame& frame, const std::string& name);

   private:
    friend class DensityVolume;
    std::vector<glm::ivec3> places_;
    std::vector<Brick> values_;
  };

  /// `voxels`: a position in voxels.
  float density(const glm::vec3& voxels) const;
  /// An upper bound of all densities, above 0.
  float largest() const { return largest_; }
  /// Calls visit(begin, end, largest) for each brick with a density above 0 that the ray
  /// origin + t * direction meets between the distances `from` and `to`, in order: the ends of its
  /// part, and an upper bound of the brick's densities. Ends when `visit` returns false. Positions
  /// are in voxels, distances in lengths of `direction`.
  template <class Visit>
  void for_bricks_along(const glm::vec3& origin, const glm::vec3& direction, float from, float to,
                        const Visit& visit) const;
  /// The smallest and largest indices of voxels with a density above 0.
  const glm::ivec3& first_voxel() const { return first_voxel_; }
  const glm::ivec3& last_voxel() const { return last_voxel_; }
  const VoxelFrame& frame() const { return frame_; }
  std::size_t bricks() const { return bricks_.size() / kStoredVoxels; }
  std::uint64_t memory_bytes() const;
  std::uint64_t fingerprint() const;
  /// Calls visit(index, density) for each voxel with a density above 0.
  void for_voxels(const std::function<void(const glm::ivec3&, float)>& visit) const;

  /// Upper bounds on a volume.
  static constexpr std::uint64_t kMostPlaces = 1 << 24;  // of bricks, with empty ones
  static constexpr std::size_t kMostBricks = std::size_t{1} << 19;

 private:
  // A brick also holds the first planes of its upper neighbours, so that a lookup reads one brick.
  static constexpr int kStoredSide = kBrickSide + 1;
  static constexpr std::size_t kStoredVoxels = 729;

  DensityVolume(const Builder& builder, const VoxelFrame& frame, const std::string& name);
  void find_bounds(const Builder& builder, const std::string& name);
  void place_bricks(const Builder& builder, const std::string& name);
  std::size_t cell(const glm::ivec3& at) const {  // in the table; `at`: from first_place_ on
    return (static_cast<std::size_t>(at.z) * static_cast<std::size_t>(places_.y) +
            static_cast<std::size_t>(at.y)) *
               static_cast<std::size_t>(places_.x) +
           static_cast<std::size_t>(at.x);
  }

  VoxelFrame frame_;
  glm::ivec3 first_voxel_{0}, last_voxel_{0};
  glm::ivec3 first_place_{0}, places_{0};  // of bricks: the first, and their number per axis
  glm::vec3 first_{0}, size_{0};           // of the table, in voxels
  std::vector<std::int32_t> table_;        // [z][y][x]: a brick, or -1
  std::vector<float> bricks_;              // [brick][z][y][x], kStoredSide per axis
  std::vector<float> brick_largest_;       // [brick]
  float largest_ = 0;
};

/// The cells of a lattice that a ray crosses, one after the other (Amanatides and Woo 1987, "A fast
/// voxel traversal algorithm for ray tracing").
class LatticeWalk {
 public:
  /// `origin`: the ray's start, in cells. `from`: the distance at which the walk starts.
  /// `size`: cells per axis; the first cell is clamped to them.
  LatticeWalk(const glm::vec3& origin, const glm::vec3& direction, float from,
              const glm::ivec3& size);

  const glm::ivec3& cell() const { return cell_; }
  /// The distance at which the ray leaves the cell.
  float leaves() const { return std::min({next_.x, next_.y, next_.z}); }
  /// Goes on to the next cell. Returns false if there is none.
  bool advance();

 private:
  glm::ivec3 cell_, size_, step_;
  glm::vec3 next_,
      each_;  // distance of the next plane per axis, and from there to the one after it
};

template <class Visit>
void DensityVolume::for_bricks_along(const glm::vec3& origin, const glm::vec3& direction,
                                     float from, float to, const Visit& visit) const {
  constexpr float kCells = 1.0f / kBrickSide;
  LatticeWalk walk(kCells * (origin - first_), kCells * direction, from, places_);
  for (float begin = from; begin < to;) {
    const float end = std::min(std::max(walk.leaves(), begin), to);
    const std::int32_t brick = table_[cell(walk.cell())];
    if (brick >= 0 && !visit(begin, end, brick_largest_[static_cast<std::size_t>(brick)])) return;
    begin = end;
    if (!walk.advance()) return;
  }
}

}  // namespace mote
