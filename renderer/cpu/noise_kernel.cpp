// The exploration noise of MCMC. Compiled once per instruction set.

#include "cpu/isa_kernels.h"
#include "lanes/pack_words.h"
#include "splats/density/exploration.h"
#include "splats/kinds/kinds.h"

namespace mote::MOTE_ISA {
namespace {

template <class Kind>
MOTE_LANE void move_pack(float* geometry, float scale, PackWords counter) {
  const auto plane = [&](int p) { return geometry + static_cast<std::size_t>(p) * kBlockSize; };
  const auto field = [&](int p) { return load(plane(p)); };
  const Pack gate = Kind::exploration_gate(sigmoid(field(kPlane<Kind, Field::logit_opacity>)));
  if (!any(gate > Pack(kLeastGate))) return;
  const Vec3<Pack> normal = exploration_normal<Pack>(counter);
  const Vec3<Pack> mean = explored_mean(load_stored<Kind, Pack>(field), normal, gate, Pack(scale));
  store(mean.x, plane(kPlane<Kind, Field::mean_x>));
  store(mean.y, plane(kPlane<Kind, Field::mean_y>));
  store(mean.z, plane(kPlane<Kind, Field::mean_z>));
}

template <class Kind>
void move_blocks(const NoiseParams& params, std::size_t begin, std::size_t end) {
  for (std::size_t block = begin; block < end; ++block) {
    for (std::size_t first = 0; first < kBlockSize; first += kPackLanes) {
      const auto place = static_cast<std::uint32_t>(block * kBlockSize + first);
      move_pack<Kind>(params.geometry + block * Kind::kFieldCount * kBlockSize + first,
                      params.scale, exploration_counter(words_from(place), params.seed));
    }
  }
}

}  // namespace

void add_noise(const NoiseParams& params, std::size_t begin, std::size_t end) {
  visit_kind(params.kind, [&]<class Kind>() { move_blocks<Kind>(params, begin, end); });
}

}  // namespace mote::MOTE_ISA
