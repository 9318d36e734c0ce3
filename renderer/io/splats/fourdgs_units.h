#pragma once

// The lives that a .4dgs file has of a cloud: one for each splat, but more for those whose path is
// curved or which turn.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/splats/fourdgs_paths.h"
#include "splats/splat_cloud.h"

namespace mote::fourdgs {

/// A splat of the cloud, with its colours as they are.
LifeSplat life_of(const SplatCloud& cloud, std::size_t i);

/// Clamps the colours to 0..1 and returns the number of values that this changes visibly.
std::size_t clamp_color(Splat& splat);

class Units {
 public:
  /// `most`: errors of straight lines and fixed rotations; the position of a splat may also have an
  /// error of 2 % of its smallest scale. `name`: of the file. Throws Error if
  /// paths and rotations need too many parts.
  Units(const SplatCloud& cloud, double duration_s, const PathErrors& most,
        const std::string& name);

  std::size_t count() const { return is_divided_ ? units_.size() : cloud_.count(); }
  /// The splat of the cloud that a unit is, or is a part of. Ascends with the units.
  std::size_t splat(std::size_t unit) const { return is_divided_ ? units_[unit].splat : unit; }
  /// Whether it is the first unit of its splat.
  bool is_first(std::size_t unit) const { return unit == 0 || splat(unit - 1) != splat(unit); }

  /// The splats of the file, with clamped colours. All of a unit have its `source`.
  std::vector<Splat> pieces(std::size_t unit, std::uint32_t source) const;

 private:
  struct Unit {
    std::uint32_t splat = 0;
    bool is_whole = true;
    LifePart part{};
  };

  void divide(const PathErrors& most, const std::string& name);
  std::vector<Splat> whole(std::size_t splat) const;
  Splat part(const Unit& unit) const;

  const SplatCloud& cloud_;
  double duration_;
  bool is_divided_;  // false: unit i is splat i
  std::vector<Unit> units_;
};

}  // namespace mote::fourdgs
