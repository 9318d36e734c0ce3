#include "splats/mask_delta.h"

#include "core/error.h"

namespace mote {

MaskDelta::MaskDelta(const SplatMask& a, const SplatMask& b) : size_(a.size()) {
  CHECK(a.size() == b.size());
  const auto left = a.words(), right = b.words();
  for (std::size_t w = 0; w < left.size(); ++w) {
    const std::uint64_t difference = left[w] ^ right[w];
    if (difference == 0) continue;
    if (runs_.empty() || runs_.back().first_word + runs_.back().words != w) {
      runs_.push_back({static_cast<std::uint32_t>(w), 0});
    }
    ++runs_.back().words;
    bits_.push_back(difference);
  }
  runs_.shrink_to_fit();
  bits_.shrink_to_fit();
}

std::size_t MaskDelta::memory_bytes() const {
  return runs_.size() * sizeof(Run) + bits_.size() * sizeof(std::uint64_t);
}

void MaskDelta::toggle(SplatMask& mask) const {
  if (empty()) return;
  CHECK(mask.size() == size_);
  const std::uint64_t* bits = bits_.data();
  for (const Run& run : runs_) {
    for (std::uint32_t i = 0; i < run.words; ++i) mask.words()[run.first_word + i] ^= *bits++;
  }
}

}  // namespace mote
