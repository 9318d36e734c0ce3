// Texels as the device samples them: each instruction set against plain arithmetic.
#include "present/texels.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "present/enlarge_kernel.h"

namespace mote {
namespace {

using namespace present;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<const TexelKernels*> all_kernels() {
  std::size_t count = 0;
  const TexelKernels* const* kernels = texel_kernels(count);
  return {kernels, kernels + count};
}

std::vector<float> values(std::size_t count) {
  std::mt19937 random(11);
  std::vector<float> result(count);
  for (float& value : result) value = static_cast<float>(random() % 3000) / 1000 - 1;
  const float special[] = {kNan, kInfinity, -kInfinity, 0.0f, 1.0f, -0.0f, 70000.0f, 1e-9f};
  for (std::size_t i = 0; i < std::min(count, std::size(special)); ++i) result[i] = special[i];
  return result;
}

int png_level(float value) {
  return value > 0 ? static_cast<int>(std::min(value, 1.0f) * 255.0f + 0.5f) : 0;
}

double value_of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return (bits >> 15) != 0 ? -size : size;
}

TEST(Texels, EightBitsAreRoundedAsInPngFiles) {
  for (const TexelKernels* kernels : all_kernels()) {
    for (std::size_t count = 0; count < 40; ++count) {
      const std::vector<float> rgb = values(3 * count), alpha = values(count);
      for (const bool with_alpha : {false, true}) {
        std::vector<std::uint8_t> texels(4 * count + 1, 77);
        kernels->write_color8(rgb.data(), with_alpha ? alpha.data() : nullptr, count,
                              texels.data());
        for (std::size_t i = 0; i < count; ++i) {
          for (std::size_t c = 0; c < 3; ++c) {
            ASSERT_EQ(texels[4 * i + c], png_level(rgb[3 * i + c])) << kernels->name << ' ' << i;
          }
          ASSERT_EQ(texels[4 * i + 3], with_alpha ? png_level(alpha[i]) : 255);
        }
        ASSERT_EQ(texels[4 * count], 77) << "wrote behind its end";
      }
    }
  }
}

TEST(Texels, BlueComesFirstForBgrTargets) {
  const std::vector<float> rgb = values(3 * 21);
  for (const TexelKernels* kernels : all_kernels()) {
    std::array<std::uint8_t, 84> red_first{}, blue_first{};
    kernels->write_color8(rgb.data(), nullptr, 21, red_first.data());
    kernels->write_color8_blue_first(rgb.data(), nullptr, 21, blue_first.data());
    for (std::size_t i = 0; i < 84; i += 4) {
      std::swap(blue_first[i], blue_first[i + 2]);
    }
    EXPECT_EQ(red_first, blue_first) << kernels->name;
  }
  Image8 picture;
  picture.resize_discard(1, 1, 3);
  for (std::size_t c = 0; c < 3; ++c) picture.pixels[c] = static_cast<std::uint8_t>(c);
  std::array<std::uint8_t, 4> texel{};
  write_texels(picture, {reinterpret_cast<std::byte*>(texel.data()), 4, true});
  EXPECT_EQ(texel, (std::array<std::uint8_t, 4>{2, 1, 0, 255}));
}

TEST(Texels, HalfFloatsKeepTenBitsAndAreFinite) {
  for (const TexelKernels* kernels : all_kernels()) {
    for (std::size_t count = 0; count < 40; ++count) {
      const std::vector<float> rgb = values(3 * count), alpha = values(count);
      std::vector<std::uint16_t> texels(4 * count + 1, 77);
      kernels->write_color16(rgb.data(), alpha.data(), count, texels.data());
      for (std::size_t i = 0; i < 4 * count; ++i) {
        const float value = i % 4 == 3 ? alpha[i / 4] : rgb[3 * (i / 4) + i % 4];
        const double expected =
            std::isnan(value) ? 0.0 : std::clamp(static_cast<double>(value), -65504.0, 65504.0);
        ASSERT_NEAR(value_of_half(texels[i]), expected, std::abs(expected) / 1024 + 6e-8)
            << kernels->name;
      }
      ASSERT_EQ(texels[4 * count], 77) << "wrote behind its end";
    }
  }
}

TEST(Texels, EveryInstructionSetEnlargesAlike) {
  constexpr std::size_t kWidth = 13, kOut = 29;
  std::vector<float> rgb = values(4 * 3 * kWidth);
  for (float& value : rgb) value = std::isfinite(value) ? value : 0.5f;
  std::vector<FilterTaps> across(kOut);
  for (std::size_t x = 0; x < kOut; ++x) {
    across[x] = {x * (kWidth + 1) / kOut, {-0.1f, 0.7f, 0.5f, -0.1f}};
  }
  std::vector<float> scratch(enlarge_scratch(kWidth));
  std::vector<std::vector<std::uint8_t>> results;
  for (const TexelKernels* kernels : all_kernels()) {
    for (const bool blue_first : {false, true}) {
      results.emplace_back(4 * kOut);
      EnlargedRow row{.rows = {},
                      .weights = {-0.05f, 0.45f, 0.65f, -0.05f},
                      .width = kWidth,
                      .scratch = scratch.data(),
                      .across = across.data(),
                      .out_width = kOut,
                      .texels = results.back().data(),
                      .blue_first = blue_first};
      for (std::size_t k = 0; k < 4; ++k) row.rows[k] = rgb.data() + 3 * kWidth * k;
      kernels->enlarge_row(row);
      for (std::size_t i = 0; i < 4 * kOut; i += 4) {
        EXPECT_EQ(results.back()[i + 3], 255);
        if (blue_first) std::swap(results.back()[i], results.back()[i + 2]);
        for (std::size_t c = 0; c < 3; ++c) {
          EXPECT_NEAR(results.back()[i + c], results.front()[i + c], 1) << kernels->name;
        }
      }
    }
  }
}

TEST(Texels, RowsAreWrittenWithTheirStride) {
  Image image;
  image.resize_discard(5, 3, 3);
  for (std::size_t i = 0; i < 45; ++i) image.pixels[i] = static_cast<float>(i) / 255;
  constexpr std::size_t kStride = 32;
  std::vector<std::uint8_t> rows(3 * kStride, 77);
  write_texels(image, nullptr, TexelFormat::color8,
               {reinterpret_cast<std::byte*>(rows.data()), kStride});
  EXPECT_EQ(rows[4 * 4], 12);
  EXPECT_EQ(rows[4 * 5], 77) << "behind the row";
  EXPECT_EQ(rows[kStride], 15);
  EXPECT_EQ(rows[2 * kStride + 4 * 4 + 2], 44);
}

TEST(Texels, PicturesOfOneThreeAndFourChannelsBecomeColour) {
  for (const int channels : {1, 3, 4}) {
    Image8 picture;
    picture.resize_discard(2, 1, channels);
    for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
      picture.pixels[i] = static_cast<std::uint8_t>(10 * i + 5);
    }
    std::array<std::uint8_t, 8> texels{};
    write_texels(picture, {reinterpret_cast<std::byte*>(texels.data()), texels.size()});
    const auto at = [&](int i) { return picture.pixels[static_cast<std::size_t>(i)]; };
    EXPECT_EQ(texels[4], at(channels));
    EXPECT_EQ(texels[5], at(channels == 1 ? 1 : channels + 1));
    EXPECT_EQ(texels[6], at(channels == 1 ? 1 : channels + 2));
    EXPECT_EQ(texels[7], channels == 4 ? at(7) : 255);
  }
}

}  // namespace
}  // namespace mote
