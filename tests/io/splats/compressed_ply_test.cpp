// SuperSplat's .compressed.ply: both layouts, all degrees, refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "core/error.h"
#include "io/splats/scene_format.h"
#include "support/files/format_samples.h"

namespace mote {
namespace {

using samples::compressed_ply_file;
using samples::load;
using samples::TemporaryFile;
using samples::Tolerance;

// Half a step of each code over the widest bounds of random_cloud(), plus rounding.
// Without bounds a colour step is 1/255 over 0 to 1, which is 0.0139 of DC.
constexpr Tolerance kTolerance{.mean = 0.5f * 6 / 1023 + 1e-5f,
                               .log_scale = 0.5f * 6 / 1023 + 1e-5f,
                               .rotation = 0.0015f,
                               .opacity = 0.5f / 255 + 1e-5f,
                               .dc = 0.5f / 255 / 0.2820948f + 1e-4f,
                               .sh = 0.5f * 8 / 256 + 1e-5f};

TEST(CompressedPly, BothLayoutsAreReadWithinTheirQuantisation) {
  for (int degree = 0; degree <= 3; ++degree) {
    for (const bool colour_bounds : {false, true}) {
      SplatCloud cloud = samples::random_cloud(600, degree, 1);
      cloud.antialiased = degree % 2 == 1;
      const SplatCloud found = load(compressed_ply_file(cloud, colour_bounds));
      EXPECT_EQ(difference(cloud, found, kTolerance), "") << degree << colour_bounds;
      EXPECT_TRUE(found.warnings.empty());
    }
  }
}

TEST(CompressedPly, TheLimitsOfTheOpacityCodeMeanAbsentAndOpaque) {
  SplatCloud cloud = samples::random_cloud(2, 0, 2);
  cloud.at(0, Field::logit_opacity) = -40;
  cloud.at(1, Field::logit_opacity) = 40;
  const SplatCloud found = load(compressed_ply_file(cloud, true));
  EXPECT_EQ(found.at(0, Field::logit_opacity), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(found.at(1, Field::logit_opacity), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(found.warnings.empty());
}

TEST(CompressedPly, DamageIsAnErrorThatNamesFileAndRemedy) {
  const std::string file = compressed_ply_file(samples::random_cloud(300, 1, 3), true);
  const std::pair<const char*, const char*> damages[] = {
      {"element chunk 2", "element chunk 1"},
      {"element chunk 2", "element chunks 2"},
      {"element chunk 2", "element chunk 4000000000"},
      {"vertex 300", "vertex 18446744073709551615"},
      {"sh 300", "sh 299"},
      {"uchar f_rest_8", "float f_rest_8"},
      {"property uchar f_rest_8\n", ""},
      {"float min_x", "double min_x"},
      {"uint packed_scale", "list uchar uint packed_scale"},
      {"binary_little_endian", "binary_big_endian"},
  };
  for (const auto& [from, to] : damages) {
    std::string damaged = file;
    const std::size_t at = damaged.find(from);
    ASSERT_NE(at, damaged.npos) << from;
    damaged.replace(at, std::string_view(from).size(), to);
    try {
      load(damaged);
      ADD_FAILURE() << from << " -> " << to << " was read";
    } catch (const Error& error) {
      EXPECT_NE(error.where(), "");
      EXPECT_NE(error.remedy(), "");
    }
  }
  EXPECT_THROW(load(file.substr(0, file.size() - 1)), Error);
}

TEST(CompressedPly, SavingIsRefusedBecauseTheFormatIsReadOnly) {
  const TemporaryFile file(".compressed.ply");
  try {
    save_scene(samples::random_cloud(1, 0, 4), file.path());
    ADD_FAILURE() << "was written";
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("only be read"), std::string::npos);
  }
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

TEST(CompressedPly, ARealSceneAgreesWithItsSpzTwin) {
  const char* data = std::getenv("MOTE_DATA");
  if (!data) GTEST_SKIP() << "MOTE_DATA is not set";
  const auto folder = std::filesystem::path(data) / "splats";
  const SplatCloud cloud = load_scene(folder / "biker.compressed.ply");
  const SplatCloud twin = load_scene(folder / "biker.spz");
  ASSERT_EQ(cloud.count(), 152746u);
  // spz clamps scales below exp(-10), so scales are compared only if both formats can store them.
  Tolerance both{.mean = 2e-4f, .log_scale = 10, .rotation = 2e-3f, .opacity = 1e-6f, .dc = 0.014f};
  EXPECT_EQ(difference(cloud, twin, both), "");
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const float scale = twin.at(i, Field::log_scale_x);
    if (scale > -9.9f) {
      EXPECT_NEAR(scale, cloud.at(i, Field::log_scale_x), 0.05f);
    }
  }
}

}  // namespace
}  // namespace mote
