#pragma once

// Four floats: a row of a 4x4-pixel block. Formulas that are templates over the lane type take it
// where pixels are read or written by rows. Only kernel files include this.

#include "lanes/pack.h"
#include "splats/kinds/ellipse.h"

namespace mote::MOTE_ISA {

using QuadTag = hn::FixedTag<float, kPixelBlock>;

struct Quad {
  hn::Vec<QuadTag> value;

  MOTE_LANE Quad() : value(hn::Zero(QuadTag())) {}
  MOTE_LANE Quad(hn::Vec<QuadTag> v) : value(v) {}
  MOTE_LANE explicit Quad(float all) : value(hn::Set(QuadTag(), all)) {}

  friend MOTE_LANE Quad operator+(Quad a, Quad b) { return hn::Add(a.value, b.value); }
  friend MOTE_LANE Quad operator-(Quad a, Quad b) { return hn::Sub(a.value, b.value); }
  friend MOTE_LANE Quad operator*(Quad a, Quad b) { return hn::Mul(a.value, b.value); }
};

MOTE_LANE Quad load_quad(const float* aligned) {
  return hn::Load(QuadTag(), aligned);
}
MOTE_LANE void store(Quad a, float* aligned) {
  hn::Store(a.value, QuadTag(), aligned);
}
MOTE_LANE Quad fma(Quad a, Quad b, Quad c) {
  return hn::MulAdd(a.value, b.value, c.value);
}
/// The first `count` floats; the others are zero.
MOTE_LANE Quad first_of(Quad a, int count) {
  return hn::IfThenElseZero(hn::FirstN(QuadTag(), static_cast<std::size_t>(count)), a.value);
}

}  // namespace mote::MOTE_ISA
