#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "splats/splat_mask.h"

namespace mote {

/// The difference of two masks, stored as runs of words that differ; part of an undo step. toggle()
/// turns either mask into the other.
class MaskDelta {
 public:
  MaskDelta() = default;
  /// CHECKs that both masks have the same size.
  MaskDelta(const SplatMask& a, const SplatMask& b);

  bool empty() const { return bits_.empty(); }
  /// Heap memory in bytes.
  std::size_t memory_bytes() const;
  /// CHECKs that `mask` has the size of the masks that were compared.
  void toggle(SplatMask& mask) const;

 private:
  struct Run {
    std::uint32_t first_word, words;
  };

  std::size_t size_ = 0;
  std::vector<Run> runs_;
  std::vector<std::uint64_t> bits_;  // words of all runs, concatenated
};

}  // namespace mote
