#pragma once

// A pack: the lane type of the CPU kernels. It wraps a Highway vector of 4, 8 or 16 floats. The
// instruction set that this file is compiled for gives the width. MOTE_ISA, set by the build for
// each kernel object, names the namespace, so that packs of two widths never clash.

#include <hwy/highway.h>
// After highway.h, whose macros it uses.
#include <hwy/contrib/math/math-inl.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "lanes/lane.h"

namespace mote::MOTE_ISA {

namespace hn = hwy::HWY_NAMESPACE;

using PackTag = hn::CappedTag<float, 16>;
inline constexpr int kPackLanes = static_cast<int>(HWY_LANES(float) < 16 ? HWY_LANES(float) : 16);

struct PackMask {
  hn::Mask<PackTag> value;
  friend MOTE_LANE PackMask operator&(PackMask a, PackMask b) {
    return {hn::And(a.value, b.value)};
  }
  friend MOTE_LANE PackMask operator|(PackMask a, PackMask b) { return {hn::Or(a.value, b.value)}; }
};

struct Pack {
  hn::Vec<PackTag> value;

  MOTE_LANE Pack() : value(hn::Zero(PackTag())) {}
  MOTE_LANE Pack(hn::Vec<PackTag> v) : value(v) {}
  MOTE_LANE Pack(float all) : value(hn::Set(PackTag(), all)) {}

  friend MOTE_LANE Pack operator+(Pack a, Pack b) { return hn::Add(a.value, b.value); }
  friend MOTE_LANE Pack operator-(Pack a, Pack b) { return hn::Sub(a.value, b.value); }
  friend MOTE_LANE Pack operator*(Pack a, Pack b) { return hn::Mul(a.value, b.value); }
  friend MOTE_LANE Pack operator/(Pack a, Pack b) { return hn::Div(a.value, b.value); }
  friend MOTE_LANE Pack operator-(Pack a) { return hn::Neg(a.value); }
  friend MOTE_LANE PackMask operator<(Pack a, Pack b) { return {hn::Lt(a.value, b.value)}; }
  friend MOTE_LANE PackMask operator<=(Pack a, Pack b) { return {hn::Le(a.value, b.value)}; }
  friend MOTE_LANE PackMask operator>(Pack a, Pack b) { return {hn::Gt(a.value, b.value)}; }
  friend MOTE_LANE PackMask operator>=(Pack a, Pack b) { return {hn::Ge(a.value, b.value)}; }
};

MOTE_LANE Pack load(const float* aligned) {
  return hn::Load(PackTag(), aligned);
}
MOTE_LANE void store(Pack a, float* aligned) {
  hn::Store(a.value, PackTag(), aligned);
}

MOTE_LANE Pack load_unaligned(const float* from) {
  return hn::LoadU(PackTag(), from);
}

/// Blocks of four floats side by side: block i is at base + offsets[4 i], aligned to 16 bytes.
template <class Tag>
MOTE_LANE hn::Vec<Tag> load_blocks(Tag tag, const float* base, const std::uint32_t* offsets) {
  constexpr std::size_t kLanes = hn::MaxLanes(Tag());
  if constexpr (kLanes == 4) {
    return hn::Load(tag, base + offsets[0]);
  } else {
    const hn::Half<Tag> half;
    return hn::Combine(tag, load_blocks(half, base, offsets + kLanes / 2),
                       load_blocks(half, base, offsets));
  }
}

/// Stores the blocks of four floats: block i at base + offsets[4 i], aligned to 16 bytes.
template <class Tag>
MOTE_LANE void store_blocks(Tag tag, hn::Vec<Tag> blocks, float* base,
                            const std::uint32_t* offsets) {
  constexpr std::size_t kLanes = hn::MaxLanes(Tag());
  if constexpr (kLanes == 4) {
    hn::Store(blocks, tag, base + offsets[0]);
  } else {
    const hn::Half<Tag> half;
    store_blocks(half, hn::LowerHalf(half, blocks), base, offsets);
    store_blocks(half, hn::UpperHalf(half, blocks), base, offsets + kLanes / 2);
  }
}

/// Four floats of each lane.
struct PackQuad {
  Pack first, second, third, fourth;
};

/// Transposes the 4x4 floats of each block: `rows` has their rows.
MOTE_LANE PackQuad transpose_blocks(const PackQuad& rows) {
  const PackTag tag;
  const hn::Repartition<double, PackTag> pairs;
  const auto as_pairs = [&](hn::Vec<PackTag> v) { return hn::BitCast(pairs, v); };
  const auto as_floats = [&](hn::Vec<decltype(pairs)> v) { return Pack(hn::BitCast(tag, v)); };
  const auto a = rows.first.value, b = rows.second.value;
  const auto c = rows.third.value, d = rows.fourth.value;
  const auto low_ab = as_pairs(hn::InterleaveLower(tag, a, b));
  const auto high_ab = as_pairs(hn::InterleaveUpper(tag, a, b));
  const auto low_cd = as_pairs(hn::InterleaveLower(tag, c, d));
  const auto high_cd = as_pairs(hn::InterleaveUpper(tag, c, d));
  return {as_floats(hn::InterleaveLower(pairs, low_ab, low_cd)),
          as_floats(hn::InterleaveUpper(pairs, low_ab, low_cd)),
          as_floats(hn::InterleaveLower(pairs, high_ab, high_cd)),
          as_floats(hn::InterleaveUpper(pairs, high_ab, high_cd))};
}

/// Loads four consecutive floats for each lane: those of lane i are at base + offsets[i], aligned
/// to 16 bytes. Some processors need twice the time or more to gather the floats one by one.
MOTE_LANE PackQuad load_quads(const float* base, const std::uint32_t* offsets) {
  const PackTag tag;
  return transpose_blocks({load_blocks(tag, base, offsets), load_blocks(tag, base, offsets + 1),
                           load_blocks(tag, base, offsets + 2),
                           load_blocks(tag, base, offsets + 3)});
}

/// The inverse of load_quads().
MOTE_LANE void store_quads(const PackQuad& quads, float* base, const std::uint32_t* offsets) {
  const PackTag tag;
  const PackQuad rows = transpose_blocks(quads);
  store_blocks(tag, rows.first.value, base, offsets);
  store_blocks(tag, rows.second.value, base, offsets + 1);
  store_blocks(tag, rows.third.value, base, offsets + 2);
  store_blocks(tag, rows.fourth.value, base, offsets + 3);
}

MOTE_LANE Pack select(PackMask mask, Pack yes, Pack no) {
  return hn::IfThenElse(mask.value, yes.value, no.value);
}
MOTE_LANE Pack keep(PackMask mask, Pack a) {
  return hn::IfThenElseZero(mask.value, a.value);
}
MOTE_LANE Pack min(Pack a, Pack b) {
  return hn::Min(a.value, b.value);
}
MOTE_LANE Pack max(Pack a, Pack b) {
  return hn::Max(a.value, b.value);
}
MOTE_LANE Pack fma(Pack a, Pack b, Pack c) {
  return hn::MulAdd(a.value, b.value, c.value);
}
MOTE_LANE Pack fnma(Pack a, Pack b, Pack c) {
  return hn::NegMulAdd(a.value, b.value, c.value);
}
MOTE_LANE Pack sqrt(Pack a) {
  return hn::Sqrt(a.value);
}
MOTE_LANE Pack abs(Pack a) {
  return hn::Abs(a.value);
}
MOTE_LANE Pack floor(Pack a) {
  return hn::Floor(a.value);
}
MOTE_LANE Pack sin_pi(Pack a) {
  const Pack turn = fnma(Pack(2.0f), floor(fma(a, Pack(0.5f), Pack(0.5f))), a);
  return hn::Sin(PackTag(), (turn * Pack(3.14159265358979323846f)).value);
}
MOTE_LANE Pack exp(Pack a) {
  return hn::Exp(PackTag(), a.value);
}
MOTE_LANE Pack log2(Pack a) {
  return hn::Log2(PackTag(), a.value);
}

/// 2^a with relative error below 4e-6; exact at integers. The nearest integer comes from adding a
/// large constant and is added to the exponent. The fraction goes through the minimax polynomial of
/// degree 4 on [-1/2, 1/2] that is 1 at 0.
MOTE_LANE Pack exp2_bounded(Pack a) {
  const PackTag tag;
  const hn::RebindToSigned<PackTag> integer_tag;
  const auto rounder = hn::Set(tag, 12582912.0f);  // 1.5 * 2^23
  const auto shifted = hn::Add(a.value, rounder);
  const auto fraction = hn::Sub(a.value, hn::Sub(shifted, rounder));
  auto power = hn::Set(tag, 9.5828539e-3f);
  power = hn::MulAdd(power, fraction, hn::Set(tag, 5.5906426e-2f));
  power = hn::MulAdd(power, fraction, hn::Set(tag, 2.4024099e-1f));
  power = hn::MulAdd(power, fraction, hn::Set(tag, 6.9312418e-1f));
  power = hn::MulAdd(power, fraction, hn::Set(tag, 1.0f));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(integer_tag, shifted));
  return hn::BitCast(tag, hn::Add(hn::BitCast(integer_tag, power), exponent));
}

// Blending spends much of its time on powers of two, whose exponents it computes by polynomials.
// For AVX-512 these have scaled coefficients: they count steps of 2^-23, the unit of the bits of a
// float if its exponent and fraction are seen as one number.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

inline constexpr float kExponentScale = 8388608.0f;  // 2^23
inline constexpr float kExponentOrigin = 1.0f;

/// 2^a for the exponent (a - kExponentOrigin) * kExponentScale; a below 1 and above -126. Relative
/// error below 3e-6, 7 operations instead of the 9 of exp2_bounded().
MOTE_LANE Pack exp2_scaled(Pack exponent) {
  const PackTag tag;
  const hn::RebindToSigned<PackTag> bits_tag;
  const __m512i steps = _mm512_cvtps_epi32(exponent.value.raw);
  // One plus the fraction. The minimax polynomial of 2^(m - 1) on [1, 2) stays inside of [1, 2).
  const auto fraction = hn::Vec<decltype(bits_tag)>{steps};
  const auto m = hn::BitCast(
      tag, hn::OrAnd(hn::Set(bits_tag, 0x3f800000), fraction, hn::Set(bits_tag, 0x007fffff)));
  auto power = hn::Set(tag, 0.0135341678f);
  power = hn::MulAdd(power, m, hn::Set(tag, -0.00212521106f));
  power = hn::MulAdd(power, m, hn::Set(tag, 0.166613385f));
  power = hn::MulAdd(power, m, hn::Set(tag, 0.31201604f));
  power = hn::MulAdd(power, m, hn::Set(tag, 0.509964228f));
  // The power's fraction, with the whole part of `steps` as exponent: the power has the bits 0 0111
  // 1111 above its fraction, so that their XNOR with those of `steps` adds 128, which is 127 and
  // the origin.
  constexpr int kFractionOrXnor = 0b11001001;
  return hn::Vec<PackTag>{_mm512_castsi512_ps(_mm512_ternarylogic_epi32(
      steps, _mm512_castps_si512(power.raw), _mm512_set1_epi32(0x007fffff), kFractionOrXnor))};
}

#else

inline constexpr float kExponentScale = 1.0f;
inline constexpr float kExponentOrigin = 0.0f;

MOTE_LANE Pack exp2_scaled(Pack exponent) {
  return exp2_bounded(exponent);
}

#endif

/// 2^a for a <= 0; zero where that is below the smallest normal float, and for NaN.
MOTE_LANE Pack exp2_or_zero(Pack a) {
  const Pack least(-126.0f);
  return keep(a >= least, exp2_bounded(max(a, least)));
}

/// 1 / a, where both are normal numbers. The processor's estimate has at least 11 bits and one
/// Newton step follows. Relative error below 1e-6.
MOTE_LANE Pack reciprocal(Pack a) {
  const Pack estimate(hn::ApproximateReciprocal(a.value));
  return estimate * fnma(a, estimate, Pack(2.0f));
}

/// The lanes of `mask` with a >= b.
MOTE_LANE PackMask at_least(PackMask mask, Pack a, Pack b) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  return {{_mm512_mask_cmp_ps_mask(mask.value.raw, a.value.raw, b.value.raw, _CMP_GE_OQ)}};
#else
  return mask & (a >= b);
#endif
}

MOTE_LANE bool any(PackMask mask) {
  return !hn::AllFalse(PackTag(), mask.value);
}

/// Bit i of the result is lane i.
MOTE_LANE std::uint32_t mask_bits(PackMask mask) {
  // As wide as the bits that Highway stores, so that the value never passes through memory.
  std::conditional_t<(kPackLanes > 8), std::uint16_t, std::uint8_t> bits = 0;
  hn::StoreMaskBits(PackTag(), mask.value, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

}  // namespace mote::MOTE_ISA
