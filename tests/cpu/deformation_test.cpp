// Deformation fields in training, for each instruction set: values and gradients against the
// evaluation in double and its differences.
#include "cpu/cpu_deformation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/deformation_problem.h"
#include "support/fake_training.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

constexpr std::size_t kSplats = DeformationProblem::kSplats;
constexpr double kShare = DeformationProblem::kShare;

class Deformations : public testing::TestWithParam<const IsaEntry*> {
 protected:
  CpuDeformation deformation() { return CpuDeformation(field_, *GetParam()->kernels, pool_); }
  void fill_gradient(float* d_moved) const { problem_.fill_gradient(d_moved); }

  const DeformationProblem problem_;
  const DeformationField& field_ = problem_.field;
  const DeformationLayout& layout_ = problem_.layout;
  const SplatCloud& cloud_ = problem_.cloud;
  ThreadPool pool_{2};
};

INSTANTIATE_TEST_SUITE_P(On, Deformations, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

TEST_P(Deformations, MoveSplatsAsTheReferenceDoes) {
  const SplatCloud expected = deformed(problem_.scene(), 2 * kShare);
  CpuDeformation moving = deformation();
  const float* geometry = moving.move(cloud_, kShare);
  for (std::size_t i = 0; i < kSplats; ++i) {
    for (std::size_t k = 0; k < kGaussianFields; ++k) {
      const float found =
          geometry[(i / kBlockSize * kGaussianFields + k) * kBlockSize + i % kBlockSize];
      ASSERT_NEAR(found, expected.at(i, static_cast<Field>(k)), 2e-5) << i << ", " << k;
    }
  }
}

TEST_P(Deformations, GradientsAreThoseOfDifferences) {
  CpuDeformation moving = deformation();
  moving.move(cloud_, kShare);
  fill_gradient(moving.begin_gradient());
  const float* d_means = moving.differentiate();
  const std::vector<std::size_t> compared = problem_.compared();
  const std::vector<double> expected = problem_.by_parameters();
  const double largest = largest_of(expected);
  ASSERT_GT(largest, 0.1);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    ASSERT_NEAR(moving.gradients()[compared[i]], expected[i], 2e-5 * largest) << compared[i];
  }
  const std::vector<double> of_means = problem_.by_means();
  for (std::size_t i = 0; i < kSplats; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double found =
          static_cast<double>(d_means[(i / kBlockSize * 3 + axis) * kBlockSize + i % kBlockSize]);
      ASSERT_NEAR(found, of_means[3 * i + axis], 2e-4) << i;
    }
  }
  const double of_time = problem_.by_share();
  EXPECT_NEAR(moving.d_share(), of_time, 1e-3 * std::abs(of_time) + 1e-3);
}

TEST_P(Deformations, StepsAreTheSameForAnyNumberOfThreads) {
  const DeformationStep request{.network_rate = 1e-3f,
                                .plane_rate = 1e-2f,
                                .plane_smoothness = 1e-2f,
                                .time_smoothness = 1e-2f,
                                .time_sparsity = 1e-2f};
  std::vector<std::vector<float>> results;
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    CpuDeformation moving(field_, *GetParam()->kernels, pool);
    for (int step = 0; step < 4; ++step) {
      moving.move(cloud_, kShare);
      fill_gradient(moving.begin_gradient());
      moving.differentiate();
      moving.step(request);
    }
    results.push_back(moving.field().parameters);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_NE(results[0], field_.parameters);
}

TEST_P(Deformations, LossesOfThePlanesPullThemTo1) {
  CpuDeformation moving = deformation();
  for (int step = 0; step < 200; ++step) {
    moving.move(cloud_, kShare);
    moving.begin_gradient();
    moving.differentiate();
    moving.step({.plane_rate = 1e-2f, .time_sparsity = 1});
  }
  const std::vector<float> after = moving.field().parameters;
  const HexLevel& level = layout_.levels[1];
  const std::size_t in_space = layout_.planes_first + level.first[0];
  const std::size_t in_time = layout_.planes_first + level.first[4];
  EXPECT_EQ(after[in_space], field_.parameters[in_space]);
  EXPECT_GT(std::abs(field_.parameters[in_time] - 1), 0.03f);
  EXPECT_NEAR(after[in_time], 1, 0.02);
}

TEST_P(Deformations, ASavedStateGoesOn) {
  CpuDeformation whole = deformation();
  const auto step = [&](CpuDeformation& moving) {
    moving.move(cloud_, kShare);
    fill_gradient(moving.begin_gradient());
    moving.differentiate();
    moving.step({.network_rate = 1e-3f, .plane_rate = 1e-2f});
  };
  step(whole);
  MemoryBytes state;
  whole.save(state);
  step(whole);
  CpuDeformation resumed(random_field(1), *GetParam()->kernels, pool_);
  resumed.restore(state);
  step(resumed);
  EXPECT_EQ(whole.field().parameters, resumed.field().parameters);
  MemoryBytes other;
  whole.save(other);
  DeformationConfig larger = kTinyField;
  larger.neurons = 12;
  CpuDeformation different(random_field(1, larger), *GetParam()->kernels, pool_);
  EXPECT_THROW(different.restore(other), Error);
}

}  // namespace
}  // namespace mote
