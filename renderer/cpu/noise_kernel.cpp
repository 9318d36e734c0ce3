// The exploration noise of MCMC. Compiled once per instruction set.

#include "cpu/isa_kernels.h"
#include "lanes/pack.h"
#include "splats/density/exploration.h"
#include "splats/kinds/kinds.h"

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

template <class Kind>
MOTE_LANE void move_pack(float* geometry, float scale, Bits counter) {
  const auto plane = [&](int p) { return geometry + static_cast<std::size_t>(p) * kBlockSize; };
  const auto field = [&](int p) { return load(plane(p)); };
  const Pack gate = Kind::exploration_gate(sigmoid(field(kPlane<Kind, Field::logit_opacity>)));
  if (!any(gate > Pack(kLeastGate))) return;
  const hn::RebindToUnsigned<PackTag> tag;
  const auto draw = [&](std::uint32_t salt) {
    return normal_from(
        mixed(hn::Add(mixed(hn::Xor(counter, hn::Set(tag, salt))), hn::Set(tag, 0x9e3779b9u))));
  };
  const Vec3<Pack> normal{draw(0x68bc21ebu), draw(0x02e5be93u), draw(0x967a889bu)};
  const Vec3<Pack> mean = explored_mean(load_stored<Kind, Pack>(field), normal, gate, Pack(scale));
  store(mean.x, plane(kPlane<Kind, Field::mean_x>));
  store(mean.y, plane(kPlane<Kind, Field::mean_y>));
  store(mean.z, plane(kPlane<Kind, Field::mean_z>));
}

template <class Kind>
void move_blocks(const NoiseParams& params, std::size_t begin, std::size_t end) {
  const hn::RebindToUnsigned<PackTag> tag;
  const auto seed = static_cast<std::uint32_t>(params.seed ^ params.seed >> 32);
  for (std::size_t block = begin; block < end; ++block) {
    for (std::size_t first = 0; first < kBlockSize; first += kPackLanes) {
      const auto place = static_cast<std::uint32_t>(block * kBlockSize + first);
      move_pack<Kind>(params.geometry + block * Kind::kFieldCount * kBlockSize + first,
                      params.scale, hn::Add(hn::Iota(tag, place), mixed(hn::Set(tag, seed))));
    }
  }
}

}  // namespace

void add_noise(const NoiseParams& params, std::size_t begin, std::size_t end) {
  visit_kind(params.kind, [&]<class Kind>() { move_blocks<Kind>(params, begin, end); });
}

}  // namespace mote::MOTE_ISA
