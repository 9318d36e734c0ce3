// Sets of splats, and the small memory of their changes.
#include "splats/splat_mask.h"

#include <gtest/gtest.h>

#include <random>

#include "splats/drawn_state.h"
#include "splats/mask_delta.h"

namespace mote {
namespace {

SplatMask random_mask(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  SplatMask mask(size);
  for (std::size_t i = 0; i < size; ++i) mask.set(i, random() % 3 == 0);
  return mask;
}

TEST(SplatMask, CountsAndListsItsSplats) {
  for (const std::size_t size : {0u, 1u, 63u, 64u, 65u, 1000u}) {
    EXPECT_EQ(SplatMask(size, true).count(), size);
    EXPECT_EQ(SplatMask(size).count(), 0u);
    EXPECT_FALSE(SplatMask(size).any());
    const SplatMask mask = random_mask(size, 1);
    const auto indices = mask.indices();
    EXPECT_EQ(indices.size(), mask.count());
    for (const auto i : indices) EXPECT_TRUE(mask.test(i));
  }
}

TEST(SplatMask, InvertingTwiceRestoresItAndNeverCountsPadding) {
  SplatMask mask = random_mask(70, 2);
  const SplatMask before = mask;
  mask.invert();
  EXPECT_EQ(mask.count(), 70 - before.count());
  for (std::size_t i = 0; i < 70; ++i) EXPECT_NE(mask.test(i), before.test(i));
  mask.invert();
  EXPECT_EQ(mask, before);
}

TEST(SplatMask, EveryOperationMatchesThatOfSets) {
  const SplatMask a = random_mask(300, 3), b = random_mask(300, 4);
  const auto combined = [&](MaskOperation operation) {
    SplatMask result = a;
    result.combine(b, operation);
    return result;
  };
  const SplatMask replaced = combined(MaskOperation::replace), added = combined(MaskOperation::add),
                  less = combined(MaskOperation::subtract),
                  both = combined(MaskOperation::intersect);
  for (std::size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(replaced.test(i), b.test(i));
    EXPECT_EQ(added.test(i), a.test(i) || b.test(i));
    EXPECT_EQ(less.test(i), a.test(i) && !b.test(i));
    EXPECT_EQ(both.test(i), a.test(i) && b.test(i));
  }
}

TEST(SplatMask, ResizingKeepsTheSplatsWithinTheNewSize) {
  SplatMask mask(60, true);
  mask.resize(200);
  EXPECT_EQ(mask.count(), 60u);
  EXPECT_FALSE(mask.test(60));
  mask.resize(10);
  EXPECT_EQ(mask.count(), 10u);
  mask.resize(60);
  EXPECT_EQ(mask.count(), 10u);
}

TEST(MaskDelta, ConvertsEitherSetIntoTheOther) {
  const SplatMask a = random_mask(5000, 5), b = random_mask(5000, 6);
  const MaskDelta delta(a, b);
  SplatMask mask = a;
  delta.toggle(mask);
  EXPECT_EQ(mask, b);
  delta.toggle(mask);
  EXPECT_EQ(mask, a);
  EXPECT_TRUE(MaskDelta(a, a).empty());
}

TEST(MaskDelta, StoresOnlyTheChange) {
  const SplatMask a(1 << 20);
  SplatMask b = a;
  for (std::size_t i = 1000; i < 2000; ++i) b.set(i, true);
  EXPECT_LT(MaskDelta(a, b).memory_bytes(), 200u);
  EXPECT_LT(MaskDelta(a, SplatMask(1 << 20, true)).memory_bytes(), (1u << 17) + 100);
}

TEST(SplatMask, GatheredBitsAreThoseOfTheHeldSplatsInOrder) {
  for (const std::size_t size : {0u, 1u, 64u, 65u, 1000u}) {
    const SplatMask held = random_mask(size, 4), mask = random_mask(size, 5);
    const SplatMask found = gathered(mask, held);
    const std::vector<std::uint32_t> splats = held.indices();
    ASSERT_EQ(found.size(), splats.size());
    for (std::size_t i = 0; i < splats.size(); ++i) {
      EXPECT_EQ(found.test(i), mask.test(splats[i])) << i;
    }
  }
}

}  // namespace
}  // namespace mote
