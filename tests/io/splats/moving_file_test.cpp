// Files of moving splats of other programs: .splatv, .ftgs.ply and the .ply of Spacetime Gaussians.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/error.h"
#include "io/splats/scene_format.h"
#include "math/activations.h"
#include "splats/moment.h"
#include "splats/motions/life.h"
#include "support/files/format_samples.h"
#include "support/files/moving_file_samples.h"
#include "support/random_cloud.h"

namespace mote {
namespace {

using samples::error_of;
using samples::load;
using samples::TemporaryFile;

std::string format_of(const std::string& content) {
  const TemporaryFile file(content, "");
  return std::string(probe_scene_format(InputFile(file.path())).name);
}

std::string written(const SplatCloud& cloud, std::vector<std::string>* warnings = nullptr) {
  const TemporaryFile file(".splatv");
  const std::vector<std::string> found = save_scene(cloud, file.path());
  if (warnings != nullptr) *warnings = found;
  return file.read();
}

/// A cloud of one second, so that its times are shares.
SplatCloud cloud_of_shares(std::size_t count, int degree, SplatMotion motion) {
  SplatCloud cloud = random_moving_cloud(count, degree, 3, motion);
  cloud.times.duration_s = 1;
  for (std::size_t i = 0; i < count; ++i) cloud.at(i, Field::time_mean) /= 2;
  return cloud;
}

/// All fields from `first` on but the plateau.
void expect_near(const SplatCloud& expected, const SplatCloud& found, double tolerance,
                 Field first = Field::mean_x) {
  ASSERT_EQ(found.form(), expected.form());
  ASSERT_EQ(found.count(), expected.count());
  for (std::size_t i = 0; i < expected.count(); ++i) {
    for (const Field field : expected.info().stored()) {
      if (field < first || field == Field::log_time_plateau) continue;
      const double value = expected.at(i, field);
      ASSERT_NEAR(found.at(i, field), value, tolerance * (1 + std::abs(value)))
          << "splat " << i << ", field " << static_cast<int>(field);
    }
  }
}

TEST(MovingFiles, SplatvWordsAreUnpacked) {
  EXPECT_EQ(format_of(splatv_sample()), "splatv");
  const SplatCloud cloud = load(splatv_sample());
  EXPECT_EQ(cloud.motion(), SplatMotion::poly);
  EXPECT_EQ(cloud.times.duration_s, 1);
  ASSERT_EQ(cloud.warnings.size(), 1u);
  EXPECT_NE(cloud.warnings[0].find("--duration"), std::string::npos);
  ASSERT_EQ(cloud.count(), 1u) << "splats without opacity are padding";
  const auto expect = [&](Field first, const std::vector<double>& values) {
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto field = static_cast<Field>(static_cast<std::size_t>(first) + k);
      EXPECT_NEAR(cloud.at(0, field), values[k], 1e-6) << static_cast<int>(field);
    }
  };
  expect(Field::mean_x, {1, 2, 3});
  expect(Field::log_scale_x, {std::log(0.5), std::log(2.0), 0});
  expect(Field::rotation_w, {1, 0, 0, 0});
  expect(Field::logit_opacity, {logit(128 / 255.0)});
  expect(Field::time_mean, {0.5, std::log(std::sqrt(0.5))});
  expect(Field::velocity_x, {1, 0.5, 2, 0, 0, 0, 0, 0, 1});
  expect(Field::spin_w, {0.5, 0, 0, 2});
  EXPECT_NEAR(0.5 + 0.28209479177 * double{cloud.sh(0, 0, 0)}, 1, 1e-6);
  EXPECT_NEAR(0.5 + 0.28209479177 * double{cloud.sh(0, 0, 1)}, 0, 1e-6);
}

TEST(MovingFiles, DamagedSplatvFilesAreNamed) {
  const std::string good = splatv_sample();
  const std::string head = packed(std::uint32_t{0x674b});
  const auto problem = [](const std::string& content) { return error_of(content).problem(); };
  EXPECT_NE(problem(good.substr(0, 100)).find("truncated"), std::string::npos);
  EXPECT_NE(problem(head + packed(std::uint32_t{2}) + "[]").find("no splats"), std::string::npos);
  EXPECT_NE(problem(head + packed(std::uint32_t{2}) + "{}").find("list"), std::string::npos);
  EXPECT_NE(problem(head + packed(std::uint32_t{3}) + "[1]").find("size"), std::string::npos);
  EXPECT_NE(problem(head + packed(~std::uint32_t{0}) + "[]").find("begin"), std::string::npos);
  EXPECT_NE(problem(good.substr(0, good.size() - 128) + std::string(128, '\0')).find("opacity"),
            std::string::npos);
}

TEST(MovingFiles, AWrittenSplatvShowsTheSameMoments) {
  for (const SplatMotion motion : {SplatMotion::life, SplatMotion::poly}) {
    SplatCloud cloud = random_moving_cloud(300, 0, 3, motion);
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      cloud.at(i, Field::log_time_plateau) = -20;
      cloud.at(i, Field::logit_opacity) = std::max(-3.0f, cloud.at(i, Field::logit_opacity));
    }
    cloud.at(0, Field::log_time_plateau) = kStaticLogPlateau;
    for (const Field field : cloud.info().stored()) {
      if (field >= Field::velocity_x) cloud.at(0, field) = 0;
    }
    std::vector<std::string> warnings;
    SplatCloud found = load(written(cloud, &warnings));
    EXPECT_EQ(warnings, std::vector<std::string>());
    EXPECT_EQ(found.motion(), motion);
    ASSERT_EQ(found.count(), cloud.count());
    EXPECT_EQ(found.at(0, Field::log_time_plateau), kStaticLogPlateau);
    // The file's second is the scene's two.
    std::vector<std::uint32_t> source, found_source;
    const SplatCloud expected = moment_of(cloud, 1.2, &source);
    const SplatCloud moment = moment_of(found, 0.6, &found_source);
    std::size_t next = 0, compared = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
      while (next < found_source.size() && found_source[next] < source[i]) ++next;
      if (next == found_source.size() || found_source[next] != source[i]) continue;
      ++compared;
      for (const Field field : {Field::mean_x, Field::mean_y, Field::mean_z}) {
        EXPECT_NEAR(moment.at(next, field), expected.at(i, field), 2e-3);
      }
      EXPECT_NEAR(sigmoid(moment.at(next, Field::logit_opacity)),
                  sigmoid(expected.at(i, Field::logit_opacity)), 0.02);
    }
    EXPECT_GT(compared, 40u);
  }
}

TEST(MovingFiles, SplatvNamesWhatItCannotHold) {
  SplatCloud cloud = random_moving_cloud(30, 1, 3, SplatMotion::poly);
  cloud.at(3, Field::cubic_z) = 1e6f;
  std::vector<std::string> warnings;
  const SplatCloud found = load(written(cloud, &warnings));
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_NE(warnings[0].find("harmonics"), std::string::npos);
  EXPECT_NE(warnings[1].find("full opacity"), std::string::npos);
  EXPECT_NE(warnings[2].find("1 of 30"), std::string::npos);
  ASSERT_EQ(found.count(), cloud.count());
  // A bell with the integral of a plateau between the halves of one.
  for (std::size_t i = 0; i < found.count(); ++i) {
    const double sigma = std::exp(double{cloud.at(i, Field::log_time_sigma)});
    const double plateau = std::exp(double{cloud.at(i, Field::log_time_plateau)});
    const double bell = 2 * std::exp(double{found.at(i, Field::log_time_sigma)});
    const double pi = std::acos(-1.0);
    EXPECT_NEAR(bell * std::sqrt(2 * pi), 2 * plateau + sigma * std::sqrt(2 * pi), 1e-3);
  }
}

TEST(MovingFiles, AStillSceneStandsStillInSplatv) {
  const SplatCloud found = load(written(samples::random_cloud(20, 0, 3)));
  EXPECT_EQ(found.motion(), SplatMotion::still);
  EXPECT_TRUE(found.warnings.empty());
}

TEST(MovingFiles, SpacetimeGaussiansAreRead) {
  const SplatCloud cloud = cloud_of_shares(90, 0, SplatMotion::poly);
  const std::string content = stg_file(cloud);
  EXPECT_EQ(format_of(content), "Spacetime Gaussians ply");
  const SplatCloud found = load(content);
  EXPECT_EQ(found.times.duration_s, 1);
  expect_near(cloud, found, 1e-6);
  EXPECT_NEAR(found.sh(7, 0, 2), cloud.sh(7, 0, 2), 1e-5);
  EXPECT_LT(found.at(7, Field::log_time_plateau), -15);
  std::string lacking = content;
  lacking.replace(lacking.find("omega_3"), 7, "omega_x");
  EXPECT_NE(error_of(lacking).problem().find("omega_3"), std::string::npos);
  EXPECT_NE(error_of(content.substr(0, content.size() - 1)).problem(), "");
}

TEST(MovingFiles, PathsThatAreStraightAreLives) {
  SplatCloud cloud = cloud_of_shares(20, 0, SplatMotion::poly);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (const Field field : cloud.info().stored()) {
      if (field >= Field::quadratic_x) cloud.at(i, field) = 0;
    }
  }
  const SplatCloud found = load(stg_file(cloud));
  EXPECT_EQ(found.motion(), SplatMotion::life);
  EXPECT_EQ(found.at(3, Field::velocity_y), cloud.at(3, Field::velocity_y));
}

TEST(MovingFiles, FreeTimeGaussiansAreRead) {
  SplatCloud cloud = cloud_of_shares(90, 1, SplatMotion::life);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    cloud.at(i, Field::log_time_sigma) = std::max(-3.9f, cloud.at(i, Field::log_time_sigma));
  }
  const std::string content = ftgs_file(cloud, ftgs_comments());
  EXPECT_EQ(format_of(content), "FreeTimeGS ply");
  const SplatCloud found = load(content);
  EXPECT_EQ(found.times.duration_s, 1);
  expect_near(cloud, found, 1e-6);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(found.sh(5, k, 1), cloud.sh(5, k, 1));
}

TEST(MovingFiles, AreToldApartBehindLongHeaders) {
  const SplatCloud still = samples::random_cloud(20, 1, 3);
  const std::string plain = samples::ply_file(still);
  std::string comments;
  while (comments.size() < 20'000) comments += "comment of a program with much to say\n";
  for (const std::string& content :
       {plain, samples::compressed_ply_file(still, true), delta_file(plain, still.count(), 2),
        stg_file(cloud_of_shares(20, 0, SplatMotion::poly)),
        ftgs_file(cloud_of_shares(20, 1, SplatMotion::life), ftgs_comments())}) {
    std::string longer = content;
    longer.insert(4, comments);
    EXPECT_EQ(format_of(longer), format_of(content));
    EXPECT_EQ(load(longer).count(), load(content).count());
  }
}

TEST(MovingFiles, SettingsOfFreeTimeGaussiansAreKept) {
  SplatCloud cloud = cloud_of_shares(9, 1, SplatMotion::life);
  cloud.at(2, Field::log_time_sigma) = -9;
  const SplatCloud framed = load(ftgs_file(cloud, ftgs_comments(61)));
  EXPECT_NEAR(framed.times.duration_s, 2, 1e-9);
  EXPECT_NEAR(framed.times.frames_per_second, 30, 1e-9);
  EXPECT_NEAR(framed.at(4, Field::velocity_x), cloud.at(4, Field::velocity_x) / 2, 1e-6);
  EXPECT_NEAR(framed.at(4, Field::time_mean), cloud.at(4, Field::time_mean) * 2, 1e-6);
  EXPECT_NEAR(std::exp(framed.at(2, Field::log_time_sigma)), 2 * 0.02, 1e-6);
  const SplatCloud fixed = load(ftgs_file(cloud, ftgs_comments(0, false)));
  EXPECT_EQ(fixed.at(4, Field::velocity_x), 0);
  const auto problem = [&](const std::string& comments) {
    return error_of(ftgs_file(cloud, comments)).problem();
  };
  EXPECT_NE(problem("comment ftgs_version 2\n").find("ftgs_version"), std::string::npos);
  EXPECT_NE(problem("comment ftgs_version 1\ncomment min_duration nan\n").find("min_duration"),
            std::string::npos);
  EXPECT_NE(load(ftgs_file(cloud, "comment ftgs_version 1\ncomment opacity_floor 0.1\n"))
                .warnings[0]
                .find("opacity of 0.1"),
            std::string::npos);
}

}  // namespace
}  // namespace mote
