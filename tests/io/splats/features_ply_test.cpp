// Splats with features in files: the full model of Spacetime Gaussians with its .pt, and
// `mote_features 1`.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "io/splats/scene_format.h"
#include "splats/moment.h"
#include "splats/motion_changes.h"
#include "splats/transform.h"
#include "support/feature_cloud.h"
#include "support/files/format_samples.h"
#include "support/files/moving_file_samples.h"
#include "support/files/torch_samples.h"

namespace mote {
namespace {

using samples::load;
using samples::TemporaryFile;

/// A .ply of the full model, and its .pt beside it if it is given.
class FullModel {
 public:
  FullModel(const std::string& ply, const std::optional<std::string>& pt) : file_(ply, ".ply") {
    pt_path_.replace_extension(".pt");
    std::filesystem::remove(pt_path_);
    if (pt) samples_written(*pt);
  }
  ~FullModel() { std::filesystem::remove(pt_path_); }
  FullModel(const FullModel&) = delete;
  FullModel& operator=(const FullModel&) = delete;

  SplatCloud read() const { return load_scene(file_.path()); }
  std::string error() const {
    try {
      read();
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

 private:
  void samples_written(const std::string& content) {
    OutputFile out(pt_path_);
    out.write(content);
    out.commit();
  }

  TemporaryFile file_;
  std::filesystem::path pt_path_ = file_.path();
};

/// One second, so that times are shares.
SplatCloud full_cloud(std::size_t count = 60) {
  SplatCloud cloud = random_feature_cloud(count, 3);
  cloud.times = {.duration_s = 1, .frames_per_second = 0};
  return cloud;
}

TEST(FeatureFiles, TheFullModelOfSpacetimeGaussiansIsReadWithItsNetwork) {
  const SplatCloud cloud = full_cloud();
  const SplatCloud found =
      FullModel(stg_file(cloud, true), stg_decoder_file(*cloud.decoder)).read();
  ASSERT_NE(found.decoder, nullptr);
  EXPECT_EQ(*found.decoder, *cloud.decoder);
  EXPECT_EQ(found.motion(), SplatMotion::poly);
  ASSERT_EQ(found.sh_degree(), kFeatureDegree);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int k = 0; k < 4; ++k) {
      for (int c = 0; c < 3; ++c) EXPECT_EQ(found.sh(i, k, c), k < 3 ? cloud.sh(i, k, c) : 0.0f);
    }
    EXPECT_EQ(found.at(i, Field::time_mean), cloud.at(i, Field::time_mean));
  }
  ASSERT_EQ(found.warnings.size(), 2u);
  EXPECT_NE(found.warnings[0].find("--feature-activation clamp"), std::string::npos);
}

TEST(FeatureFiles, AMissingOrOtherNetworkIsNamed) {
  const SplatCloud cloud = full_cloud(5);
  const std::string ply = stg_file(cloud, true);
  const auto error = [&](const std::optional<std::string>& pt) {
    return FullModel(ply, pt).error();
  };
  EXPECT_NE(error({}).find(".pt, which does not exist"), std::string::npos) << error({});
  const std::string good = stg_decoder_file(*cloud.decoder);
  EXPECT_EQ(error(good), "");
  EXPECT_NE(error(good.substr(0, good.size() / 2)), "");
  EXPECT_NE(error("no archive"), "");
  const std::string other_sides = stg_decoder_file(*cloud.decoder, {6, 11, 1, 1});
  EXPECT_NE(error(other_sides).find("[6, 11, 1, 1], expected [6, 12, 1, 1]"), std::string::npos)
      << error(other_sides);
  EXPECT_NE(
      error(stg_decoder_file(*cloud.decoder, {6, 12, 1, 1}, "mlp3.weight")).find("mlp2.weight"),
      std::string::npos);
  FeatureDecoder broken = *cloud.decoder;
  broken.output[1][2] = NAN;
  EXPECT_NE(error(stg_decoder_file(broken)).find("not finite"), std::string::npos);
}

std::string written_features(const SplatCloud& cloud) {
  const TemporaryFile file(".ply");
  save_scene(cloud, file.path());
  return file.read();
}

TEST(FeatureFiles, FeaturesAndNetworkAreReadAsTheyWereWritten) {
  for (const SplatMotion motion : {SplatMotion::still, SplatMotion::life, SplatMotion::poly}) {
    SplatCloud cloud = random_feature_cloud(70, 5, SplatMotion::poly, ColorActivation::clamp);
    if (motion == SplatMotion::life) cloud = random_feature_cloud(70, 5, motion);
    if (motion == SplatMotion::still) cloud = moment_of(cloud, 0.8);
    const SplatCloud found = load(written_features(cloud));
    ASSERT_EQ(found.form(), cloud.form());
    ASSERT_NE(found.decoder, nullptr);
    EXPECT_EQ(*found.decoder, *cloud.decoder);
    ASSERT_EQ(found.count(), cloud.count());
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      for (int k = 0; k < 4; ++k) {
        for (int c = 0; c < 3; ++c) EXPECT_EQ(found.sh(i, k, c), cloud.sh(i, k, c));
      }
    }
  }
}

/// A program that ignores unknown properties shows the colours of the base features.
TEST(FeatureFiles, PlainReadersSeeTheColoursOfTheBaseFeatures) {
  const SplatCloud cloud = moment_of(random_feature_cloud(40, 5), 0.8);
  std::string text = written_features(cloud);
  text.replace(text.find("mote_features 1"), 15, "other_feature 1");
  const SplatCloud seen = load(text);
  EXPECT_EQ(seen.decoder, nullptr);
  EXPECT_EQ(seen.sh_degree(), 0);
  ASSERT_EQ(seen.count(), cloud.count());
  for (std::size_t i = 0; i < seen.count(); ++i) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(0.5 + 0.28209479177 * double{seen.sh(i, 0, c)}, base_feature_color(cloud, i)[c],
                  1e-5);
    }
  }
}

TEST(FeatureFiles, WrongHeadersAreNamed) {
  const std::string good = written_features(random_feature_cloud(5, 3));
  const auto error = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    text.replace(at, from.size(), to);
    return std::string(samples::error_of(text).what());
  };
  EXPECT_NE(error("mote_features 1", "mote_features 7").find("version '7'"), std::string::npos);
  EXPECT_NE(error("activation sigmoid", "activation tanh").find("'tanh'"), std::string::npos);
  EXPECT_NE(error("float feature_4", "float other").find("feature_4"), std::string::npos);
  EXPECT_NE(error("mote_decoder 90", "mote_decoder 91").find("90 floats"), std::string::npos);
  EXPECT_NE(std::string(samples::error_of(good.substr(0, good.size() - 4)).what()), "");
}

TEST(FeatureFiles, FormatsWithoutFeaturesAreRefused) {
  for (const char* extension : {".spz", ".4dgs", ".splatv"}) {
    const TemporaryFile file(extension);
    try {
      save_scene(random_feature_cloud(5, 3), file.path());
      FAIL() << extension;
    } catch (const Error& error) {
      EXPECT_NE(error.problem().find("features"), std::string::npos) << error.what();
      EXPECT_EQ(error.remedy(), "write .ply");
    }
  }
}

TEST(FeatureClouds, TemporalFeaturesFollowTheDuration) {
  SplatCloud cloud = full_cloud(30);
  const SplatCloud before = moment_of(cloud, 0.4);
  set_duration(cloud, 5);
  const SplatCloud after = moment_of(cloud, 2);
  ASSERT_EQ(after.count(), before.count());
  ASSERT_GT(after.count(), 3u);
  for (std::size_t i = 0; i < after.count(); ++i) {
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(after.sh(i, 2, c), before.sh(i, 2, c), 1e-5);
  }
}

TEST(FeatureClouds, NothingMovesOrAdjustsAWholeSceneThatANetworkColours) {
  SplatCloud cloud = full_cloud(5);
  EXPECT_THROW(transform_scene(cloud, {.scale = 2}), Error);
  EXPECT_THROW(check_colors_can_change(cloud), Error);
  const SplatCloud before = with_sh_degree(cloud, kFeatureDegree);
  transform(cloud, {.rotation = rotation_about_axes({0.3, 0.2, 0.1})});
  cloud.truncate_sh(0);
  for (int k = 0; k < kFeatureTriples; ++k) EXPECT_EQ(cloud.sh(2, k, 1), before.sh(2, k, 1));
  EXPECT_THROW(check_alike(cloud, random_moving_cloud(5, 1, 1, SplatMotion::poly)), Error);
}

}  // namespace
}  // namespace mote
