// The garden: the generator of large scenes for benchmarks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu/cpu_backend.h"
#include "splats.h"
#include "views.h"

namespace mote::garden {
namespace {

SplatCloud garden(std::size_t count, int threads = 2, std::uint64_t seed = 42) {
  ThreadPool pool(threads);
  return make_splats(count, 3, seed, pool);
}

std::vector<float> numbers_of(const SplatCloud& cloud) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int f = 0; f < kGaussianFields; ++f) numbers.push_back(cloud.at(i, static_cast<Field>(f)));
    for (int k = 0; k < cloud.sh_coefficients(); ++k) numbers.push_back(cloud.sh(i, k, k % 3));
  }
  return numbers;
}

/// The cost of one view of the garden, per pixel.
struct Load {
  double visible_share = 0, evaluations = 0, alpha = 0;
};

Load load_of(std::size_t count) {
  const auto backend = make_cpu_backend({.threads = 2, .isa = ""});
  const auto scene = backend->upload(garden(count));
  Load load;
  const std::vector<View> views = make_views(3, 192, 128);
  const auto share = 1.0 / static_cast<double>(views.size());
  for (const View& view : views) {
    RenderSettings settings;
    settings.outputs.alpha = true;
    Frame frame;
    const FrameStats stats = backend->render(*scene, view.camera, settings, frame);
    const auto pixels = static_cast<double>(frame.alpha.pixels.size());
    load.visible_share += share * static_cast<double>(stats.visible) / static_cast<double>(count);
    load.evaluations += share * static_cast<double>(stats.evaluations) / pixels;
    for (const float alpha : frame.alpha.pixels.span()) load.alpha += share * alpha / pixels;
  }
  return load;
}

TEST(Garden, DependsOnTheSeedButNotOnTheNumberOfThreads) {
  const std::vector<float> one = numbers_of(garden(10'000, 1));
  EXPECT_EQ(one, numbers_of(garden(10'000, 2)));
  EXPECT_NE(one, numbers_of(garden(10'000, 2, 43)));
}

TEST(Garden, HasTheRequestedNumberOfFiniteSplats) {
  const SplatCloud cloud = garden(5'003);
  EXPECT_EQ(cloud.count(), 5'003u);
  EXPECT_EQ(cloud.sh_degree(), 3);
  const std::vector<float> numbers = numbers_of(cloud);
  EXPECT_TRUE(
      std::all_of(numbers.begin(), numbers.end(), [](float x) { return std::isfinite(x); }));
}

TEST(Garden, OpacitiesAndShapesResembleTrainedScenes) {
  const SplatCloud cloud = garden(20'000);
  std::vector<float> logits, ratios;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    logits.push_back(cloud.at(i, Field::logit_opacity));
    ratios.push_back(cloud.at(i, Field::log_scale_x) - cloud.at(i, Field::log_scale_y));
  }
  const auto median = [](std::vector<float>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
  };
  EXPECT_NEAR(median(logits), -0.6, 0.4);
  EXPECT_NEAR(median(ratios), 1.28, 0.15);
}

TEST(Garden, FillsThePictureWithTheSameLoadForAnyNumberOfSplats) {
  const Load few = load_of(20'000), more = load_of(80'000);
  for (const Load& load : {few, more}) {
    EXPECT_GT(load.alpha, 0.9);
    EXPECT_GT(load.visible_share, 0.2);
    EXPECT_LT(load.visible_share, 0.9);
  }
  EXPECT_NEAR(more.visible_share, few.visible_share, 0.1);
  EXPECT_GT(more.evaluations, 0.4 * few.evaluations);
  EXPECT_LT(more.evaluations, 1.6 * few.evaluations);
}

}  // namespace
}  // namespace mote::garden
