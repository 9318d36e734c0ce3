#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "backend/density.h"

namespace mote {

/// Gathers what becomes of the splats into a DensityEdit: first those that stay, then new ones.
class EditBuilder {
 public:
  /// Adds splat `source` to the result as it is, and says which number it has there.
  std::uint32_t keep(std::uint32_t source) { return add(source, false); }
  /// Adds a copy of `source` that has no moments yet.
  std::uint32_t copy(std::uint32_t source) { return add(source, true); }
  /// Gives a splat of the result this geometry, once; its moments start anew.
  void change(std::uint32_t splat, const SplatGeometry& geometry) {
    edit_.changes.push_back({splat, geometry});
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

/// One byte a splat: whether `numbers` lists it.
inline std::vector<std::uint8_t> marked(std::size_t count, std::span<const std::uint32_t> numbers) {
  std::vector<std::uint8_t> marks(count, 0);
  for (const std::uint32_t number : numbers) marks[number] = 1;
  return marks;
}

}  // namespace mote
