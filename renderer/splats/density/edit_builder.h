#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "splats/density/density.h"

namespace mote {

/// Builds a DensityEdit: first the splats that stay, then the new ones.
class EditBuilder {
 public:
  /// Adds splat `source` unchanged and returns its index in the result.
  std::uint32_t keep(std::uint32_t source) { return add(source, false); }
  /// Adds a copy of `source` with zero moments and returns its index in the result.
  std::uint32_t copy(std::uint32_t source) { return add(source, true); }
  /// Sets the geometry of a splat of the result, at most once per splat. Its moments become zero.
  void change(std::uint32_t splat, const SplatGeometry& geometry) {
    edit_.changes.push_back({splat, geometry});
    edit_.forget[splat] = 1;
  }
  /// Sets the motion of a splat of the result, at most once per splat. Its moments become zero.
  void move(std::uint32_t splat, const MotionValues& motion) {
    edit_.moves.push_back({splat, motion});
    edit_.forget[splat] = 1;
  }
  /// Sets the constant harmonic of a splat of the result and clears the others, in ascending order
  /// of splats. Its moments become zero.
  void color(std::uint32_t splat, const float (&sh_0)[3]) {
    edit_.colors.push_back({splat, {sh_0[0], sh_0[1], sh_0[2]}});
    edit_.forget[splat] = 1;
  }
  DensityEdit take() { return std::move(edit_); }

 private:
  std::uint32_t add(std::uint32_t source, bool forget) {
    edit_.source.push_back(source);
    edit_.forget.push_back(forget ? 1 : 0);
    return static_cast<std::uint32_t>(edit_.source.size() - 1);
  }

  DensityEdit edit_;
};

/// One byte per splat: whether `numbers` lists it.
inline std::vector<std::uint8_t> marked(std::size_t count, std::span<const std::uint32_t> numbers) {
  std::vector<std::uint8_t> marks(count, 0);
  for (const std::uint32_t number : numbers) marks[number] = 1;
  return marks;
}

}  // namespace mote
