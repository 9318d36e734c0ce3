// Deformation fields of splats: their parameters, and the clouds that they move.
#include "splats/deformation_values.h"

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

/// Away from the nodes in time, where velocities jump.
TEST(Deformation, VelocitiesAreThoseOfDifferences) {
  const SplatCloud cloud = random_deformed_cloud(70, 1, 5);
  const DeformationField& field = *cloud.deformation;
  const DeformationLayout layout = deformation_layout(field.config);
  const std::vector<double> parameters(field.parameters.begin(), field.parameters.end());
  DeformationValues<double> values(layout, parameters.data());
  constexpr double kTime_s = 0.8, kStep = 1e-6;
  const SplatCloud found = deformed_with_velocities(cloud, kTime_s);
  const SplatCloud moment = moment_of(cloud, kTime_s), shown = moment_of(found, kTime_s);
  ASSERT_EQ(shown.count(), cloud.count());
  const MotionBox<double> box{
      {double{field.low[0]}, double{field.low[1]}, double{field.low[2]}},
      {1 / double{field.high[0] - field.low[0]}, 1 / double{field.high[1] - field.low[1]},
       1 / double{field.high[2] - field.low[2]}},
      double{motion_box<float>(field).reach}};
  double fastest = 0;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const Vec3<double> place = place_in(
        box, Vec3<double>{double{cloud.at(i, Field::mean_x)}, double{cloud.at(i, Field::mean_y)},
                          double{cloud.at(i, Field::mean_z)}});
    const auto outputs_at = [&](double share) {
      const double* outputs = values.at({place.x, place.y, place.z, share});
      return std::vector<double>(outputs, outputs + 3);
    };
    const std::vector<double> more = outputs_at(kTime_s / 2 + kStep),
                              less = outputs_at(kTime_s / 2 - kStep);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto velocity =
          static_cast<Field>(static_cast<int>(Field::velocity_x) + static_cast<int>(axis));
      const double expected = box.reach * (more[axis] - less[axis]) / (2 * kStep) / 2;
      ASSERT_NEAR(found.at(i, velocity), expected, 1e-4) << i;
      fastest = std::max(fastest, std::abs(expected));
    }
    for (const Field own : moment.info().stored()) {
      ASSERT_NEAR(shown.at(i, own), moment.at(i, own), 1e-5) << i;
    }
    ASSERT_EQ(found.sh(i, 1, 2), cloud.sh(i, 1, 2));
  }
  EXPECT_GT(fastest, 0.1);
  const SplatCloud after = deformed_with_velocities(cloud, 2.5);
  EXPECT_EQ(after.at(3, Field::velocity_y), 0);
  // Files round the duration, so that the last moment may come after it.
  const SplatCloud last = deformed_with_velocities(cloud, 2 + 1e-9);
  EXPECT_NE(last.at(3, Field::velocity_y), 0);
  EXPECT_EQ(last.at(3, Field::velocity_y),
            deformed_with_velocities(cloud, 2).at(3, Field::velocity_y));
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
