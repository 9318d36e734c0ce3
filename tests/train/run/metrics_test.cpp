#include "train/run/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/random.h"
#include "support/reference/reference_loss.h"

namespace mote {
namespace {

Image image_of(int width, int height, int channels, auto&& value) {
  Image image;
  image.resize_discard(width, height, channels);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = value(i);
  return image;
}

Image noise(int width, int height, std::uint64_t seed, double low = 0, double high = 1,
            int channels = 3) {
  Random random(seed);
  return image_of(width, height, channels,
                  [&](std::size_t) { return static_cast<float>(random.uniform(low, high)); });
}

std::vector<double> doubles(const Image& image) {
  std::vector<double> values;
  for (const float v : image.pixels.span()) values.push_back(static_cast<double>(v));
  return values;
}

TEST(Metrics, EqualPicturesHaveInfinitePsnr) {
  const Image picture = noise(40, 33, 1);
  const ImageQuality quality = compare_images(picture, picture, {});
  EXPECT_TRUE(std::isinf(quality.psnr_db) && quality.psnr_db > 0);
  EXPECT_NEAR(quality.ssim, 1.0, 1e-12);
  EXPECT_EQ(quality.pixels, 40.0 * 33);
}

TEST(Metrics, PsnrOfAConstantShiftFollowsItsSize) {
  const Image truth = noise(50, 20, 2, 0, 0.5);
  const Image shifted = image_of(50, 20, 3, [&](std::size_t i) { return truth.pixels[i] + 0.1f; });
  EXPECT_NEAR(compare_images(shifted, truth, {}).psnr_db, 20.0, 1e-4);
}

TEST(Metrics, SsimOfFlatPicturesIsTheirLuminanceTerm) {
  // Far from the borders, because the zeros outside the picture add variance.
  const Image dark = image_of(31, 31, 3, [](std::size_t) { return 0.25f; });
  const Image light = image_of(31, 31, 3, [](std::size_t) { return 0.75f; });
  Image middle = image_of(31, 31, 1, [](std::size_t) { return 0.0f; });
  middle.row(15)[15] = 1.0f;
  const double expected = (2 * 0.25 * 0.75 + 1e-4) / (0.25 * 0.25 + 0.75 * 0.75 + 1e-4);
  EXPECT_NEAR(compare_images(dark, light, middle).ssim, expected, 1e-9);
}

TEST(Metrics, AgreeWithTheDefinitionAtAnySize) {
  for (const auto& [width, height] : {std::pair{1, 1}, {5, 3}, {17, 33}, {64, 40}, {9, 70}}) {
    SCOPED_TRACE(std::to_string(width) + "x" + std::to_string(height));
    const Image rendered = noise(width, height, 3), truth = noise(width, height, 4);
    const ImageQuality quality = compare_images(rendered, truth, {});
    const std::vector<double> x = doubles(rendered), y = doubles(truth);
    double ssim = 0, squared = 0;
    for (const double s : reference_ssim(width, height, x, y)) ssim += s;
    for (std::size_t i = 0; i < x.size(); ++i) squared += (x[i] - y[i]) * (x[i] - y[i]);
    const auto values = static_cast<double>(x.size());
    EXPECT_NEAR(quality.ssim, ssim / values, 1e-9);
    EXPECT_NEAR(quality.psnr_db, -10 * std::log10(squared / values), 1e-9);
  }
}

TEST(Metrics, TheMaskWeightsPixels) {
  const Image rendered = noise(30, 40, 5), truth = noise(30, 40, 6);
  const Image mask = noise(30, 40, 7, 0, 1, 1);
  const std::vector<double> x = doubles(rendered), y = doubles(truth);
  const std::vector<double> ssim = reference_ssim(30, 40, x, y);
  double weight = 0, sum = 0, squared = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto w = static_cast<double>(mask.pixels[i / 3]);
    weight += w, sum += w * ssim[i], squared += w * (x[i] - y[i]) * (x[i] - y[i]);
  }
  const ImageQuality quality = compare_images(rendered, truth, mask);
  EXPECT_NEAR(quality.ssim, sum / weight, 1e-9);
  EXPECT_NEAR(quality.psnr_db, -10 * std::log10(squared / weight), 1e-9);
  EXPECT_NEAR(quality.pixels, weight / 3, 1e-9);
}

TEST(Metrics, RenderedValuesOutsideTheRangeAreClamped) {
  const Image truth = image_of(20, 20, 3, [](std::size_t i) { return i % 2 == 0 ? 1.0f : 0.0f; });
  const Image beyond = image_of(20, 20, 3, [](std::size_t i) { return i % 2 == 0 ? 7.0f : -3.0f; });
  EXPECT_NEAR(compare_images(beyond, truth, {}).ssim, 1.0, 1e-12);
}

TEST(Metrics, NanStaysNanAndAnEmptyMaskHasNoScore) {
  const Image truth = noise(20, 20, 8);
  Image broken = noise(20, 20, 9);
  broken.pixels[77] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(compare_images(broken, truth, {}).psnr_db));
  EXPECT_TRUE(std::isnan(compare_images(broken, truth, {}).ssim));
  const Image nothing = image_of(20, 20, 1, [](std::size_t) { return 0.0f; });
  const ImageQuality quality = compare_images(truth, truth, nothing);
  EXPECT_EQ(quality.pixels, 0.0);
  EXPECT_TRUE(std::isnan(quality.psnr_db) && std::isnan(quality.ssim));
}

TEST(Metrics, AbsoluteDifferencesCountByTheWeightsOfPixels) {
  const Image truth = noise(3, 1, 5, 0.2, 0.4);
  Image shifted = image_of(3, 1, 3, [&](std::size_t i) { return truth.pixels[i] + 0.1f; });
  EXPECT_NEAR(absolute_differences(shifted, truth, {}), 0.9, 1e-6);
  std::ranges::fill(shifted.pixels.span().subspan(0, 3), std::numeric_limits<float>::quiet_NaN());
  const std::vector<float> weights{0, 0.5f, 1};
  EXPECT_NEAR(absolute_differences(shifted, truth, weights), 0.45, 1e-6);
  std::ranges::fill(shifted.pixels.span(), 7.0f);
  const Image white = image_of(3, 1, 3, [](std::size_t) { return 1.0f; });
  EXPECT_EQ(absolute_differences(shifted, white, weights), 0) << "values are clamped";
}

}  // namespace
}  // namespace mote
