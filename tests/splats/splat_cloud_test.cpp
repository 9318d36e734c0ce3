// The storage of splats: layout, padding, reordering, change of SH degree.
#include "splats/splat_cloud.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mote {
namespace {

SplatCloud numbered_cloud(std::size_t count, int degree) {
  SplatCloud cloud(count, degree);
  for (std::size_t i = 0; i < count; ++i) {
    for (int f = 0; f < kGaussianFields; ++f) {
      cloud.at(i, static_cast<Field>(f)) =
          static_cast<float>(i * 100 + static_cast<std::size_t>(f));
    }
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) {
        cloud.sh(i, k, c) = static_cast<float>(i) + 0.01f * static_cast<float>(k * 3 + c);
      }
    }
  }
  return cloud;
}

TEST(SplatCloud, LanesBehindTheLastSplatAreFullyTransparent) {
  const SplatCloud cloud(17, 1);
  ASSERT_EQ(cloud.block_count(), 2u);
  for (std::size_t i = 17; i < 32; ++i) {
    EXPECT_TRUE(std::isinf(cloud.at(i, Field::logit_opacity)));
    EXPECT_LT(cloud.at(i, Field::logit_opacity), 0.0f);
    EXPECT_EQ(cloud.at(i, Field::rotation_w), 1.0f);
  }
}

TEST(SplatCloud, ReorderingMovesEveryValueOfASplat) {
  const SplatCloud cloud = numbered_cloud(40, 2);
  const std::vector<std::uint32_t> order{39, 0, 17, 16, 15};
  const SplatCloud moved = reordered(cloud, order);
  ASSERT_EQ(moved.count(), order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (int f = 0; f < kGaussianFields; ++f) {
      EXPECT_EQ(moved.at(i, static_cast<Field>(f)), cloud.at(order[i], static_cast<Field>(f)));
    }
    for (int k = 0; k < cloud.sh_coefficients(); ++k) {
      for (int c = 0; c < 3; ++c) EXPECT_EQ(moved.sh(i, k, c), cloud.sh(order[i], k, c));
    }
  }
}

TEST(SplatCloud, ChangingTheDegreeKeepsLowerBandsAndZeroesNewOnes) {
  const SplatCloud cloud = numbered_cloud(20, 2);
  const SplatCloud lower = with_sh_degree(cloud, 1);
  const SplatCloud higher = with_sh_degree(cloud, 3);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    EXPECT_EQ(lower.at(i, Field::mean_z), cloud.at(i, Field::mean_z));
    for (int k = 0; k < lower.sh_coefficients(); ++k) {
      EXPECT_EQ(lower.sh(i, k, 1), cloud.sh(i, k, 1));
    }
    for (int k = 0; k < higher.sh_coefficients(); ++k) {
      EXPECT_EQ(higher.sh(i, k, 2), k < cloud.sh_coefficients() ? cloud.sh(i, k, 2) : 0.0f);
    }
  }
}

TEST(SplatCloud, ShrinkingInPlaceKeepsTheRestAndPadsAgain) {
  const SplatCloud before = numbered_cloud(40, 3);
  SplatCloud cloud = numbered_cloud(40, 3);
  cloud.copy_splat(39, 2);
  cloud.truncate(21);
  cloud.truncate_sh(1);
  ASSERT_EQ(cloud.count(), 21u);
  ASSERT_EQ(cloud.sh_degree(), 1);
  EXPECT_EQ(cloud.memory_bytes(), SplatCloud(21, 1).memory_bytes());
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const std::size_t source = i == 2 ? 39 : i;
    for (int f = 0; f < kGaussianFields; ++f) {
      EXPECT_EQ(cloud.at(i, static_cast<Field>(f)), before.at(source, static_cast<Field>(f)));
    }
    for (int k = 0; k < 4; ++k) {
      for (int c = 0; c < 3; ++c) EXPECT_EQ(cloud.sh(i, k, c), before.sh(source, k, c));
    }
  }
  for (std::size_t i = 21; i < 32; ++i) {
    EXPECT_EQ(cloud.at(i, Field::mean_x), 0.0f);
    EXPECT_LT(cloud.at(i, Field::logit_opacity), -1e30f);
    EXPECT_EQ(cloud.sh(i, 3, 2), 0.0f);
  }
}

TEST(SplatCloud, CanBecomeEmpty) {
  SplatCloud cloud = numbered_cloud(17, 1);
  cloud.truncate(0);
  EXPECT_EQ(cloud.count(), 0u);
  EXPECT_EQ(cloud.block_count(), 0u);
}

TEST(SplatCloud, JoinedCloudsHaveTheSplatsOfBothInOrder) {
  const SplatCloud first = numbered_cloud(37, 1), second = numbered_cloud(20, 2);
  const SplatCloud both = joined(first, second);
  ASSERT_EQ(both.count(), 57u);
  EXPECT_EQ(both.sh_degree(), 2);
  for (std::size_t i = 0; i < both.count(); ++i) {
    const SplatCloud& source = i < 37 ? first : second;
    const std::size_t own = i < 37 ? i : i - 37;
    for (const Field field : both.info().stored()) {
      EXPECT_EQ(both.at(i, field), source.at(own, field));
    }
    for (int k = 0; k < both.sh_coefficients(); ++k) {
      const float expected = k < source.sh_coefficients() ? source.sh(own, k, 1) : 0.0f;
      EXPECT_EQ(both.sh(i, k, 1), expected);
    }
  }
  EXPECT_LT(both.at(57, Field::logit_opacity), -1e30f) << "lanes behind the last splat";
}

}  // namespace
}  // namespace mote
