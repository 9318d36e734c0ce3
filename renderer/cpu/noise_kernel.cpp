// The exploration noise of MCMC. Compiled once per instruction set.

#include "cpu/isa_kernels.h"
#include "lanes/pack_words.h"
#include "splats/density/exploration.h"
#include "splats/kinds/kinds.h"
#include "splats/motions/motions.h"

namespace mote::MOTE_ISA {
namespace {

template <class Kind, class Motion>
MOTE_LANE void move_pack(const NoiseParams& params, float* geometry, PackWords counter) {
  const auto plane = [&](int p) { return geometry + static_cast<std::size_t>(p) * kBlockSize; };
  const auto field = [&](int p) { return load(plane(p)); };
  Pack gate = Kind::exploration_gate(sigmoid(field(kPlane<Kind, Field::logit_opacity>)));
  if constexpr (Motion::kHasLife) {
    gate = gate * Motion::weight(load_stored<MovingKind<Kind, Motion>, Pack>(field),
                                 at_time(Pack(params.time_s)));
  }
  if (!any(gate > Pack(kLeastGate))) return;
  const Vec3<Pack> normal = exploration_normal<Pack>(counter);
  const Vec3<Pack> mean =
      explored_mean(load_stored<Kind, Pack>(field), normal, gate, Pack(params.scale));
  store(mean.x, plane(kPlane<Kind, Field::mean_x>));
  store(mean.y, plane(kPlane<Kind, Field::mean_y>));
  store(mean.z, plane(kPlane<Kind, Field::mean_z>));
}

template <class Kind, class Motion>
void move_blocks(const NoiseParams& params, std::size_t begin, std::size_t end) {
  constexpr std::size_t kStride = MovingKind<Kind, Motion>::kFieldCount * kBlockSize;
  for (std::size_t block = begin; block < end; ++block) {
    for (std::size_t first = 0; first < kBlockSize; first += kPackLanes) {
      const auto place = static_cast<std::uint32_t>(block * kBlockSize + first);
      move_pack<Kind, Motion>(params, params.geometry + block * kStride + first,
                              exploration_counter(words_from(place), params.seed));
    }
  }
}

}  // namespace

void add_noise(const NoiseParams& params, std::size_t begin, std::size_t end) {
  visit_moving(params.kind, params.motion,
               [&]<class Kind, class Motion>() { move_blocks<Kind, Motion>(params, begin, end); });
}

}  // namespace mote::MOTE_ISA
