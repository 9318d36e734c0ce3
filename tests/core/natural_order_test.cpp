// Names sorted as people count.
#include "core/natural_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace mote {
namespace {

TEST(NaturalOrder, CountsRunsOfDigitsAsNumbers) {
  const std::vector<std::string> sorted{"",
                                        "a",
                                        "a1",
                                        "a01b",
                                        "a2",
                                        "a2b",
                                        "a10",
                                        "a10_9",
                                        "a10_10",
                                        "b",
                                        "b1a",
                                        "b1b",
                                        "b99999999999999999999",
                                        "b100000000000000000000"};
  std::vector<std::string> names(sorted.rbegin(), sorted.rend());
  std::ranges::sort(names, naturally_before);
  EXPECT_EQ(names, sorted);
}

TEST(NaturalOrder, IsAStrictOrderOfNamesThatDifferOnlyInZeros) {
  EXPECT_NE(naturally_before("a1", "a01"), naturally_before("a01", "a1"));
  EXPECT_FALSE(naturally_before("a01", "a01"));
}

}  // namespace
}  // namespace mote
