#include "cuda_host/planted_conflicts.h"

#include <iterator>

#include "cuda/runtime/dialect.h"

namespace cuda_host {
namespace {

struct Words {
  unsigned values[32 * 33];
};

struct Pairs {
  unsigned long long values[2 * 32];
};

/// Each lane writes one word, `STRIDE` words from its neighbour's.
template <unsigned STRIDE>
MOTE_KERNEL(32)
write_strided(ConflictParams) {
  mote::cuda::block_shared<Words>().values[threadIdx.x * STRIDE] = threadIdx.x;
}

/// The same with words of eight bytes.
template <unsigned STRIDE>
MOTE_KERNEL(32)
write_strided_pairs(ConflictParams) {
  mote::cuda::block_shared<Pairs>().values[threadIdx.x * STRIDE] = threadIdx.x;
}

/// Lanes in pairs read the same word.
MOTE_KERNEL(32) read_in_pairs(ConflictParams p) {
  p.out[threadIdx.x] = mote::cuda::block_shared<Words>().values[threadIdx.x / 2];
}

/// Each lane writes eight words, one row of a square after the other.
template <unsigned PITCH>
MOTE_KERNEL(32)
write_columns(ConflictParams) {
  Words& words = mote::cuda::block_shared<Words>();
  for (unsigned k = 0; k < 8; ++k) words.values[threadIdx.x * PITCH + k] = k;
}

}  // namespace

const PlantedConflict kPlantedConflicts[] = {
    {"side by side", write_strided<1>, 1, 1},
    {"every second bank", write_strided<2>, 2, 1},
    {"one bank", write_strided<32>, 32, 1},
    {"a pitch of 33", write_strided<33>, 1, 1},
    {"pairs side by side", write_strided_pairs<1>, 2, 2},
    {"every second pair", write_strided_pairs<2>, 4, 2},
    {"the same word", read_in_pairs, 1, 1},
    {"columns of a pitch of 32", write_columns<32>, 8 * 32, 8},
    {"columns of a pitch of 33", write_columns<33>, 8, 8},
};
const int kPlantedConflictCount = static_cast<int>(std::size(kPlantedConflicts));

}  // namespace cuda_host
