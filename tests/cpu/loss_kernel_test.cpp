// The loss kernel of each instruction set against the definition in double, and its gradient
// against finite differences of the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/buffer.h"
#include "core/random.h"
#include "support/reference/reference_loss.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

struct Found {
  LossSums sums;
  double loss = 0;
  std::vector<double> d_rendered;  // [h][w][3]
};

void add(LossSums& to, const LossSums& more) {
  to.absolute += more.absolute, to.ssim += more.ssim, to.squared += more.squared;
  for (std::size_t i = 0; i < 12; ++i) to.d_exposure[i] += more.d_exposure[i];
  for (std::size_t i = 0; i < 3; ++i) to.d_background_target[i] += more.d_background_target[i];
}

double sum_of_weights(const ReferenceLossInput& in) {
  if (in.mask.empty()) return static_cast<double>(in.width) * in.height;
  double sum = 0;
  for (const std::uint8_t w : in.mask) sum += w / 255.0;
  return sum;
}

/// Runs the kernel on planes with NaN in every byte outside the image.
Found run(const CpuKernels& kernels, const ReferenceLossInput& in, bool backwards = false) {
  LossParams params{};
  params.width = in.width, params.height = in.height;
  params.stride = plane_stride(in.width);
  const std::size_t plane = params.stride * static_cast<std::size_t>(in.height);
  Buffer<float> rendered(3 * plane), d_rendered(3 * plane), scratch(loss_scratch_floats(in.width));
  std::fill(rendered.span().begin(), rendered.span().end(),
            std::numeric_limits<float>::quiet_NaN());
  std::memset(d_rendered.data(), 0xff, 3 * plane * sizeof(float));
  std::memset(scratch.data(), 0xff, scratch.size() * sizeof(float));
  const auto place = [&](std::size_t pixel, std::size_t channel) {
    const auto width = static_cast<std::size_t>(in.width);
    return channel * plane + pixel / width * params.stride + pixel % width;
  };
  const std::size_t pixels = in.rendered.size() / 3;
  for (std::size_t i = 0; i < pixels * 3; ++i) {
    rendered[place(i / 3, i % 3)] = static_cast<float>(in.rendered[i]);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    params.rendered[c] = rendered.data() + c * plane;
    params.d_rendered[c] = d_rendered.data() + c * plane;
    params.background[c] = static_cast<float>(in.background[c]);
  }
  for (std::size_t i = 0; i < 12; ++i) params.exposure[i] = static_cast<float>(in.exposure[i]);
  params.photo = in.photo.data();
  params.photo_channels = in.channels;
  params.mask = in.mask.empty() ? nullptr : in.mask.data();
  params.ssim_weight = static_cast<float>(in.ssim_weight);
  const double weights = sum_of_weights(in);
  params.scale = static_cast<float>(1 / (3 * weights));

  std::vector<LossSums> bands(static_cast<std::size_t>((in.height - 1) / kLossBandRows + 1));
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const std::size_t band = backwards ? bands.size() - 1 - i : i;
    bands[band] = kernels.loss_band(params, static_cast<int>(band) * kLossBandRows, scratch.data());
  }
  Found found;
  for (const LossSums& band : bands) add(found.sums, band);
  const double lambda = in.ssim_weight, values = 3 * weights;
  found.loss = (1 - lambda) * found.sums.absolute / values +
               (lambda == 0 ? 0 : lambda * (1 - found.sums.ssim / values));
  for (std::size_t i = 0; i < pixels * 3; ++i) {
    found.d_rendered.push_back(static_cast<double>(d_rendered[place(i / 3, i % 3)]));
  }
  for (std::size_t c = 0; c < 3; ++c) {  // zeros up to the stride
    for (std::size_t y = 0; y < static_cast<std::size_t>(in.height); ++y) {
      for (std::size_t x = static_cast<std::size_t>(in.width); x < params.stride; ++x) {
        EXPECT_EQ(d_rendered[c * plane + y * params.stride + x], 0.0f);
      }
    }
  }
  return found;
}

struct Kind {
  const char* name;
  int width, height;
  bool mask, alpha, exposure;
  double noise;  // of the photograph, relative to the rendered picture
  double ssim_weight;
};

const Kind kKinds[] = {{"one_pixel", 1, 1, false, false, false, 0.2, 0.2},
                       {"tiny", 5, 3, false, true, false, 0.2, 0.2},
                       {"odd", 17, 33, false, false, false, 0.1, 0.2},
                       {"alike", 18, 37, false, false, false, 0.01, 0.5},
                       {"masked", 17, 45, true, false, false, 0.2, 0.2},
                       {"transparent", 33, 20, false, true, false, 0.2, 0.2},
                       {"exposed", 20, 34, false, false, true, 0.2, 0.2},
                       {"all_at_once", 29, 36, true, true, true, 0.3, 0.3},
                       {"l1_only", 19, 35, true, true, true, 0.3, 0},
                       {"ssim_only", 19, 35, true, true, true, 0.3, 1}};

/// A smooth picture and a noisy photograph of it.
ReferenceLossInput input_of(const Kind& kind, std::uint64_t seed = 3) {
  Random random(seed);
  ReferenceLossInput in;
  in.width = kind.width, in.height = kind.height, in.channels = kind.alpha ? 4 : 3;
  in.ssim_weight = static_cast<double>(static_cast<float>(kind.ssim_weight));
  for (int y = 0; y < kind.height; ++y) {
    for (int x = 0; x < kind.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        const double value =
            0.5 + 0.3 * std::sin(0.3 * x + c) * std::cos(0.2 * y) + 0.1 * (random.uniform() - 0.5);
        in.rendered.push_back(static_cast<double>(static_cast<float>(value)));
        const double photo = value + kind.noise * (random.uniform() - 0.5);
        in.photo.push_back(static_cast<std::uint8_t>(std::clamp(photo, 0.0, 1.0) * 255 + 0.5));
      }
      if (kind.alpha) {
        in.photo.push_back(static_cast<std::uint8_t>(random.below(3) == 0 ? random.below(256)
                                                                          : random.below(2) * 255));
      }
      if (kind.mask) {
        in.mask.push_back(static_cast<std::uint8_t>(
            random.below(4) == 0 ? random.below(256) : std::min(random.below(3), 1u) * 255));
      }
    }
  }
  in.background = {0.25, 0.5, 0.75};
  if (kind.exposure) {
    in.exposure = {1.125,  0.0625, -0.125, 0.03125, -0.03125, 0.875,
                   0.0625, 0.0625, 0.0,    0.125,   1.0,      -0.0625};
  }
  return in;
}

class LossKernel : public testing::TestWithParam<const IsaEntry*> {
 protected:
  const CpuKernels& kernels() const { return *GetParam()->kernels; }
};

INSTANTIATE_TEST_SUITE_P(EachIsa, LossKernel, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return info.param->kernels->name; });

TEST_P(LossKernel, SumsMatchTheDefinition) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    const ReferenceLossInput in = input_of(kind);
    const ReferenceLoss expected = reference_loss(in);
    const Found found = run(kernels(), in);
    const double values = 3 * expected.weights;
    EXPECT_NEAR(found.sums.absolute / values, expected.absolute / values, 1e-6);
    EXPECT_NEAR(found.sums.squared / values, expected.squared / values, 1e-6);
    EXPECT_NEAR(found.loss, expected.loss, 1e-5);
    if (in.ssim_weight != 0) {
      EXPECT_NEAR(found.sums.ssim / values, expected.ssim / values, 1e-5);
    }
  }
}

/// Central differences of the reference by one number. The step is small compared with the distance
/// from a kink of |x - y|.
double difference_by(ReferenceLossInput& in, double& at) {
  const double step = 1e-5, kept = at;
  at = kept + step;
  const double above = reference_loss(in).loss;
  at = kept - step;
  const double below = reference_loss(in).loss;
  at = kept;
  return (above - below) / (2 * step);
}

/// Moves the rendered picture away from the photograph, so that no difference crosses |x - y| = 0.
void step_off_kinks(ReferenceLossInput& in) {
  for (bool moved = true; moved;) {
    moved = false;
    const std::vector<double> x = exposed_picture(in), y = target_picture(in);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::abs(x[i] - y[i]) > 1e-3) continue;
      in.rendered[i] += 5e-3;
      moved = true;
    }
  }
}

TEST(LossGradient, ByTheRenderedColourMatchesTheDefinition) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    ReferenceLossInput in = input_of(kind);
    step_off_kinks(in);
    std::vector<Found> found;
    for (const IsaEntry* entry : usable_isas()) found.push_back(run(*entry->kernels, in));
    double largest = 0, worst = 0;
    for (const double d : found[0].d_rendered) largest = std::max(largest, std::abs(d));
    Random random(11);
    for (int round = 0; round < 24; ++round) {
      const std::size_t i = random.below(static_cast<std::uint32_t>(in.rendered.size()));
      const double expected = difference_by(in, in.rendered[i]);
      for (const Found& f : found) worst = std::max(worst, std::abs(expected - f.d_rendered[i]));
    }
    EXPECT_LT(worst, 2e-5 * largest);
  }
}

TEST(LossGradient, ByExposureAndBackgroundMatchesTheDefinition) {
  for (const Kind& kind : kKinds) {
    SCOPED_TRACE(kind.name);
    ReferenceLossInput in = input_of(kind);
    step_off_kinks(in);
    std::vector<double> expected;
    for (double& value : in.exposure) expected.push_back(difference_by(in, value));
    for (double& value : in.background) expected.push_back(difference_by(in, value));
    for (const IsaEntry* entry : usable_isas()) {
      const LossSums sums = run(*entry->kernels, in).sums;
      for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(sums.d_exposure[i], expected[i], 2e-6);
      for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_NEAR(sums.d_background_target[c], expected[12 + c], 2e-6);
      }
    }
  }
}

TEST_P(LossKernel, BandsDoNotDependOnTheirOrder) {
  const ReferenceLossInput in = input_of({"", 45, 130, true, true, true, 0.2, 0.2});
  const Found forwards = run(kernels(), in), backwards = run(kernels(), in, true);
  EXPECT_EQ(std::memcmp(&forwards.sums, &backwards.sums, sizeof(LossSums)), 0);
  EXPECT_EQ(forwards.d_rendered, backwards.d_rendered);
}

TEST_P(LossKernel, SumsOverAWholePhotographKeepTheirPrecision) {
  const ReferenceLossInput in = input_of({"", 270, 480, true, false, false, 0.1, 0.2});
  const ReferenceLoss expected = reference_loss(in);
  EXPECT_NEAR(run(kernels(), in).loss, expected.loss, 1e-5);
}

TEST_P(LossKernel, EqualPicturesHaveNoLossAndNoGradient) {
  ReferenceLossInput in = input_of({"", 35, 41, false, false, false, 0, 0.2});
  for (std::size_t i = 0; i < in.rendered.size(); ++i) {
    in.rendered[i] = static_cast<double>(static_cast<float>(in.photo[i]) * (1.0f / 255.0f));
  }
  const Found found = run(kernels(), in);
  EXPECT_EQ(found.sums.absolute, 0.0);
  EXPECT_NEAR(found.loss, 0.0, 1e-7);
  for (const double d : found.d_rendered) ASSERT_NEAR(d, 0.0, 1e-7);
}

TEST_P(LossKernel, AMaskOfZerosGivesZeros) {
  ReferenceLossInput in = input_of({"", 35, 41, true, false, false, 0.1, 0.2});
  std::fill(in.mask.begin() + 1, in.mask.end(), std::uint8_t{0});
  in.mask[0] = 255;
  const Found found = run(kernels(), in);
  for (std::size_t i = 0; i < in.rendered.size(); ++i) {
    const std::size_t x = i / 3 % 35, y = i / 3 / 35;
    if (x > 10u || y > 10u) {
      ASSERT_EQ(found.d_rendered[i], 0.0);
    }
  }
}

TEST_P(LossKernel, NonFinitePixelsShowInTheSumsAndStayLocal) {
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e30}) {
    ReferenceLossInput in = input_of({"", 45, 70, false, false, false, 0.1, 0.2});
    in.rendered[(20 * 45 + 22) * 3 + 1] = bad;
    const Found found = run(kernels(), in);
    EXPECT_FALSE(std::isfinite(found.loss) && found.loss < 1e3);
    EXPECT_TRUE(std::isfinite(found.d_rendered[(50 * 45 + 22) * 3 + 1]));
  }
}

}  // namespace
}  // namespace mote
