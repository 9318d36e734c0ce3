// Files of every kind of splats: written files read back unchanged and have the properties of the
// authors' trainers, and formats for Gaussians only refuse other kinds.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "core/error.h"
#include "io/splats/scene_format.h"
#include "splats/kinds/splat_kind.h"
#include "support/files/format_samples.h"

namespace mote {
using mote::samples::TemporaryFile;

namespace {

class KindFiles : public testing::TestWithParam<SplatKind> {
 protected:
  static SplatCloud cloud(int sh_degree) {
    std::mt19937 engine(3);
    std::normal_distribution<float> normal;
    SplatCloud result(37, sh_degree, GetParam());
    for (std::size_t i = 0; i < result.count(); ++i) {
      for (const Field field : result.info().stored()) result.at(i, field) = normal(engine);
      for (int k = 0; k < result.sh_coefficients(); ++k) {
        for (int c = 0; c < 3; ++c) result.sh(i, k, c) = normal(engine);
      }
    }
    return result;
  }
};

INSTANTIATE_TEST_SUITE_P(Of, KindFiles,
                         testing::Values(SplatKind::gaussian, SplatKind::beta, SplatKind::surfel),
                         [](const auto& info) { return std::string(kind_info(info.param).name); });

TEST_P(KindFiles, PlyIsReadBitForBitAndTellsTheKind) {
  for (int degree = 0; degree <= kMaxShDegree; ++degree) {
    const SplatCloud written = cloud(degree);
    const TemporaryFile file(".ply");
    save_scene(written, file.path());
    const SplatCloud read = load_scene(file.path());
    ASSERT_EQ(read.kind(), GetParam());
    ASSERT_EQ(read.count(), written.count());
    ASSERT_EQ(read.sh_degree(), degree);
    for (std::size_t i = 0; i < read.count(); ++i) {
      for (const Field field : read.info().stored()) {
        EXPECT_EQ(read.at(i, field), written.at(i, field));
      }
      for (int k = 0; k < read.sh_coefficients(); ++k) {
        for (int c = 0; c < 3; ++c) EXPECT_EQ(read.sh(i, k, c), written.sh(i, k, c));
      }
    }
  }
}

TEST_P(KindFiles, PlyHasThePropertiesOfTheKindsOwnTrainer) {
  const TemporaryFile file(".ply");
  save_scene(cloud(1), file.path());
  const std::string content = file.read();
  const std::string header = content.substr(0, content.find("end_header"));
  const auto has = [&](const std::string& property) {
    return header.find("property float " + property + "\n") != std::string::npos;
  };
  EXPECT_TRUE(has("scale_1") && has("rot_3") && has("opacity") && has("nz"));
  EXPECT_EQ(has("scale_2"), GetParam() != SplatKind::surfel);
  EXPECT_EQ(has("beta"), GetParam() == SplatKind::beta);
  EXPECT_EQ(has("f_dc_0") && has("f_rest_8"), GetParam() != SplatKind::beta);
  EXPECT_EQ(has("sh0_0") && has("shN_8"), GetParam() == SplatKind::beta);
}

TEST_P(KindFiles, FormatsOfGaussiansRefuseOtherKinds) {
  const TemporaryFile file(".spz");
  if (GetParam() == SplatKind::gaussian) {
    EXPECT_NO_THROW(save_scene(cloud(1), file.path()));
    return;
  }
  const std::string before = file.read();
  try {
    save_scene(cloud(1), file.path());
    FAIL() << "was written";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(kind_info(GetParam()).name), std::string::npos) << text;
    EXPECT_NE(text.find("write .ply"), std::string::npos) << text;
  }
  EXPECT_EQ(file.read(), before);
}

TEST(BetaFiles, ColourLobesAreLeftOutWithAWarning) {
  SplatCloud cloud(1, 0, SplatKind::beta);
  for (const Field field : cloud.info().stored()) cloud.at(0, field) = 0.5f;
  for (int c = 0; c < 3; ++c) cloud.sh(0, 0, c) = 0.25f;
  const TemporaryFile file(".ply");
  save_scene(cloud, file.path());
  std::string content = file.read();
  const std::size_t end = content.find("end_header");
  content.insert(end, "property float sb_params_0\n");
  content += std::string(sizeof(float), '\0');
  file.write(content);
  const SplatCloud read = load_scene(file.path());
  EXPECT_EQ(read.kind(), SplatKind::beta);
  EXPECT_EQ(read.at(0, Field::beta), 0.5f);
  ASSERT_EQ(read.warnings.size(), 1u);
  EXPECT_NE(read.warnings[0].find("sb_params"), std::string::npos);
}

}  // namespace
}  // namespace mote
