#pragma once

// One 32-bit word per lane of a pack, for random numbers and indices.

#include <cstdint>

#include "lanes/pack.h"
#include "lanes/scalar.h"

namespace mote::MOTE_ISA {

struct PackWords {
  using Tag = hn::RebindToUnsigned<PackTag>;
  hn::Vec<Tag> value;

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

/// first, first + 1, ... in the lanes.
MOTE_LANE PackWords words_from(std::uint32_t first) {
  return hn::Iota(PackWords::Tag(), first);
}

}  // namespace mote::MOTE_ISA
