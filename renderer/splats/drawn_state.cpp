#include "splats/drawn_state.h"

#include <bit>

#include "core/error.h"

namespace mote {

SplatMask difference(const SplatMask& a, const SplatMask& b) {
  CHECK(a.size() == b.size());
  SplatMask result = a;
  for (std::size_t i = 0; i < result.words().size(); ++i) result.words()[i] ^= b.words()[i];
  return result;
}

std::vector<std::uint32_t> ranks_in(const SplatMask& mask,
                                    const std::vector<std::uint32_t>& splats) {
  std::vector<std::uint32_t> ranks;
  ranks.reserve(splats.size());
  const auto words = mask.words();
  std::size_t word = 0, before = 0;  // number of splats in the words before `word`
  for (const std::uint32_t splat : splats) {
    for (; word < splat / SplatMask::kWordSplats; ++word) {
      before += static_cast<std::size_t>(std::popcount(words[word]));
    }
    const std::uint64_t lower = (std::uint64_t{1} << (splat % SplatMask::kWordSplats)) - 1;
    ranks.push_back(static_cast<std::uint32_t>(
        before + static_cast<std::size_t>(std::popcount(words[word] & lower))));
  }
  return ranks;
}

SplatMask gathered(const SplatMask& mask, const SplatMask& held) {
  CHECK(mask.size() == held.size());
  SplatMask result(held.count());
  std::size_t next = 0;
  for (std::size_t i = 0; i < held.words().size(); ++i) {
    const std::uint64_t bits = mask.words()[i];
    for (std::uint64_t left = held.words()[i]; left != 0; left &= left - 1, ++next) {
      const std::uint64_t bit = (bits >> std::countr_zero(left)) & 1;
      result.words()[next / SplatMask::kWordSplats] |= bit << (next % SplatMask::kWordSplats);
    }
  }
  return result;
}

}  // namespace mote
