// Kernels with planted conflicts of banks.

#include "cuda_host/shared_wavefronts.h"

#include "cuda_host/launch_fixture.h"
#include "cuda_host/planted_conflicts.h"

namespace cuda_host {
namespace {

using SharedWavefrontsTest = HostRun;

SharedWavefronts sum() {
  SharedWavefronts sum;
  for (const auto& [kernel, counted] : shared_wavefronts()) {
    sum.wavefronts += counted.wavefronts;
    sum.without_conflicts += counted.without_conflicts;
  }
  return sum;
}

TEST_F(SharedWavefrontsTest, planted_conflicts_are_counted) {
  if (!accesses_can_be_checked()) GTEST_SKIP() << "kernels do not report their accesses";
  for (int k = 0; k < kPlantedConflictCount; ++k) {
    const PlantedConflict& planted = kPlantedConflicts[k];
    reset();
    machine().counts_wavefronts = true;
    machine().check_accesses = false;  // they read what nothing has written
    const DeviceArray<unsigned> out(32);
    ASSERT_EQ(run({1, 32}, planted.kernel, ConflictParams{out.data()}), cudaSuccess)
        << planted.name << ": " << last_fault();
    EXPECT_EQ(sum().wavefronts, planted.wavefronts) << planted.name;
    EXPECT_EQ(sum().without_conflicts, planted.without_conflicts) << planted.name;
  }
}

TEST_F(SharedWavefrontsTest, nothing_is_counted_unless_asked_for) {
  const DeviceArray<unsigned> out(32);
  ASSERT_EQ(run({1, 32}, kPlantedConflicts[0].kernel, ConflictParams{out.data()}), cudaSuccess);
  EXPECT_TRUE(shared_wavefronts().empty());
}

}  // namespace
}  // namespace cuda_host
