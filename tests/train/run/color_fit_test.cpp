// PSNR after colour matching: the differences that it ignores, and those that it counts.
#include "train/run/color_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.h"
#include "train/run/exposures.h"
#include "train/run/metrics.h"

namespace mote {
namespace {

constexpr int kFitWidth = 70, kFitHeight = 150;  // several bands

Image random_image(std::uint64_t seed, float low, float high) {
  Image image;
  image.resize_discard(kFitWidth, kFitHeight, 3);
  Random random(seed);
  for (float& value : image.pixels.span()) {
    value = low + (high - low) * static_cast<float>(random.uniform());
  }
  return image;
}

Image image_of(float value, int channels) {
  Image image;
  image.resize_discard(kFitWidth, kFitHeight, channels);
  std::fill(image.pixels.span().begin(), image.pixels.span().end(), value);
  return image;
}

/// A camera that exposes longer and mixes the channels.
Image other_exposure(const Image& image) {
  Image result;
  result.resize_discard(kFitWidth, kFitHeight, 3);
  for (std::size_t i = 0; i < result.pixels.size(); i += 3) {
    const float r = image.pixels[i], g = image.pixels[i + 1], b = image.pixels[i + 2];
    result.pixels[i] = 1.2f * r + 0.05f * g - 0.02f;
    result.pixels[i + 1] = 0.1f * r + 0.9f * g + 0.01f;
    result.pixels[i + 2] = 0.8f * b + 0.06f;
  }
  return result;
}

TEST(ColorFit, IgnoresAnAffineMapOfColours) {
  const Image rendered = random_image(1, 0.1f, 0.7f), truth = other_exposure(rendered);
  EXPECT_LT(compare_images(rendered, truth, {}).psnr_db, 30);
  EXPECT_GT(color_corrected_psnr_db(rendered, truth, {}), 80);
}

TEST(ColorFit, CountsNoise) {
  const Image clean = random_image(2, 0.2f, 0.6f), noise = random_image(3, -0.05f, 0.05f);
  Image rendered = random_image(2, 0.2f, 0.6f);
  for (std::size_t i = 0; i < rendered.pixels.size(); ++i) rendered.pixels[i] += noise.pixels[i];
  const double plain_db = compare_images(rendered, clean, {}).psnr_db;
  const double corrected_db = color_corrected_psnr_db(rendered, clean, {});
  EXPECT_GE(corrected_db, plain_db);
  EXPECT_LT(corrected_db, plain_db + 0.5);
}

TEST(ColorFit, PixelsOutsideTheMaskDoNotCount) {
  const Image rendered = random_image(4, 0.1f, 0.7f);
  Image truth = other_exposure(rendered), mask;
  mask.resize_discard(kFitWidth, kFitHeight, 1);
  Random random(5);
  for (std::size_t i = 0; i < mask.pixels.size(); ++i) {
    mask.pixels[i] = random.below(3) == 0 ? 0.0f : 1.0f;
    if (mask.pixels[i] == 0) truth.pixels[3 * i] = 1;
  }
  EXPECT_LT(color_corrected_psnr_db(rendered, truth, {}), 30);
  EXPECT_GT(color_corrected_psnr_db(rendered, truth, mask), 80);
}

TEST(ColorFit, PicturesOfOneColourAreFitted) {
  const Image truth = random_image(6, 0.4f, 0.6f);
  const double corrected_db = color_corrected_psnr_db(image_of(0.9f, 3), truth, {});
  EXPECT_NEAR(corrected_db, -10 * std::log10(0.2 * 0.2 / 12),
              0.1);  // the variance of the photograph
}

TEST(ColorFit, AFittedExposureIsTheTrueOne) {
  Image rendered = random_image(11, 0.1f, 0.7f);
  const Image truth = other_exposure(rendered);
  apply_exposure(fitted_exposure(rendered, truth, {}), rendered);
  EXPECT_GT(compare_images(rendered, truth, {}).psnr_db, 50);
}

TEST(ColorFit, ColoursMissingInAPictureStayUnchanged) {
  const Exposure grey = fitted_exposure(image_of(0.5f, 3), image_of(0.4f, 3), {});
  // A picture of one colour leaves the map open; the smallest change treats all channels alike.
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_GT(grey[4 * c + c], 0.7);
    EXPECT_LT(grey[4 * c + c], 1.01);
  }
  EXPECT_EQ(fitted_exposure(image_of(0.5f, 3), image_of(0.4f, 3), image_of(0, 1)),
            kNeutralExposure);
}

TEST(ColorFit, AnEmptyMaskGivesNoResult) {
  const Image image = random_image(7, 0, 1);
  EXPECT_TRUE(std::isnan(color_corrected_psnr_db(image, image, image_of(0, 1))));
}

TEST(ColorFit, NanIsVisibleInTheResult) {
  Image rendered = random_image(8, 0, 1);
  const Image truth = random_image(8, 0, 1);
  rendered.pixels[100] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(color_corrected_psnr_db(rendered, truth, {})));
}

}  // namespace
}  // namespace mote
