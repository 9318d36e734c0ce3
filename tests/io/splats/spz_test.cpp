// .spz: all versions and degrees, axes and SH signs, what is written, refusals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/error.h"
#include "io/splats/scene_format.h"
#include "lanes/scalar.h"
#include "math/spherical_harmonics.h"
#include "splats/transform.h"
#include "support/files/format_samples.h"

namespace mote {
namespace {

using samples::difference;
using samples::error_of;
using samples::gzipped;
using samples::load;
using samples::spz4_file;
using samples::spz_content;
using samples::spz_file;
using samples::TemporaryFile;
using samples::Tolerance;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Half a step of each code, plus rounding.
Tolerance tolerance_of(std::uint32_t version) {
  return {.mean = version == 1 ? 0.5f / 512 : 0.5f / 4096 + 1e-6f,
          .log_scale = 0.5f / 16 + 1e-5f,
          .rotation = version < 3 ? 0.12f : 0.003f,  // w carries the errors of x, y and z
          .opacity = 0.5f / 255 + 1e-5f,
          .dc = 0.5f / 255 / 0.15f + 1e-4f,
          .sh = 0.5f / 128 + 1e-5f};
}

template <class T>
std::string with_value(std::string content, std::size_t offset, T value) {
  std::memcpy(content.data() + offset, &value, sizeof value);
  return content;
}

TEST(Spz, EveryVersionAndDegreeIsReadWithinItsQuantisation) {
  for (std::uint32_t version = 1; version <= 4; ++version) {
    for (int degree = 0; degree <= 4; ++degree) {
      SplatCloud cloud = samples::random_cloud(100, degree, version);
      cloud.antialiased = degree % 2 == 0;
      const SplatCloud found = load(spz_file(cloud, version));
      EXPECT_EQ(difference(cloud, found, tolerance_of(version)), "")
          << "version " << version << ", degree " << degree;
      EXPECT_TRUE(found.warnings.empty());
    }
  }
}

TEST(Spz, SplatsKeepTheirColourFromEveryDirectionWhenAxesChange) {
  // The file's coefficients describe colour in the file's frame, where y and z have the opposite
  // direction.
  SplatCloud as_stored = samples::random_cloud(1, 4, 9);
  const std::string file = spz_file(as_stored, 3);
  const SplatCloud found = load(file);
  // Undoes the sign changes of the samples' encoder, found from its codes.
  const std::string content = spz_content(as_stored, 3);
  for (int k = 1; k < 25; ++k) {
    for (int c = 0; c < 3; ++c) {
      const auto code = static_cast<std::uint8_t>(
          content[content.size() - 72 + static_cast<std::size_t>((k - 1) * 3 + c)]);
      as_stored.sh(0, k, c) = (static_cast<float>(code) - 128) / 128;
    }
  }
  std::mt19937 random(1);
  for (int trial = 0; trial < 50; ++trial) {
    float d[3], squares = 0;
    for (float& axis : d) {
      axis = samples::uniform(random, -1, 1);
      squares += axis * axis;
    }
    for (float& axis : d) axis /= std::sqrt(squares);
    float ours[25], theirs[25];
    sh_basis<4>(Vec3<float>{d[0], d[1], d[2]}, ours);
    sh_basis<4>(Vec3<float>{d[0], -d[1], -d[2]}, theirs);
    float colour = 0, expected = 0;
    for (int k = 1; k < 25; ++k) {
      colour += found.sh(0, k, 1) * ours[k];
      expected += as_stored.sh(0, k, 1) * theirs[k];
    }
    EXPECT_NEAR(colour, expected, 1e-4f);
  }
}

TEST(Spz, TheCoordinateExtensionDeterminesTheAxes) {
  const SplatCloud cloud = samples::random_cloud(20, 3, 4);
  const auto extended = [&](std::uint32_t system) {
    const std::uint32_t record[] = {0xadbe0003, 4, system};
    const std::uint32_t other[] = {0x12340001, 4, 77};
    std::string bytes(reinterpret_cast<const char*>(other), sizeof other);
    bytes.append(reinterpret_cast<const char*>(record), sizeof record);
    return load(spz4_file(cloud, bytes));
  };
  constexpr std::uint32_t kRightUpBack = 4, kRightDownFront = 6, kRightFrontUp = 13;
  EXPECT_EQ(difference(cloud, extended(kRightUpBack), tolerance_of(4)), "");
  const SplatCloud kept = extended(kRightDownFront);
  EXPECT_NEAR(kept.at(3, Field::mean_y), -cloud.at(3, Field::mean_y), 1e-3f);
  EXPECT_TRUE(kept.warnings.empty());
  EXPECT_EQ(extended(kRightFrontUp).warnings.size(), 1u);
}

TEST(Spz, AxesNamedAfterGzippedSplatsAreReported) {
  const SplatCloud cloud = samples::random_cloud(20, 1, 4);
  for (const std::uint32_t system : {4u, 6u}) {
    const std::uint32_t record[] = {0xadbe0003, 4, system};
    std::string content = with_value(spz_content(cloud, 3), 14, std::uint8_t{2});
    content.append(reinterpret_cast<const char*>(record), sizeof record);
    EXPECT_EQ(load(gzipped(content)).warnings.size(), system == 6 ? 1u : 0u);
  }
}

TEST(Spz, AWrittenFileIsReadBackWithinTheStatedQuantisation) {
  for (int degree = 0; degree <= 4; ++degree) {
    SplatCloud cloud = samples::random_cloud(100, degree, 5);
    cloud.antialiased = degree % 2 == 0;
    const TemporaryFile file(".spz");
    save_scene(cloud, file.path());
    Tolerance within = tolerance_of(3);
    within.sh = 0.5f / 8 + 0.5f / 128 + 1e-5f;  // 4 bits above degree 1, rounded twice
    EXPECT_EQ(difference(cloud, load_scene(file.path()), within), "") << degree;
  }
}

TEST(Spz, LargeScenesAreWrittenCoarser) {
  SplatCloud cloud = samples::random_cloud(4, 0, 6);
  cloud.at(2, Field::mean_x) = 100000;
  const TemporaryFile file(".spz");
  save_scene(cloud, file.path());
  const SplatCloud found = load_scene(file.path());
  EXPECT_NEAR(found.at(2, Field::mean_x), 100000, 0.01);
  EXPECT_NEAR(found.at(1, Field::mean_x), cloud.at(1, Field::mean_x), 0.01);
  cloud.at(2, Field::mean_x) = 1e9f;
  EXPECT_THROW(save_scene(cloud, file.path()), Error);
}

/// samples::random_cloud() shrunk by `scale`, with splat sizes in proportion.
SplatCloud scaled_cloud(double scale) {
  SplatCloud cloud = samples::random_cloud(200, 0, 6);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field f : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
      cloud.at(i, f) = -3 - static_cast<float>(i % 10) / 10;
    }
  }
  transform(cloud, {.scale = scale});
  return cloud;
}

TEST(Spz, SmallScenesKeepTheirRelativePrecision) {
  constexpr double kSmallestSize = 0.02;  // of a splat at scale 1: exp(-3.9)
  for (const double scale : {1.0, 0.1, 0.01}) {
    const SplatCloud cloud = scaled_cloud(scale);
    const TemporaryFile file(".spz");
    EXPECT_TRUE(save_scene(cloud, file.path()).empty());
    const SplatCloud found = load_scene(file.path());
    double worst = 0;
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      for (const Field f : {Field::mean_x, Field::mean_y, Field::mean_z}) {
        const auto error = static_cast<double>(cloud.at(i, f) - found.at(i, f));
        worst = std::max(worst, std::abs(error));
      }
    }
    EXPECT_LE(worst, kSmallestSize * scale / 16) << scale;
  }
}

TEST(Spz, LossesBeyondTheUsualPrecisionAreReported) {
  const TemporaryFile file(".spz");
  const auto warning_of = [&](const SplatCloud& cloud) {
    const std::vector<std::string> warnings = save_scene(cloud, file.path());
    return warnings.size() == 1 ? warnings[0] : fmt::format("{} warnings", warnings.size());
  };
  const auto expect = [&](const SplatCloud& cloud, const std::string& phrase) {
    const std::string warning = warning_of(cloud);
    EXPECT_NE(warning.find(phrase), std::string::npos) << warning;
  };
  expect(scaled_cloud(1e-4), "are thinner than 4.5e-05");
  expect(scaled_cloud(1e4), "are larger than 379");
  SplatCloud far = scaled_cloud(1);
  far.at(3, Field::mean_y) = 4e6f;
  expect(far, "a splat is 4e+06 away from the origin");
  SplatCloud unturned = scaled_cloud(1);
  for (const Field f :
       {Field::rotation_w, Field::rotation_x, Field::rotation_y, Field::rotation_z}) {
    unturned.at(7, f) = 0;
  }
  expect(unturned, "1 of 200 splats have values that are not finite or a rotation of length zero");
  EXPECT_EQ(load_scene(file.path()).at(7, Field::logit_opacity), -kInfinity);
}

TEST(Spz, SplatsThatSpzCannotStoreAreWrittenAsAbsent) {
  SplatCloud cloud = samples::random_cloud(6, 1, 7);
  cloud.at(0, Field::mean_x) = std::numeric_limits<float>::quiet_NaN();
  cloud.at(1, Field::rotation_w) = kInfinity;
  cloud.at(2, Field::log_scale_y) = -kInfinity;
  cloud.at(3, Field::logit_opacity) = kInfinity;
  cloud.at(4, Field::logit_opacity) = std::numeric_limits<float>::quiet_NaN();
  cloud.sh(5, 1, 1) = std::numeric_limits<float>::quiet_NaN();
  const TemporaryFile file(".spz");
  save_scene(cloud, file.path());
  const SplatCloud found = load_scene(file.path());
  EXPECT_TRUE(found.warnings.empty());
  for (const std::size_t i : {0u, 1u, 4u}) EXPECT_EQ(found.at(i, Field::logit_opacity), -kInfinity);
  EXPECT_EQ(found.at(2, Field::log_scale_y), -10);
  EXPECT_GT(found.at(2, Field::logit_opacity), -kInfinity);
  EXPECT_EQ(found.at(3, Field::logit_opacity), kInfinity);
  EXPECT_EQ(found.sh(5, 1, 1), 0);
}

TEST(Spz, NonFiniteHalfFloatsAreKeptAndReported) {
  std::string content = spz_content(samples::random_cloud(3, 0, 8), 1);
  content = with_value(content, 16, std::uint16_t{0x7e00});  // NaN
  content = with_value(content, 22, std::uint16_t{0x7c00});  // infinity
  const SplatCloud found = load(gzipped(content));
  EXPECT_TRUE(std::isnan(found.at(0, Field::mean_x)));
  EXPECT_EQ(found.at(1, Field::mean_x), kInfinity);
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_NE(found.warnings[0].find("2 of 3"), std::string::npos);
}

TEST(Spz, HostileCountsAreRefusedBeforeAllocation) {
  const SplatCloud cloud = samples::random_cloud(50, 1, 10);
  for (const std::uint32_t count : {51u, 1000000u, 4294967295u}) {
    for (std::uint32_t version = 1; version <= 3; ++version) {
      const std::string file = gzipped(with_value(spz_content(cloud, version), 8, count));
      EXPECT_NE(error_of(file).problem().find("truncated"), std::string::npos);
      // The length at the end of the file agrees with the count, so only inflating reveals the
      // fault.
      const std::size_t bytes = version == 1 ? 25 : version == 2 ? 28 : 29;
      const auto length = static_cast<std::uint32_t>(16 + count * bytes);
      const Error forged = error_of(with_value(file, file.size() - 4, length));
      EXPECT_NE(forged.problem(), "") << count;
    }
    const Error error = error_of(with_value(spz_file(cloud, 4), 8, count));
    EXPECT_NE(error.problem().find("truncated"), std::string::npos) << error.what();
  }
}

TEST(Spz, DamagedHeadersAreErrorsThatNameFileAndRemedy) {
  const SplatCloud cloud = samples::random_cloud(50, 1, 11);
  const std::string content = spz_content(cloud, 3), four = spz_file(cloud, 4);
  const std::string damaged[] = {
      gzipped(with_value(content, 4, std::uint32_t{5})),    // version
      gzipped(with_value(content, 4, std::uint32_t{4})),    // version of zstd within gzip
      gzipped(with_value(content, 8, std::uint32_t{0})),    // count
      gzipped(with_value(content, 12, std::uint8_t{5})),    // SH degree
      gzipped(with_value(content, 13, std::uint8_t{200})),  // fractional bits
      with_value(four, 4, std::uint32_t{3}),                // version
      with_value(four, 12, std::uint8_t{2}),                // SH degree
      with_value(four, 15, std::uint8_t{1}),                // streams
      with_value(four, 16, std::uint32_t{31}),              // table of contents
      with_value(four, 16, std::uint32_t{0xffffffff}),      // table of contents
      with_value(four, 32, std::uint64_t{1} << 63),         // compressed size
      with_value(four, 40, std::uint64_t{1} << 63),         // content size
      with_value(four, 14, std::uint8_t{2}).substr(0, 40),  // extensions
      content,                                              // not compressed
      gzipped("a text file"),
  };
  for (const std::string& file : damaged) {
    const Error error = error_of(file);
    EXPECT_NE(error.where(), "") << &file - damaged;
    EXPECT_NE(error.remedy(), "") << &file - damaged;
  }
}

TEST(Spz, TruncationAtAnyByteIsAnError) {
  for (const std::uint32_t version : {3u, 4u}) {
    const std::string file = spz_file(samples::random_cloud(20, 1, 12), version);
    for (std::size_t size = 0; size < file.size(); ++size) {
      ASSERT_NE(error_of(file.substr(0, size)).problem(), "") << version << ": " << size;
    }
  }
}

}  // namespace
}  // namespace mote
