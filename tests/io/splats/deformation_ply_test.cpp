// `mote_deformation 1`: splats with a deformation field in a .ply.
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "core/error.h"
#include "io/splats/scene_format.h"
#include "splats/moment.h"
#include "support/files/format_samples.h"
#include "support/random_field.h"

namespace mote {
namespace {

using samples::error_of;
using samples::load;
using samples::TemporaryFile;

std::string written_with_field(const SplatCloud& cloud) {
  const TemporaryFile file(".ply");
  save_scene(cloud, file.path());
  return file.read();
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

TEST(DeformationPly, SplatsAndFieldAreReadAsTheyWereWritten) {
  for (const int degree : {0, 2}) {
    SplatCloud cloud = random_deformed_cloud(70, degree, 3);
    cloud.antialiased = degree == 0;
    const SplatCloud found = load(written_with_field(cloud));
    EXPECT_TRUE(found.warnings.empty());
    EXPECT_EQ(found.times, cloud.times);
    EXPECT_EQ(found.antialiased, cloud.antialiased);
    EXPECT_EQ(found.motion(), SplatMotion::still);
    ASSERT_NE(found.deformation, nullptr);
    EXPECT_EQ(found.deformation->config, cloud.deformation->config);
    EXPECT_EQ(found.deformation->low, cloud.deformation->low);
    EXPECT_EQ(found.deformation->high, cloud.deformation->high);
    EXPECT_EQ(found.deformation->parameters, cloud.deformation->parameters);
    const SplatCloud before = moment_of(cloud, 1.1), after = moment_of(found, 1.1);
    for (std::size_t i = 0; i < cloud.count(); ++i) {
      for (const Field field : cloud.info().stored()) {
        ASSERT_EQ(after.at(i, field), before.at(i, field));
      }
    }
  }
}

/// Other programs ignore comments and elements that they do not know.
TEST(DeformationPly, WithoutTheRemarkTheSplatsStandStill) {
  const std::string text = written_with_field(random_deformed_cloud(20, 0, 3));
  const SplatCloud found =
      load(with(text, "comment mote_deformation 1", "comment another thing 1"));
  EXPECT_EQ(found.count(), 20u);
  EXPECT_EQ(found.deformation, nullptr);
  EXPECT_FALSE(found.moves());
}

TEST(DeformationPly, DamagedFieldsAreRefused) {
  const std::string text = written_with_field(random_deformed_cloud(20, 0, 3));
  const std::pair<const char*, const char*> kDamages[] = {
      {"comment mote_deformation 1", "comment mote_deformation 2"},
      {"mote_duration_s 2", "mote_duration_s 0"},
      {"mote_duration_s 2", "mote_duration_s x"},
      {"mote_deformation_box -0", "mote_deformation_box 19"},
      {"mote_deformation_box", "mote_deformation_bow"},
      {"mote_deformation_planes 16 2 4 5", "mote_deformation_planes 16 2 4"},
      {"mote_deformation_planes 16 2 4 5", "mote_deformation_planes 16 2 4.5 5"},
      {"mote_deformation_planes 16 2 4 5", "mote_deformation_planes 16 2 4096 4096"},
      {"mote_deformation_planes 16 2 4 5", "mote_deformation_planes 16 -2 4 5"},
      {"mote_deformation_network 8 2", "mote_deformation_network 1e9 2"},
      {"mote_deformation_network 8 2", "mote_deformation_network 12 2"},
      {"element mote_deformation", "element mote_deformatiom"},
      {"property float parameter", "property int parameter"},
  };
  for (const auto& [from, to] : kDamages) {
    SCOPED_TRACE(to);
    EXPECT_NE(error_of(with(text, from, to)).problem(), "");
  }
  EXPECT_NE(error_of(text.substr(0, text.size() - 5)).problem(), "") << "truncated";
  std::string infinite = text;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(infinite.data() + infinite.size() - sizeof nan, &nan, sizeof nan);
  EXPECT_NE(error_of(infinite).problem(), "");
}

TEST(DeformationPly, OtherFormatsHoldNoField) {
  const SplatCloud cloud = random_deformed_cloud(20, 0, 3);
  for (const char* extension : {".spz", ".4dgs", ".splatv"}) {
    const TemporaryFile file(extension);
    EXPECT_THROW(save_scene(cloud, file.path()), Error) << extension;
    EXPECT_NO_THROW(save_scene(moment_of(cloud, 1), file.path())) << extension;
  }
}

}  // namespace
}  // namespace mote
