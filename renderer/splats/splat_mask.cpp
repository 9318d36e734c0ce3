#include "splats/splat_mask.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/error.h"

namespace mote {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

std::size_t words_for(std::size_t splats) {
  return (splats + SplatMask::kWordSplats - 1) / SplatMask::kWordSplats;
}

}  // namespace

SplatMask::SplatMask(std::size_t size, bool value)
    : size_(size), words_(words_for(size), value ? kAll : 0) {
  trim();
}

std::size_t SplatMask::count() const {
  std::size_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

bool SplatMask::any() const {
  return std::any_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word != 0; });
}

void SplatMask::set(std::size_t splat, bool value) {
  CHECK(splat < size_);
  const std::uint64_t bit = std::uint64_t{1} << (splat % kWordSplats);
  std::uint64_t& word = words_[splat / kWordSplats];
  word = value ? word | bit : word & ~bit;
}

void SplatMask::resize(std::size_t size) {
  size_ = size;
  words_.resize(words_for(size), 0);
  trim();
}

void SplatMask::invert() {
  for (std::uint64_t& word : words_) word = ~word;
  trim();
}

void SplatMask::combine(const SplatMask& other, MaskOperation operation) {
  CHECK(size_ == other.size_);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    const std::uint64_t theirs = other.words_[i];
    switch (operation) {
      case MaskOperation::replace:
        words_[i] = theirs;
        break;
      case MaskOperation::add:
        words_[i] |= theirs;
        break;
      case MaskOperation::subtract:
        words_[i] &= ~theirs;
        break;
      case MaskOperation::intersect:
        words_[i] &= theirs;
        break;
    }
  }
}

void SplatMask::trim() {
  if (size_ % kWordSplats != 0) words_.back() &= kAll >> (kWordSplats - size_ % kWordSplats);
}

std::vector<std::uint32_t> SplatMask::indices() const {
  if (size_ > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("has " + std::to_string(size_) + " splats, but at most 2^32 - 1 can be edited",
                "the scene", "split it into several");
  }
  std::vector<std::uint32_t> indices;
  indices.reserve(count());
  for (std::size_t i = 0; i < words_.size(); ++i) {
    for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
      indices.push_back(static_cast<std::uint32_t>(
          i * kWordSplats + static_cast<std::size_t>(std::countr_zero(word))));
    }
  }
  return indices;
}

}  // namespace mote
