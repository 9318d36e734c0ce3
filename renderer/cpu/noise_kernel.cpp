// The exploration noise of MCMC. Compiled once per instruction set.

#include "cpu/isa_kernels.h"
#include "lanes/pack.h"
#include "splats/density/exploration.h"
#include "splats/splat_fields.h"

namespace mote::MOTE_ISA {
namespace {

using Bits = hn::Vec<hn::RebindToUnsigned<PackTag>>;

/// A hash of 32 bits in which each bit of the input flips half of the output bits on average (the
/// finaliser of MurmurHash3, A. Appleby, public domain).
MOTE_LANE Bits mixed(Bits x) {
  const hn::RebindToUnsigned<PackTag> tag;
  x = hn::Xor(x, hn::ShiftRight<16>(x));
  x = hn::Mul(x, hn::Set(tag, 0x85ebca6bu));
  x = hn::Xor(x, hn::ShiftRight<13>(x));
  x = hn::Mul(x, hn::Set(tag, 0xc2b2ae35u));
  return hn::Xor(x, hn::ShiftRight<16>(x));
}

MOTE_LANE Pack normal_from(Bits random) {
  const hn::RebindToUnsigned<PackTag> tag;
  const auto byte = hn::Set(tag, 0xffu);
  const auto sum =
      hn::Add(hn::Add(hn::And(random, byte), hn::And(hn::ShiftRight<8>(random), byte)),
              hn::Add(hn::And(hn::ShiftRight<16>(random), byte), hn::ShiftRight<24>(random)));
  const hn::RebindToSigned<PackTag> integer_tag;
  const Pack value = hn::ConvertTo(PackTag(), hn::BitCast(integer_tag, sum));
  return (value - Pack(kByteSumMean)) * Pack(kByteSumScale);
}

MOTE_LANE float* plane(float* geometry, Field f) {
  return geometry + static_cast<std::size_t>(f) * kBlockSize;
}

MOTE_LANE void move_pack(float* geometry, float scale, Bits counter) {
  const auto field = [&](Field f) { return load(plane(geometry, f)); };
  const Pack gate = exploration_gate(sigmoid(field(Field::logit_opacity)));
  if (!any(gate > Pack(kLeastGate))) return;
  const hn::RebindToUnsigned<PackTag> tag;
  const auto draw = [&](std::uint32_t salt) {
    return normal_from(
        mixed(hn::Add(mixed(hn::Xor(counter, hn::Set(tag, salt))), hn::Set(tag, 0x9e3779b9u))));
  };
  const Vec3<Pack> normal{draw(0x68bc21ebu), draw(0x02e5be93u), draw(0x967a889bu)};
  const Mat3<Pack> rotation =
      rotation_from(Quaternion<Pack>{field(Field::rotation_w), field(Field::rotation_x),
                                     field(Field::rotation_y), field(Field::rotation_z)});
  const Mat3<Pack> axes =
      splat_axes(rotation, {exp(field(Field::log_scale_x)), exp(field(Field::log_scale_y)),
                            exp(field(Field::log_scale_z))});
  const Vec3<Pack> step = exploration_step(axes, normal, gate * Pack(scale));
  const Field fields[3] = {Field::mean_x, Field::mean_y, Field::mean_z};
  const Pack steps[3] = {step.x, step.y, step.z};
  for (int axis = 0; axis < 3; ++axis) {
    const Pack moved = field(fields[axis]) + steps[axis];
    // The mean stays unchanged where the result is not finite or too large.
    store(select(abs(moved) < Pack(1e30f), moved, field(fields[axis])),
          plane(geometry, fields[axis]));
  }
}

}  // namespace

void add_noise(const NoiseParams& params, std::size_t begin, std::size_t end) {
  const hn::RebindToUnsigned<PackTag> tag;
  const auto seed = static_cast<std::uint32_t>(params.seed ^ params.seed >> 32);
  for (std::size_t block = begin; block < end; ++block) {
    for (std::size_t first = 0; first < kBlockSize; first += kPackLanes) {
      const auto place = static_cast<std::uint32_t>(block * kBlockSize + first);
      move_pack(params.geometry + block * kFieldCount * kBlockSize + first, params.scale,
                hn::Add(hn::Iota(tag, place), mixed(hn::Set(tag, seed))));
    }
  }
}

}  // namespace mote::MOTE_ISA
