// Deformation fields in training, for each instruction set: values and gradients against the
// evaluation in double and its differences.
#include "cpu/cpu_deformation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "support/fake_training.h"
#include "support/random_field.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

constexpr std::size_t kSplats = 45;  // the last block is not full
constexpr double kShare = 0.37;

using Values = std::vector<double>;

class Deformations : public testing::TestWithParam<const IsaEntry*> {
 protected:
  Deformations()
      : field_(random_field(11)), layout_(deformation_layout(field_.config)), box_(box_of(field_)) {
    for (std::size_t i = 0; i < kSplats; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        means_.push_back(static_cast<double>(cloud_.at(i, static_cast<Field>(axis))));
      }
    }
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (std::size_t i = 0; i < kSplats * kGaussianFields; ++i) weights_.push_back(uniform(random));
  }

  static MotionBox<double> box_of(const DeformationField& field) {
    const MotionBox<float> box = motion_box<float>(field);
    const auto wide = [](Vec3<float> v) {
      return Vec3<double>{double{v.x}, double{v.y}, double{v.z}};
    };
    return {wide(box.low), wide(box.inverse_size), double{box.reach}};
  }

  /// Sum of the weighted offsets of all splats, as a function of parameters, means and time.
  double loss(const Values& parameters, const Values& means, double share) const {
    DeformationValues<double> values(layout_, parameters.data());
    double sum = 0;
    for (std::size_t i = 0; i < kSplats; ++i) {
      const auto place =
          place_in(box_, Vec3<double>{means[3 * i], means[3 * i + 1], means[3 * i + 2]});
      const double* outputs = values.at({place.x, place.y, place.z, share});
      for (int k = 0; k < kOffsets; ++k) {
        const auto weight = static_cast<double>(weights_[i * kGaussianFields + std::size_t(k)]);
        sum += weight * displaced(k, box_, 0.0, outputs[k]);
      }
    }
    return sum;
  }

  /// The weights as gradients by the moved splats.
  void fill_gradient(float* d_moved) const {
    for (std::size_t i = 0; i < kSplats; ++i) {
      for (std::size_t k = 0; k < kGaussianFields; ++k) {
        d_moved[(i / kBlockSize * kGaussianFields + k) * kBlockSize + i % kBlockSize] =
            weights_[i * kGaussianFields + k];
      }
    }
  }

  CpuDeformation deformation() { return CpuDeformation(field_, *GetParam()->kernels, pool_); }

  const DeformationField field_;
  const DeformationLayout layout_;
  const MotionBox<double> box_;
  const SplatCloud cloud_ = random_cloud(kSplats, 0, 5);
  Values means_;
  std::vector<float> weights_;
  ThreadPool pool_{2};
};

INSTANTIATE_TEST_SUITE_P(On, Deformations, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

TEST_P(Deformations, MoveSplatsAsTheReferenceDoes) {
  SplatCloud scene = with_sh_degree(cloud_, 0);
  scene.times.duration_s = 2;
  scene.deformation = std::make_shared<const DeformationField>(field_);
  const SplatCloud expected = deformed(scene, 2 * kShare);
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
  const Values parameters(field_.parameters.begin(), field_.parameters.end());
  constexpr double kStep = 1e-6;
  const auto difference = [&](Values& values, std::size_t i, const Values& of_means) {
    const double own = values[i];
    values[i] = own + kStep;
    const double more =
        &values == &of_means ? loss(parameters, values, kShare) : loss(values, of_means, kShare);
    values[i] = own - kStep;
    const double less =
        &values == &of_means ? loss(parameters, values, kShare) : loss(values, of_means, kShare);
    values[i] = own;
    return (more - less) / (2 * kStep);
  };
  Values expected;
  Values changed = parameters;
  for (std::size_t i = 0; i < parameters.size(); i += i < layout_.planes_first ? 1 : 7) {
    expected.push_back(difference(changed, i, means_));
  }
  double largest = 0;
  for (const double own : expected) largest = std::max(largest, std::abs(own));
  ASSERT_GT(largest, 0.1);
  std::size_t next = 0;
  for (std::size_t i = 0; i < parameters.size(); i += i < layout_.planes_first ? 1 : 7) {
    ASSERT_NEAR(moving.gradients()[i], expected[next++], 2e-5 * largest) << "parameter " << i;
  }
  Values of_means = means_;
  for (std::size_t i = 0; i < kSplats; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double found =
          static_cast<double>(d_means[(i / kBlockSize * 3 + axis) * kBlockSize + i % kBlockSize]);
      ASSERT_NEAR(found, difference(of_means, 3 * i + axis, of_means), 2e-4) << i;
    }
  }
  const double of_time =
      (loss(parameters, means_, kShare + kStep) - loss(parameters, means_, kShare - kStep)) /
      (2 * kStep);
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
