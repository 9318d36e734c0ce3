// `mote_directional 1`: splats that depend on the direction of view in a .ply.
#include <gtest/gtest.h>

#include <string>

#include "core/error.h"
#include "io/splats/scene_format.h"
#include "support/files/format_samples.h"
#include "support/random_cloud.h"
#include "support/splat_trainer_steps.h"

namespace mote {
namespace {

using samples::error_of;
using samples::load;
using samples::TemporaryFile;

std::string written_directional(const SplatCloud& cloud) {
  const TemporaryFile file(".ply");
  save_scene(cloud, file.path());
  return file.read();
}

std::string with_text(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

TEST(DirectionalPly, SplatsAreReadExactlyAsTheyWereWritten) {
  for (const int degree : {0, 3}) {
    SplatCloud cloud = random_directional_cloud(70, degree, 3);
    cloud.antialiased = degree == 3;
    const SplatCloud found = load(written_directional(cloud));
    EXPECT_EQ(found.motion(), SplatMotion::conditional);
    EXPECT_EQ(found.antialiased, cloud.antialiased);
    EXPECT_TRUE(found.warnings.empty());
    EXPECT_TRUE(equal(found, cloud));
  }
}

/// A program that ignores unknown properties and comments shows the means and the full opacities.
TEST(DirectionalPly, PlainReadersSeeTheSplatsAtTheMeanOfTheirDirections) {
  const SplatCloud cloud = random_directional_cloud(40, 1, 6);
  const SplatCloud seen =
      load(with_text(written_directional(cloud), "mote_directional 1", "other_text 1"));
  EXPECT_EQ(seen.motion(), SplatMotion::still);
  ASSERT_EQ(seen.count(), cloud.count());
  for (std::size_t i = 0; i < seen.count(); ++i) {
    for (const Field field : seen.info().stored()) {
      EXPECT_EQ(seen.at(i, field), cloud.at(i, field));
    }
    EXPECT_EQ(seen.sh(i, 2, 1), cloud.sh(i, 2, 1));
  }
}

TEST(DirectionalPly, WrongHeadersAreNamed) {
  const std::string good = written_directional(random_directional_cloud(5, 0, 3));
  const auto what = [&](const std::string& from, const std::string& to) {
    return std::string(error_of(with_text(good, from, to)).what());
  };
  EXPECT_NE(
      what("mote_directional 1", "mote_directional 7").find("version '7' of mote_directional"),
      std::string::npos);
  EXPECT_NE(what("float slope_5", "float slope_9").find("slope_5"), std::string::npos);
  EXPECT_NE(what("float direction_2", "float direction_3").find("direction_2"), std::string::npos);
  EXPECT_NE(what("float log_direction_sigma", "float other").find("log_direction_sigma"),
            std::string::npos);
  EXPECT_NE(what("comment mote_directional 1", "comment mote_directional 1\ncomment mote_motion 1")
                .find("move and depend on the direction"),
            std::string::npos);
}

TEST(DirectionalPly, FormatsWithoutDirectionsAreRefused) {
  for (const char* extension : {".spz", ".4dgs", ".splatv"}) {
    const TemporaryFile file(extension);
    try {
      save_scene(random_directional_cloud(5, 0, 3), file.path());
      FAIL() << extension;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("direction of view"), std::string::npos)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace mote
