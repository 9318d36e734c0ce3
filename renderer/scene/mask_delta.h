#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "scene/splat_mask.h"

namespace mote {

/// Where two sets differ, as runs of words that do: what an undo step keeps of a set. Toggling
/// leads from either to the other.
class MaskDelta {
 public:
  MaskDelta() = default;
  /// CHECKs that both are of as many splats.
  MaskDelta(const SplatMask& a, const SplatMask& b);

  bool empty() const { return bits_.empty(); }
  /// Bytes held, besides the object.
  std::size_t memory_bytes() const;
  /// CHECKs that the mask has as many splats as those that were compared.
  void toggle(SplatMask& mask) const;

 private:
  struct Run {
    std::uint32_t first_word, words;
  };

  std::size_t size_ = 0;
  std::vector<Run> runs_;
  std::vector<std::uint64_t> bits_;  // of all runs, one after another
};

}  // namespace mote
