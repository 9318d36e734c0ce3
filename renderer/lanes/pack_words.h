#pragma once

// One 32-bit word per lane of a pack, for random numbers and indices.

#include <cstdint>

#include "lanes/pack.h"
#include "lanes/scalar.h"

namespace mote::MOTE_ISA {

struct PackWords {
  using Tag = hn::RebindToUnsigned<PackTag>;
  hn::Vec<Tag> value;

  MOTE_LANE PackWords() : value(hn::Zero(Tag())) {}
  MOTE_LANE PackWords(hn::Vec<Tag> v) : value(v) {}
  MOTE_LANE PackWords(std::uint32_t all) : value(hn::Set(Tag(), all)) {}

  friend MOTE_LANE PackWords operator+(PackWords a, PackWords b) {
    return hn::Add(a.value, b.value);
  }
  friend MOTE_LANE PackWords operator-(PackWords a, PackWords b) {
    return hn::Sub(a.value, b.value);
  }
  friend MOTE_LANE PackWords operator*(PackWords a, PackWords b) {
    return hn::Mul(a.value, b.value);
  }
  friend MOTE_LANE PackWords operator&(PackWords a, PackWords b) {
    return hn::And(a.value, b.value);
  }
  friend MOTE_LANE PackWords operator|(PackWords a, PackWords b) {
    return hn::Or(a.value, b.value);
  }
  friend MOTE_LANE PackWords operator^(PackWords a, PackWords b) {
    return hn::Xor(a.value, b.value);
  }
};

}  // namespace mote::MOTE_ISA

namespace mote {
template <>
struct LaneWords<MOTE_ISA::Pack> {
  using Type = MOTE_ISA::PackWords;
};
}  // namespace mote

namespace mote::MOTE_ISA {

template <int BITS>
MOTE_LANE PackWords shift_right(PackWords a) {
  return hn::ShiftRight<BITS>(a.value);
}

template <int BITS>
MOTE_LANE PackWords shift_left(PackWords a) {
  return hn::ShiftLeft<BITS>(a.value);
}
/// Shifts by `bits`, from 0 to 31.
MOTE_LANE PackWords shift_right_by(PackWords a, PackWords bits) {
  return hn::Shr(a.value, bits.value);
}

MOTE_LANE PackWords select(PackMask mask, PackWords yes, PackWords no) {
  return hn::IfThenElse(hn::RebindMask(PackWords::Tag(), mask.value), yes.value, no.value);
}
MOTE_LANE PackMask is_zero(PackWords a) {
  return {hn::RebindMask(PackTag(), hn::Eq(a.value, hn::Zero(PackWords::Tag())))};
}

/// The bits of a float, and the float of these bits.
MOTE_LANE PackWords bits_of(Pack a) {
  return hn::BitCast(PackWords::Tag(), a.value);
}
MOTE_LANE Pack float_of_bits(PackWords bits) {
  return hn::BitCast(PackTag(), bits.value);
}

/// The words as floats; words must be below 2^31.
MOTE_LANE Pack float_of(PackWords a) {
  return hn::ConvertTo(PackTag(), hn::BitCast(hn::RebindToSigned<PackTag>(), a.value));
}

/// The words of whole numbers from 0 to 2^31 - 1.
MOTE_LANE PackWords word_of(Pack a) {
  return hn::BitCast(PackWords::Tag(), hn::ConvertTo(hn::RebindToSigned<PackTag>(), a.value));
}
MOTE_LANE PackWords word_min(PackWords a, PackWords b) {
  return hn::Min(a.value, b.value);
}
/// Slow: lane by lane.
MOTE_LANE PackWords word_remainder(PackWords a, std::uint32_t divisor) {
  alignas(64) std::uint32_t words[kPackLanes];
  hn::Store(a.value, PackWords::Tag(), words);
  for (std::uint32_t& word : words) word %= divisor;
  return hn::Load(PackWords::Tag(), words);
}

/// The words at base[offsets[i]], loaded one by one: AMD's Zen 4 needs twice as long to gather
/// them.
template <class Tag>
MOTE_LANE hn::Vec<Tag> load_words(Tag tag, const std::uint32_t* base,
                                  const std::uint32_t* offsets) {
  constexpr std::size_t kLanes = hn::MaxLanes(Tag());
  if constexpr (kLanes == 4) {
#if HWY_ARCH_X86
    const auto word = [&](int i) { return static_cast<int>(base[offsets[i]]); };
    return hn::Vec<Tag>{_mm_set_epi32(word(3), word(2), word(1), word(0))};
#else
    return hn::GatherIndex(tag, base,
                           hn::BitCast(hn::RebindToSigned<Tag>(), hn::Load(tag, offsets)));
#endif
  } else {
    const hn::Half<Tag> half;
    return hn::Combine(tag, load_words(half, base, offsets + kLanes / 2),
                       load_words(half, base, offsets));
  }
}

/// The words, or bytes, at base[index].
MOTE_LANE PackWords gather_bytes(const std::uint8_t* base, PackWords index) {
  alignas(64) std::uint32_t words[kPackLanes];
  hn::Store(index.value, PackWords::Tag(), words);
  for (std::uint32_t& word : words) word = base[word];
  return hn::Load(PackWords::Tag(), words);
}
MOTE_LANE PackWords gather_words(const std::uint32_t* base, PackWords index) {
  alignas(64) std::uint32_t offsets[kPackLanes];
  hn::Store(index.value, PackWords::Tag(), offsets);
  return load_words(PackWords::Tag(), base, offsets);
}

/// Two consecutive words of each lane.
struct PackWordPair {
  PackWords first, second;
};

/// The pairs of words at base[offsets[i]] of half as many lanes as a pack has, side by side.
template <class Tag>
MOTE_LANE hn::Vec<Tag> load_pairs_together(Tag tag, const std::uint32_t* base,
                                           const std::uint32_t* offsets) {
  constexpr std::size_t kLanes = hn::MaxLanes(Tag());
  if constexpr (kLanes == 2) {
#if HWY_ARCH_X86
    const auto at = [&](int i) { return reinterpret_cast<const __m128i*>(base + offsets[i]); };
    const __m128 low = _mm_castsi128_ps(_mm_loadl_epi64(at(0)));
    const __m128 both = _mm_loadh_pi(low, reinterpret_cast<const __m64*>(at(1)));
    return hn::Vec<Tag>{_mm_castps_si128(both)};
#else
    const hn::Repartition<std::uint32_t, Tag> words;
    alignas(16) const std::uint32_t four[4] = {base[offsets[0]], base[offsets[0] + 1],
                                               base[offsets[1]], base[offsets[1] + 1]};
    return hn::BitCast(tag, hn::Load(words, four));
#endif
  } else {
    const hn::Half<Tag> half;
    return hn::Combine(tag, load_pairs_together(half, base, offsets + kLanes / 2),
                       load_pairs_together(half, base, offsets));
  }
}

/// The two words at base[offsets[i]]: half the loads of two calls of load_words().
MOTE_LANE PackWordPair load_word_pairs(const std::uint32_t* base, const std::uint32_t* offsets) {
  const PackWords::Tag tag;
  const hn::Repartition<std::uint64_t, PackTag> pairs;
  const auto low = hn::BitCast(tag, load_pairs_together(pairs, base, offsets));
  const auto high = hn::BitCast(tag, load_pairs_together(pairs, base, offsets + kPackLanes / 2));
  return {hn::ConcatEven(tag, high, low), hn::ConcatOdd(tag, high, low)};
}

/// first, first + 1, ... in the lanes.
MOTE_LANE PackWords words_from(std::uint32_t first) {
  return hn::Iota(PackWords::Tag(), first);
}

}  // namespace mote::MOTE_ISA
