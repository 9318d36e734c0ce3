// The choice among instruction sets.
#include <gtest/gtest.h>

#include <array>
#include <string_view>

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

TEST(InstructionSets, OnlyVectorsOfBf16MayGainNothing) {
  std::size_t count = 0;
  const IsaEntry* entries = isa_table(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view name = entries[i].kernels->name;
    EXPECT_TRUE(name == "v4bf16" || entries[i].gains()) << name;
  }
}

}  // namespace
}  // namespace mote
