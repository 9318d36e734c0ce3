#pragma once

// One 32-bit word per lane of a pack, for random numbers.

#include <cstdint>

#include "lanes/pack.h"

namespace mote::MOTE_ISA {

struct PackWords {
  using Tag = hn::RebindToUnsigned<PackTag>;
  hn::Vec<Tag> value;

  MOTE_LANE PackWords(hn::Vec<Tag> v) : value(v) {}
  MOTE_LANE PackWords(std::uint32_t all) : value(hn::Set(Tag(), all)) {}

  friend MOTE_LANE PackWords operator+(PackWords a, PackWords b) {
    return hn::Add(a.value, b.value);
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

template <int BITS>
MOTE_LANE PackWords shift_right(PackWords a) {
  return hn::ShiftRight<BITS>(a.value);
}

/// The words as floats; words must be below 2^31.
MOTE_LANE Pack float_of(PackWords a) {
  return hn::ConvertTo(PackTag(), hn::BitCast(hn::RebindToSigned<PackTag>(), a.value));
}

/// first, first + 1, ... in the lanes.
MOTE_LANE PackWords words_from(std::uint32_t first) {
  return hn::Iota(PackWords::Tag(), first);
}

}  // namespace mote::MOTE_ISA
