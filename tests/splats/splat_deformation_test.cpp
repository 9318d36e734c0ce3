// Deformation fields of splats: their parameters, and the clouds that they move.
#include "splats/deformation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "splats/moment.h"
#include "support/random_field.h"

namespace mote {
namespace {

TEST(Deformation, ANewFieldMovesNothing) {
  SplatCloud cloud = random_deformed_cloud(100, 1, 3);
  cloud.deformation = std::make_shared<const DeformationField>(
      initial_deformation(DeformationConfig(), {-1, -1, -1}, {1, 1, 1}, 7));
  const SplatCloud moment = moment_of(cloud, 1.3);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : cloud.info().stored()) {
      ASSERT_EQ(moment.at(i, field), cloud.at(i, field));
    }
  }
}

TEST(Deformation, TheMomentHasTheOffsetsOfTheField) {
  const SplatCloud cloud = random_deformed_cloud(70, 2, 5);
  const DeformationField& field = *cloud.deformation;
  const DeformationLayout layout = deformation_layout(field.config);
  const std::vector<double> parameters(field.parameters.begin(), field.parameters.end());
  DeformationValues<double> values(layout, parameters.data());
  std::vector<std::uint32_t> source;
  const SplatCloud moment = moment_of(cloud, 0.5, &source);
  EXPECT_EQ(moment.deformation, nullptr);
  EXPECT_FALSE(moment.moves());
  EXPECT_TRUE(cloud.moves());
  double moved = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    EXPECT_EQ(source[i], i);
    double place[kHexAxes] = {0, 0, 0, 0.25};
    double reach = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double low = static_cast<double>(field.low[axis]),
                   side = static_cast<double>(field.high[axis]) - low;
      const auto mean = static_cast<Field>(axis);
      place[axis] = (static_cast<double>(cloud.at(i, mean)) - low) / side;
      reach = std::max(reach, side / 2);
    }
    const double* outputs = values.at(place);
    for (int k = 0; k < kOffsets; ++k) {
      const auto stored = static_cast<Field>(k);
      const double offset = outputs[k] * (k < 3 ? reach : 1);
      ASSERT_NEAR(moment.at(i, stored), static_cast<double>(cloud.at(i, stored)) + offset, 1e-4);
      if (k < 3) moved += std::abs(offset);
    }
    ASSERT_EQ(moment.at(i, Field::logit_opacity), cloud.at(i, Field::logit_opacity));
    ASSERT_EQ(moment.sh(i, 5, 1), cloud.sh(i, 5, 1));
  }
  EXPECT_GT(moved / 210, 0.01);
}

TEST(Deformation, TimesOutsideOfTheSceneAreItsEnds) {
  const SceneTimes times{.duration_s = 4, .frames_per_second = 0};
  EXPECT_EQ(time_share(times, 1), 0.25);
  EXPECT_EQ(time_share(times, -1), 0);
  EXPECT_EQ(time_share(times, 9), 1);
  EXPECT_EQ(time_share({}, 1), 0);
}

TEST(Deformation, NetworksOfUnusableSizesAreRefused) {
  for (const auto& [neurons, layers] :
       {std::pair(0, 1), std::pair(6, 1), std::pair(260, 1), std::pair(64, 0), std::pair(64, 5)}) {
    EXPECT_THROW(deformation_layout({.planes = {}, .neurons = neurons, .hidden_layers = layers}),
                 Error);
  }
}

TEST(Deformation, CopiesOfACloudKeepTheField) {
  const SplatCloud cloud = random_deformed_cloud(40, 1, 3);
  EXPECT_EQ(reordered(cloud, {3, 1}).deformation, cloud.deformation);
  EXPECT_EQ(with_sh_degree(cloud, 2).deformation, cloud.deformation);
  EXPECT_EQ(joined(cloud, cloud).deformation, cloud.deformation);
  EXPECT_NO_THROW(check_alike(cloud, with_sh_degree(cloud, 0)));
  EXPECT_THROW(check_alike(cloud, random_cloud(3, 1, 1)), Error);
}

}  // namespace
}  // namespace mote
