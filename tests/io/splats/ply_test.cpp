// 3DGS .ply: reading, refusals, writing.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "io/splats/scene_format.h"
#include "support/files/format_samples.h"

namespace mote {
namespace {

using samples::difference;
using samples::error_of;
using samples::load;
using samples::ply_file;
using samples::PlyStyle;
using samples::TemporaryFile;

const char* const kEncodings[] = {"ascii", "binary_little_endian", "binary_big_endian"};

std::string exchanged(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

TEST(Ply, EveryEncodingAndDegreeIsReadBitForBit) {
  for (const char* encoding : kEncodings) {
    for (int degree = 0; degree <= 4; ++degree) {
      const SplatCloud cloud = samples::random_cloud(67, degree, 1);
      EXPECT_EQ(difference(cloud, load(ply_file(cloud, {.encoding = encoding}))), "")
          << encoding << ", degree " << degree;
    }
  }
}

TEST(Ply, OrderExtraPropertiesAndOtherElementsDoNotMatter) {
  for (const char* encoding : kEncodings) {
    const SplatCloud cloud = samples::random_cloud(40, 2, 2);
    const PlyStyle style{.encoding = encoding, .shuffled = true, .surrounded = true};
    const SplatCloud found = load(ply_file(cloud, style));
    EXPECT_EQ(difference(cloud, found), "") << encoding;
    EXPECT_TRUE(found.warnings.empty());
  }
}

TEST(Ply, EveryScalarTypeIsConverted) {
  SplatCloud cloud = samples::random_cloud(20, 1, 3);
  EXPECT_EQ(difference(cloud, load(ply_file(cloud, {.type = "double"}))), "");
  for (int f = 0; f < kGaussianFields; ++f) cloud.at(7, static_cast<Field>(f)) = 1e-30f;
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    for (int f = 0; f < kGaussianFields; ++f) {
      cloud.at(i, static_cast<Field>(f)) = static_cast<float>(i + static_cast<std::size_t>(f));
    }
    for (int k = 0; k < 4; ++k) {
      for (int c = 0; c < 3; ++c) cloud.sh(i, k, c) = static_cast<float>(k + c);
    }
  }
  for (const char* type : {"short", "uchar"}) {
    for (const char* encoding : kEncodings) {
      EXPECT_EQ(difference(cloud, load(ply_file(cloud, {.encoding = encoding, .type = type}))), "");
    }
  }
}

TEST(Ply, CarriageReturnsInHeaderAndRowsAreAccepted) {
  const SplatCloud cloud = samples::random_cloud(20, 1, 4);
  for (const char* encoding : kEncodings) {
    const PlyStyle style{.encoding = encoding, .line_end = "\r\n"};
    EXPECT_EQ(difference(cloud, load(ply_file(cloud, style))), "") << encoding;
  }
}

TEST(Ply, TheMipMarkersOfOtherProgramsAreUnderstood) {
  const SplatCloud cloud = samples::random_cloud(3, 0, 5);
  const auto marked = [&](std::vector<std::string> comments) {
    return load(ply_file(cloud, {.comments = std::move(comments)})).antialiased;
  };
  EXPECT_TRUE(marked({"Exported from Brush", "SplatRenderMode: mip"}));
  EXPECT_TRUE(marked({"antialiased 1"}));
  EXPECT_FALSE(marked({"antialiased 0"}));
  EXPECT_FALSE(marked({"SplatRenderMode: default"}));
  EXPECT_FALSE(marked({"antialiased 1", "SplatRenderMode: default"}));
  EXPECT_FALSE(marked({}));
}

TEST(Ply, NonFiniteValuesAreKeptAndReported) {
  for (const char* encoding : kEncodings) {
    SplatCloud cloud = samples::random_cloud(40, 1, 6);
    cloud.at(3, Field::mean_y) = std::numeric_limits<float>::quiet_NaN();
    cloud.at(4, Field::log_scale_x) = std::numeric_limits<float>::infinity();
    cloud.sh(39, 2, 1) = -std::numeric_limits<float>::infinity();
    cloud.at(8, Field::logit_opacity) = std::numeric_limits<float>::infinity();
    const SplatCloud found = load(ply_file(cloud, {.encoding = encoding}));
    EXPECT_TRUE(std::isnan(found.at(3, Field::mean_y)));
    EXPECT_EQ(found.at(4, Field::log_scale_x), cloud.at(4, Field::log_scale_x));
    EXPECT_EQ(found.at(8, Field::logit_opacity), cloud.at(8, Field::logit_opacity));
    ASSERT_EQ(found.warnings.size(), 1u) << encoding;
    EXPECT_NE(found.warnings[0].find("3 of 40"), std::string::npos) << found.warnings[0];
  }
}

TEST(Ply, AWrittenFileIsReadBackBitForBit) {
  for (int degree = 0; degree <= 4; ++degree) {
    SplatCloud cloud = samples::random_cloud(131, degree, 7);
    cloud.antialiased = degree % 2 == 0;
    const TemporaryFile file(".ply");
    save_scene(cloud, file.path());
    EXPECT_EQ(difference(cloud, load_scene(file.path())), "") << degree;
  }
}

TEST(Ply, TheWrittenHeaderHasThePropertiesInInriasOrder) {
  const TemporaryFile file(".ply");
  save_scene(samples::random_cloud(2, 1, 8), file.path());
  std::string names, content = file.read();
  for (std::size_t at = 0; (at = content.find("property float ", at)) != content.npos;) {
    at += 15;
    names += content.substr(at, content.find('\n', at) - at) + " ";
  }
  EXPECT_EQ(names,
            "x y z nx ny nz f_dc_0 f_dc_1 f_dc_2 f_rest_0 f_rest_1 f_rest_2 f_rest_3 f_rest_4 "
            "f_rest_5 f_rest_6 f_rest_7 f_rest_8 opacity scale_0 scale_1 scale_2 rot_0 rot_1 rot_2 "
            "rot_3 ");
}

TEST(Ply, PointsWithoutSplatPropertiesAreRefusedWithTheMissingNames) {
  const Error error = error_of(
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
      "property float z\nproperty uchar red\nend_header\n0 0 0 255\n");
  EXPECT_NE(error.problem().find("points lack"), std::string::npos) << error.what();
  EXPECT_NE(error.problem().find("scale_0"), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find("opacity"), std::string::npos) << error.what();
}

TEST(Ply, CountsBeyondTheFileAreRefusedBeforeAllocation) {
  for (const char* encoding : kEncodings) {
    const std::string file = ply_file(samples::random_cloud(30, 0, 9), {.encoding = encoding});
    for (const char* count : {"31", "4294967296", "18446744073709551615"}) {
      const Error error = error_of(exchanged(file, "vertex 30", std::string("vertex ") + count));
      EXPECT_NE(error.problem().find("truncated"), std::string::npos) << encoding << error.what();
    }
    for (const char* count : {"-1", "1e3", "18446744073709551616", "many"}) {
      const Error error = error_of(exchanged(file, "vertex 30", std::string("vertex ") + count));
      EXPECT_NE(error.problem().find("not a count"), std::string::npos) << error.what();
    }
  }
}

TEST(Ply, TruncationAtAnyByteIsAnErrorThatNamesTheFile) {
  for (const char* encoding : kEncodings) {
    const std::string file = ply_file(samples::random_cloud(3, 0, 10), {.encoding = encoding});
    // Any digits are valid for the last value in ASCII.
    const std::size_t enough =
        encoding == kEncodings[0] ? file.find_last_of(' ', file.size() - 3) + 1 : file.size();
    for (std::size_t size = 0; size < enough; ++size) {
      const Error error = error_of(file.substr(0, size));
      ASSERT_NE(error.where(), "") << encoding << " of " << size << " bytes";
      ASSERT_NE(error.remedy(), "") << encoding << " of " << size << " bytes";
    }
  }
}

TEST(Ply, LeftoverBytesAreIgnoredWithAWarning) {
  const SplatCloud cloud = samples::random_cloud(5, 0, 11);
  const SplatCloud found = load(ply_file(cloud) + "left");
  EXPECT_EQ(difference(cloud, found), "");
  ASSERT_EQ(found.warnings.size(), 1u);
  EXPECT_NE(found.warnings[0].find("4 bytes"), std::string::npos) << found.warnings[0];
}

TEST(Ply, AsciiRowsOfWrongLengthOrContentAreErrors) {
  const std::string file = ply_file(samples::random_cloud(5, 0, 12), {.encoding = "ascii"});
  const std::size_t row = file.find("end_header\n") + 11;
  EXPECT_NE(error_of(std::string(file).insert(row, "1 ")).problem().find("more than"),
            std::string::npos);
  EXPECT_NE(error_of(std::string(file).insert(row, "1 2 3\n")).problem().find("less than"),
            std::string::npos);
  EXPECT_NE(error_of(std::string(file).insert(row, 1, 'x')).problem().find("not a number"),
            std::string::npos);
}

TEST(Ply, DamagedHeadersAreErrors) {
  const std::string file = ply_file(samples::random_cloud(5, 1, 13));
  const std::pair<const char*, const char*> damages[] = {
      {"binary_little_endian", "binary_middle_endian"},
      {"property float x", "property quad x"},
      {"property float x", "property list uchar float x"},
      {"property float x", "property list float float x"},
      {"property float x", "property float"},
      {"element vertex 5", "element point 5"},
      {"element vertex 5", "element vertex 0"},
      {"element vertex", "vertex"},
      {"f_rest_8", "f_rest_9"},
      {"f_rest_8", "rest_8"},
      {"end_header", "end_head"},
  };
  for (const auto& [from, to] : damages) {
    const Error error = error_of(exchanged(file, from, to));
    EXPECT_NE(error.problem(), "") << from << " -> " << to;
    EXPECT_NE(error.remedy(), "") << from << " -> " << to;
  }
  EXPECT_NE(error_of(std::string("ply\n").append(2 << 20, 'x')).problem(), "");
}

}  // namespace
}  // namespace mote
