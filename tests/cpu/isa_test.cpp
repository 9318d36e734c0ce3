// The choice among instruction sets.
#include <gtest/gtest.h>

#include <array>

#include "cpu/kernels.h"

namespace mote {
namespace {

TEST(InstructionSets, TheLastOneThatRunsAndGainsIsTheBest) {
  const std::array<CpuKernels, 4> kernels{};
  const auto yes = [] { return true; };
  const auto no = [] { return false; };
  const std::array<IsaEntry, 4> entries{{{&kernels[0], yes, yes},
                                         {&kernels[1], yes, yes},
                                         {&kernels[2], yes, no},
                                         {&kernels[3], no, yes}}};
  EXPECT_EQ(best_kernels(entries.data(), 4), &kernels[1]);
  EXPECT_EQ(best_kernels(entries.data(), 1), &kernels[0]);
  EXPECT_EQ(best_kernels(entries.data() + 2, 2), nullptr);
}

}  // namespace
}  // namespace mote
