#include "shared_wavefronts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include <cuda_host/block_words.h>

#include "block_memory.h"
#include "controls.h"
#include "schedule.h"

namespace cuda_host {
namespace {

constexpr unsigned kBanks = 32;
constexpr std::size_t kWord_bytes = 4, kWavefront_bytes = kBanks * kWord_bytes;

/// One access of a warp: the lanes' words; 0 for a lane that takes no part.
using LaneWords = std::array<std::uintptr_t, kWarp>;

/// The accesses of one instruction in the running block.
struct Accesses {
  std::size_t bytes = 0;                                          // of a lane
  std::array<std::uint32_t, kMaxThreads> counts{};                // by thread
  std::array<std::vector<LaneWords>, kMaxThreads / kWarp> warps;  // [warp][n-th access]
};

bool is_counting = false;
std::string counted_kernel;
std::unordered_map<const void*, Accesses> accesses;  // by instruction
std::map<std::string, SharedWavefronts> totals;      // by kernel

/// The wavefronts of the lanes [first, first + count).
unsigned wavefronts_of(const LaneWords& lanes, std::size_t first, std::size_t count,
                       std::size_t words_of_lane) {
  std::array<std::vector<std::uintptr_t>, kBanks> banks;
  std::size_t most = 0;
  for (std::size_t lane = first; lane < first + count; ++lane) {
    if (lanes[lane] == 0) continue;
    for (std::size_t k = 0; k < words_of_lane; ++k) {
      const std::uintptr_t word = lanes[lane] + k;
      std::vector<std::uintptr_t>& bank = banks[word % kBanks];
      if (std::find(bank.begin(), bank.end(), word) == bank.end()) bank.push_back(word);
      most = std::max(most, bank.size());
    }
  }
  return static_cast<unsigned>(most);
}

void add(const LaneWords& lanes, std::size_t bytes, SharedWavefronts& total) {
  const std::size_t words = std::max(bytes / kWord_bytes, std::size_t{1});
  const std::size_t together =
      std::min(std::size_t{kWarp}, kWavefront_bytes / (words * kWord_bytes));
  for (std::size_t first = 0; first < kWarp; first += together) {
    const unsigned needed = wavefronts_of(lanes, first, together, words);
    total.wavefronts += needed;
    total.without_conflicts += needed > 0 ? 1 : 0;
  }
}

}  // namespace

std::map<std::string, SharedWavefronts> shared_wavefronts() {
  return totals;
}

void forget_wavefronts() {
  totals.clear();
}

void start_wavefronts(const std::string& kernel, bool count) {
  is_counting = count;
  counted_kernel = kernel;
}

void end_wavefronts() {
  is_counting = false;
}

void start_wavefronts_of_block() {
  accesses.clear();
}

void end_wavefronts_of_block() {
  if (!is_counting) return;
  SharedWavefronts& total = totals[counted_kernel];
  for (const auto& [instruction, made] : accesses) {
    for (const std::vector<LaneWords>& warp : made.warps) {
      for (const LaneWords& lanes : warp) add(lanes, made.bytes, total);
    }
  }
  accesses.clear();
}

void note_shared_access(const void* address, std::size_t bytes, const void* instruction) {
  if (!is_counting || !is_shared_memory(address)) return;
  Accesses& made = accesses[instruction];
  made.bytes = bytes;
  const std::size_t n = made.counts[threadIdx.x]++;
  std::vector<LaneWords>& warp = made.warps[threadIdx.x / kWarp];
  if (warp.size() <= n) warp.resize(n + 1);
  warp[n][threadIdx.x % kWarp] = reinterpret_cast<std::uintptr_t>(address) / kWord_bytes;
}

}  // namespace cuda_host
