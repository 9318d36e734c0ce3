// The exploration noise of MCMC against its formula in double precision: a splat moves by
// covariance * normal * scale * sigmoid(-100 (opacity - 0.005)).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/mat3x3.hpp>
#include <string>
#include <vector>

#include "support/random_cloud.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

constexpr std::size_t kNoiseBlocks = 2500, kNoiseCount = kNoiseBlocks * kBlockSize;

glm::dvec3 mean_of(const SplatCloud& cloud, std::size_t i) {
  return {cloud.at(i, Field::mean_x), cloud.at(i, Field::mean_y), cloud.at(i, Field::mean_z)};
}

/// The displacement of each splat of the cloud; the call moves the cloud's means.
std::vector<glm::dvec3> displacements(const CpuKernels& kernels, SplatCloud& cloud, float scale,
                                      std::uint64_t seed) {
  std::vector<glm::dvec3> moved;
  for (std::size_t i = 0; i < cloud.count(); ++i) moved.push_back(-mean_of(cloud, i));
  const NoiseParams params{SplatKind::gaussian, cloud.geometry_block(0), scale, seed};
  kernels.add_noise(params, 0, kNoiseBlocks);
  for (std::size_t i = 0; i < cloud.count(); ++i) moved[i] += mean_of(cloud, i);
  return moved;
}

/// Splats at the origin, round, of size 1, with opacity 0: the gate is sigmoid(0.5).
SplatCloud unit_cloud() {
  SplatCloud cloud(kNoiseCount, 0);
  for (std::size_t i = 0; i < kNoiseCount; ++i) {
    for (int f = 0; f < kGaussianFields; ++f) cloud.at(i, static_cast<Field>(f)) = 0;
    cloud.at(i, Field::rotation_w) = 1;
    cloud.at(i, Field::logit_opacity) = -30;
  }
  return cloud;
}

double sigmoid_of(double x) {
  return 1 / (1 + std::exp(-x));
}

std::vector<glm::dvec3> normals(const CpuKernels& kernels, std::uint64_t seed) {
  SplatCloud cloud = unit_cloud();
  std::vector<glm::dvec3> found = displacements(kernels, cloud, 1, seed);
  for (glm::dvec3& n : found) n /= sigmoid_of(0.5);
  return found;
}

glm::dmat3 covariance_of(const SplatCloud& cloud, std::size_t i) {
  const auto value = [&](Field f) { return static_cast<double>(cloud.at(i, f)); };
  double w = value(Field::rotation_w), x = value(Field::rotation_x), y = value(Field::rotation_y),
         z = value(Field::rotation_z);
  const double length = std::sqrt(w * w + x * x + y * y + z * z);
  w /= length, x /= length, y /= length, z /= length;
  const glm::dmat3 rotation =
      glm::transpose(glm::dmat3(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                                2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                                2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)));
  glm::dmat3 variances(0);
  for (int axis = 0; axis < 3; ++axis) {
    variances[axis][axis] = std::exp(2 * value(static_cast<Field>(3 + axis)));
  }
  return rotation * variances * glm::transpose(rotation);
}

double gate_of(const SplatCloud& cloud, std::size_t i) {
  const double opacity = sigmoid_of(static_cast<double>(cloud.at(i, Field::logit_opacity)));
  return sigmoid_of(-100 * (opacity - 0.005));
}

class Noise : public ::testing::TestWithParam<std::string> {
 protected:
  const CpuKernels& kernels() const {
    const std::vector<const IsaEntry*> isas = usable_isas();
    const auto meant = [](const IsaEntry* isa) { return isa->kernels->name == GetParam(); };
    return *(*std::find_if(isas.begin(), isas.end(), meant))->kernels;
  }
};

INSTANTIATE_TEST_SUITE_P(EachIsa, Noise, ::testing::ValuesIn(usable_isa_names()),
                         [](const auto& info) { return info.param; });

TEST_P(Noise, MovesByCovarianceTimesNormalTimesGate) {
  constexpr std::uint64_t kSeed = 0x123456789abcdefULL;
  constexpr float kScale = 3;
  const std::vector<glm::dvec3> normal = normals(kernels(), kSeed);
  SplatCloud cloud = random_cloud(kNoiseCount, 0, 3);
  for (std::size_t i = 0; i < kNoiseCount; ++i) {
    // Most opacities are near the gate's edge. Means are at the origin, so that they take no
    // digits.
    cloud.at(i, Field::logit_opacity) = -9.0f + static_cast<float>(i % 100) * 0.09f;
    for (int axis = 0; axis < 3; ++axis) cloud.at(i, static_cast<Field>(axis)) = 0;
  }
  const std::vector<glm::dvec3> moved = displacements(kernels(), cloud, kScale, kSeed);
  double least_gate = 1, largest_gate = 0;
  for (std::size_t i = 0; i < kNoiseCount; ++i) {
    const glm::dmat3 covariance = covariance_of(cloud, i);
    const double gate = gate_of(cloud, i);
    least_gate = std::min(least_gate, gate);
    largest_gate = std::max(largest_gate, gate);
    const glm::dvec3 expected = covariance * normal[i] * static_cast<double>(kScale) * gate;
    const double size = static_cast<double>(kScale) * gate *
                        (covariance[0][0] + covariance[1][1] + covariance[2][2]);
    // Below a millionth of the full noise, the kernel may leave a splat in place.
    const double left_out = 1e-6 / std::max(gate, 1e-6);
    for (int axis = 0; axis < 3; ++axis) {
      ASSERT_NEAR(moved[i][axis], expected[axis], (1e-4 + 4 * left_out) * size) << i;
    }
  }
  EXPECT_LT(least_gate, 1e-6);
  EXPECT_GT(largest_gate, 0.6);
}

TEST_P(Noise, ComesFromUncorrelatedStandardNormals) {
  // The bounds are five standard deviations of each estimate.
  const double bound = 5 / std::sqrt(static_cast<double>(kNoiseCount));
  const std::vector<glm::dvec3> a = normals(kernels(), 1), b = normals(kernels(), 2);
  glm::dvec3 mean(0), of_seeds(0), of_neighbours(0);
  glm::dmat3 products(0);
  for (std::size_t i = 0; i < kNoiseCount; ++i) {
    mean += a[i];
    of_seeds += a[i] * b[i];
    of_neighbours += a[i] * a[(i + 1) % kNoiseCount];
    products += glm::outerProduct(a[i], a[i]);
  }
  const auto count = static_cast<double>(kNoiseCount);
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(mean[axis] / count, 0, bound);
    EXPECT_NEAR(of_seeds[axis] / count, 0, bound);
    EXPECT_NEAR(of_neighbours[axis] / count, 0, bound);
    for (int other = 0; other < 3; ++other) {
      EXPECT_NEAR(products[axis][other] / count, axis == other ? 1 : 0, 1.5 * bound);
    }
  }
}

TEST_P(Noise, HasTheSquareOfTheCovarianceOfItsSplat) {
  SplatCloud cloud = unit_cloud();
  const float shape[7] = {-0.2f, 0.1f, 0.4f, 0.9f, -0.3f, 0.2f, 0.4f};
  for (std::size_t i = 0; i < kNoiseCount; ++i) {
    for (int k = 0; k < 7; ++k) cloud.at(i, static_cast<Field>(3 + k)) = shape[k];
  }
  glm::dmat3 products(0);
  for (const glm::dvec3& d : displacements(kernels(), cloud, 2, 7)) {
    products += glm::outerProduct(d, d) / static_cast<double>(kNoiseCount);
  }
  const glm::dmat3 covariance = covariance_of(cloud, 0);
  const double factor = 2 * sigmoid_of(0.5);
  const glm::dmat3 expected = covariance * covariance * (factor * factor);
  const double trace = expected[0][0] + expected[1][1] + expected[2][2];
  const double bound = 10 / std::sqrt(static_cast<double>(kNoiseCount)) * trace;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) EXPECT_NEAR(products[c][r], expected[c][r], bound);
  }
}

TEST_P(Noise, LeavesOpaqueSplatsInPlace) {
  SplatCloud cloud = unit_cloud();
  for (std::size_t i = 0; i < kNoiseCount; ++i) cloud.at(i, Field::logit_opacity) = 0;
  for (const glm::dvec3& d : displacements(kernels(), cloud, 1e6f, 3)) {
    ASSERT_EQ(d, glm::dvec3(0));
  }
}

}  // namespace
}  // namespace mote
