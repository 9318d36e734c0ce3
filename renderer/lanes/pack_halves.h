#pragma once

// IEEE halves of the lanes of a pack, each in a 16-bit word. Rounding is to the nearest, ties to
// even, in every instruction set.

#include "lanes/pack_words.h"

namespace mote::MOTE_ISA {

using HalfWords = hn::Rebind<std::uint16_t, PackTag>;

#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2

/// The bits of the halves in 32-bit words. Highway's own conversion truncates here.
MOTE_LANE hn::Vec<PackWords::Tag> half_words(Pack a) {
  const PackWords::Tag tag;
  const auto word = [&](std::uint32_t all) { return hn::Set(tag, all); };
  const auto bits = hn::BitCast(tag, a.value), size = hn::And(bits, word(0x7fffffff));
  // The exponent's bias changes by 112. Half a unit of the last place that remains is added, less
  // one where that place is even.
  const auto even = hn::And(hn::ShiftRight<13>(size), word(1));
  const auto rebased = hn::Sub(hn::Add(size, word(0xfff)), word(112u << 23));
  auto half = hn::ShiftRight<13>(hn::Add(rebased, even));
  // Below 2^-14, units are 2^-24. The processor rounds to that unit in the sum with 0.5.
  const auto sum = hn::Add(hn::BitCast(PackTag(), size), hn::Set(PackTag(), 0.5f));
  const auto small = hn::Sub(hn::BitCast(tag, sum), word(0x3f000000));
  half = hn::IfThenElse(hn::Lt(size, word(113u << 23)), small, half);
  const auto large = hn::IfThenElse(hn::Gt(size, word(255u << 23)), word(0x7e00), word(0x7c00));
  half = hn::IfThenElse(hn::Lt(size, word(143u << 23)), half, large);
  return hn::Or(half, hn::ShiftLeft<15>(hn::ShiftRight<31>(bits)));
}

MOTE_LANE void store_halves(Pack a, std::uint16_t* aligned) {
  hn::Store(hn::TruncateTo(HalfWords(), half_words(a)), HalfWords(), aligned);
}

#else

MOTE_LANE void store_halves(Pack a, std::uint16_t* aligned) {
  const hn::Rebind<hwy::float16_t, PackTag> tag;
  hn::Store(hn::BitCast(HalfWords(), hn::DemoteTo(tag, a.value)), HalfWords(), aligned);
}

#endif

MOTE_LANE Pack load_halves(const std::uint16_t* aligned) {
  const hn::Rebind<hwy::float16_t, PackTag> tag;
  return hn::PromoteTo(PackTag(), hn::BitCast(tag, hn::Load(HalfWords(), aligned)));
}

/// Words of 16 bits.
MOTE_LANE PackWords load_short_words(const std::uint16_t* aligned) {
  return hn::PromoteTo(PackWords::Tag(), hn::Load(HalfWords(), aligned));
}
MOTE_LANE void store_short_words(PackWords words, std::uint16_t* aligned) {
  hn::Store(hn::TruncateTo(HalfWords(), words.value), HalfWords(), aligned);
}

}  // namespace mote::MOTE_ISA
