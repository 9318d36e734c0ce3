// Planted races and missing barriers are found, and the corrected kernels are not reported.

#include <algorithm>
#include <set>
#include <span>
#include <string>

#include "cuda_host/launch_fixture.h"
#include "cuda_host/planted_races.h"

namespace cuda_host {
namespace {

constexpr unsigned kRaceThreads = 128;

std::span<const PlantedRace> planted_races() {
  return {kPlantedRaces, static_cast<std::size_t>(kPlantedRaceCount)};
}

/// The output of the kernel, and the status of the launch.
cudaError_t run_planted(RaceKernel kernel, std::uint64_t seed, bool check,
                        std::vector<unsigned>* result = nullptr, unsigned blocks_in_flight = 1) {
  reset();
  machine().schedule_seed = seed;
  machine().blocks_in_flight = blocks_in_flight;
  machine().check_accesses = check;
  const DeviceArray<unsigned> cells(kRaceThreads), out(kRaceThreads);
  const cudaError_t status = run({2, 64}, kernel, RaceParams{cells.data(), out.data()});
  if (result != nullptr) *result = out.values();
  return status;
}

class Races : public HostRun {
 protected:
  void SetUp() override {
    if (!accesses_can_be_checked()) GTEST_SKIP() << "kernels do not tell of their accesses";
  }
};

TEST_F(Races, every_planted_race_is_reported_in_every_order) {
  for (const PlantedRace& planted : planted_races()) {
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      EXPECT_EQ(run_planted(planted.wrong, seed, true, nullptr, 1 + seed % 2),
                cudaErrorLaunchFailure)
          << planted.name << ' ' << seed;
      EXPECT_NE(last_fault().find("RaceParams): a race: block "), std::string::npos)
          << last_fault();
    }
  }
}

TEST_F(Races, corrected_kernels_are_not_reported_in_any_order) {
  for (const PlantedRace& planted : planted_races()) {
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      EXPECT_EQ(run_planted(planted.right, seed, true, nullptr, 1 + seed % 2), cudaSuccess)
          << planted.name << ' ' << seed << ": " << last_fault();
    }
  }
}

TEST_F(Races, a_kernel_that_accesses_host_memory_is_reported_unless_it_is_pinned) {
  const DeviceArray<unsigned> out(kRaceThreads);
  unsigned* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, kRaceThreads * sizeof(unsigned)), cudaSuccess);
  EXPECT_EQ(run({2, 64}, kCopyCells, RaceParams{pinned, out.data()}), cudaSuccess) << last_fault();
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  std::vector<unsigned> host(kRaceThreads, 1);
  EXPECT_EQ(run({2, 64}, kCopyCells, RaceParams{host.data(), out.data()}), cudaErrorLaunchFailure);
  EXPECT_NE(last_fault().find("block 0, thread 0 touches memory of the host"), std::string::npos);
}

TEST_F(Races, a_misaligned_load_is_reported) {
  const DeviceArray<unsigned> cells(kRaceThreads + 1), out(kRaceThreads);
  EXPECT_EQ(run({2, 64}, kCopyPairs, RaceParams{cells.data(), out.data()}), cudaSuccess)
      << last_fault();
  EXPECT_EQ(run({2, 64}, kCopyPairs, RaceParams{cells.data() + 1, out.data()}),
            cudaErrorLaunchFailure);
  EXPECT_NE(last_fault().find("block 0, thread 0 accesses 8 bytes at "), std::string::npos)
      << last_fault();
}

TEST_F(Races, a_read_of_a_byte_that_nothing_has_written_is_reported) {
  unsigned *cells = nullptr, *copied = nullptr;
  ASSERT_EQ(cudaMalloc(&cells, kRaceThreads * sizeof(unsigned)), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&copied, kRaceThreads * sizeof(unsigned)), cudaSuccess);
  const DeviceArray<unsigned> out(kRaceThreads);
  auto* const bytes = reinterpret_cast<unsigned char*>(cells);
  constexpr std::size_t kLeftOut = 4 * 100 + 2;
  ASSERT_EQ(cudaMemset(bytes, 1, kLeftOut), cudaSuccess);
  ASSERT_EQ(cudaMemset(bytes + kLeftOut + 1, 1, kRaceThreads * 4 - kLeftOut - 1), cudaSuccess);
  // A copy does not define the byte.
  ASSERT_EQ(cudaMemcpy(copied, cells, kRaceThreads * 4, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(run({2, 64}, kCopyCells, RaceParams{copied, out.data()}), cudaErrorLaunchFailure);
  EXPECT_NE(last_fault().find("block 1, thread 36 reads "), std::string::npos) << last_fault();
  EXPECT_NE(last_fault().find("nothing has written"), std::string::npos) << last_fault();
}

TEST_F(Races, a_read_of_memory_that_is_written_byte_by_byte_is_not_reported) {
  unsigned* cells = nullptr;
  ASSERT_EQ(cudaMalloc(&cells, kRaceThreads * sizeof(unsigned)), cudaSuccess);
  for (std::size_t k = 0; k < kRaceThreads * sizeof(unsigned); ++k) {
    ASSERT_EQ(cudaMemset(reinterpret_cast<unsigned char*>(cells) + k, 1, 1), cudaSuccess);
  }
  const DeviceArray<unsigned> out(kRaceThreads);
  EXPECT_EQ(run({2, 64}, kCopyCells, RaceParams{cells, out.data()}), cudaSuccess) << last_fault();
}

TEST_F(Races, a_read_of_shared_memory_that_nothing_has_written_is_reported) {
  const DeviceArray<unsigned> cells(kRaceThreads), out(kRaceThreads);
  EXPECT_EQ(run({2, 64}, kCopyShared, RaceParams{cells.data(), out.data()}),
            cudaErrorLaunchFailure);
  EXPECT_NE(last_fault().find("nothing has written"), std::string::npos) << last_fault();
}

/// The count after 128 threads have incremented it.
unsigned count_of(RaceKernel kernel, std::uint64_t seed, unsigned blocks_in_flight) {
  reset();
  machine().schedule_seed = seed;
  machine().blocks_in_flight = blocks_in_flight;
  machine().check_accesses = false;
  const DeviceArray<unsigned> count(std::vector<unsigned>(1)), out(kRaceThreads);
  EXPECT_EQ(run({2, 64}, kernel, RaceParams{count.data(), out.data()}), cudaSuccess);
  return count.values()[0];
}

TEST_F(Races, threads_of_several_blocks_in_flight_are_interrupted) {
  const auto counts = std::ranges::find(planted_races(), std::string("count_threads"),
                                        [](const PlantedRace& planted) { return planted.name; });
  ASSERT_NE(counts, planted_races().end());
  unsigned lost = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    EXPECT_EQ(count_of(counts->wrong, seed, 1), kRaceThreads)
        << "without interruptions nothing is lost";
    EXPECT_EQ(count_of(counts->right, seed, 2), kRaceThreads);
    lost += kRaceThreads - count_of(counts->wrong, seed, 2);
  }
  EXPECT_GT(lost, 0u);
}

/// Found without a check of races: the result depends on the order.
class ShuffledOrders : public HostRun {
 protected:
  static std::size_t different_results(RaceKernel kernel) {
    std::set<std::vector<unsigned>> results;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      std::vector<unsigned> result;
      EXPECT_EQ(run_planted(kernel, seed, false, &result), cudaSuccess);
      results.insert(result);
    }
    return results.size();
  }
};

TEST_F(ShuffledOrders, a_missing_barrier_shows_in_the_result) {
  for (const PlantedRace& planted : planted_races().first(2)) {
    EXPECT_GT(different_results(planted.wrong), 1u) << planted.name;
    EXPECT_EQ(different_results(planted.right), 1u) << planted.name;
  }
}

}  // namespace
}  // namespace cuda_host
