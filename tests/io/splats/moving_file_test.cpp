// Files of moving splats: .4dgs, .splatv and the .ply of Spacetime Gaussians.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "core/error.h"
#include "io/splats/moving/four_dgs.h"
#include "io/splats/moving/splatv.h"
#include "io/splats/moving/stg_ply.h"
#include "support/dataset_fixture.h"
#include "support/files/four_dgs_sample.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class MovingFiles : public ::testing::Test {
 protected:
  MovingFiles()
      : file_(fs::path(::testing::TempDir()) / ("moving_" + std::to_string(::getpid()))) {}
  ~MovingFiles() override { fs::remove(file_); }

  MovingSplatsFile read(const FourDgsSample& sample) const {
    write_bytes(file_, sample.file());
    return read_four_dgs(file_);
  }
  std::string refusal(const FourDgsSample& sample) const {
    const Error error = thrown_by([&] { read(sample); });
    EXPECT_NE(error.where().find(file_.string()), std::string::npos);
    EXPECT_FALSE(error.remedy().empty());
    return error.problem();
  }

  fs::path file_;
};

TEST_F(MovingFiles, StepsAndOriginsOfA4dgsApply) {
  const MovingSplatsFile file = read({});
  EXPECT_EQ(file.duration_s, 4);
  EXPECT_EQ(file.weight_floor, 0.05);
  ASSERT_EQ(file.splats.size(), 2u);
  EXPECT_TRUE(file.warnings.empty());
  const MovingSplat &first = file.splats[0], &second = file.splats[1];
  EXPECT_FLOAT_EQ(first.position[0], 1 + 100 * 0.01f);
  EXPECT_NEAR(second.position[1], 2 - 2.10, 1e-6);
  EXPECT_FLOAT_EQ(first.scale[1], std::exp(-1.0f));
  EXPECT_FLOAT_EQ(first.color[0], 0.60f);  // green and the difference of red
  EXPECT_FLOAT_EQ(first.color[1], 0.50f);
  EXPECT_FLOAT_EQ(first.color[2], 0.30f);
  EXPECT_FLOAT_EQ(first.opacity, 0.8f);
  // The largest component of the first is w, of the second x; the others are stored.
  EXPECT_EQ(first.rotation, (std::array<float, 4>{1, 0, 0, 0}));
  EXPECT_NEAR(second.rotation[1], 0.8f, 1e-6f);
  EXPECT_NEAR(second.rotation[2], 0.6f, 1e-6f);
}

TEST_F(MovingFiles, StepsOfVelocityAndTimeOfA4dgsFollowTheLife) {
  const MovingSplatsFile file = read({});
  const MovingSplat &first = file.splats[0], &second = file.splats[1];
  // A window of 2 s: class 2, a quarter of the step. The time has its whole step.
  EXPECT_TRUE(std::isinf(first.sigma_s));
  EXPECT_EQ(first.from_s, 1);
  EXPECT_EQ(first.until_s, 3);
  EXPECT_FLOAT_EQ(first.motion[0], 10 * 0.02f / 4);
  EXPECT_FLOAT_EQ(first.motion[2], -10 * 0.02f / 4);
  EXPECT_FLOAT_EQ(first.time_s, 2);
  // A sigma of 1 s lasts 2.45 s to the cut-off, clamped to 2 s. A twentieth of it is a half step.
  EXPECT_FLOAT_EQ(second.sigma_s, 1);
  EXPECT_FLOAT_EQ(second.motion[0], 4 * 0.02f / 4);
  EXPECT_FLOAT_EQ(second.time_s, 30 * 0.05f);
}

TEST_F(MovingFiles, BandsOfA4dgsAreSortedByColour) {
  const MovingSplatsFile file = read({});
  ASSERT_EQ(file.sh.size(), 18u);
  const auto value = [](int byte) { return -4 + static_cast<float>(byte) * 8.0f / 255; };
  // Stored component by component: coefficient 1 of green is the fifth.
  EXPECT_FLOAT_EQ(file.sh[3 * 1 + 1], value(40));
  EXPECT_FLOAT_EQ(file.sh[9 + 3 * 2 + 2], value(170));
}

TEST_F(MovingFiles, CompressedChunksAndMissingWindowsOfA4dgsAreRead) {
  for (const char* codec : {"deflate", "zstd"}) {
    EXPECT_EQ(read({.chunk_codec = codec}).splats.size(), 2u) << codec;
  }
  const MovingSplatsFile file = read({.announced = 3});
  EXPECT_EQ(file.splats.size(), 2u);
  ASSERT_EQ(file.warnings.size(), 1u);
  EXPECT_NE(file.warnings[0].find("announces 3 splats, but contains 2"), std::string::npos);
}

TEST_F(MovingFiles, HostileAndUnknown4dgsAreRefused) {
  EXPECT_NE(refusal({.model = "keyframe-delta"}).find("keyframe-delta"), std::string::npos);
  EXPECT_NE(refusal({.scheme = "uniform-v9"}).find("uniform-v9"), std::string::npos);
  EXPECT_NE(refusal({.chunk_codec = "lzma"}).find("lzma"), std::string::npos);
  EXPECT_NE(refusal({.window = 2}).find("window 2 of 2"), std::string::npos);
  EXPECT_NE(refusal({.window = -1}).find("window -1"), std::string::npos);
  EXPECT_NE(refusal({.stream_codec = 9}).find("codec 9"), std::string::npos);
  EXPECT_NE(refusal({.checksum_change = 1}).find("checksum"), std::string::npos);
  EXPECT_NE(refusal({.announced = 1}).find("more splats than"), std::string::npos);
  EXPECT_NE(refusal({.announced = 1ull << 60}).find("more splats than"), std::string::npos);
  EXPECT_NE(refusal({.cutoff = 0}).find("cut-off"), std::string::npos);
}

TEST_F(MovingFiles, EveryPrefixOfA4dgsIsRefused) {
  const std::string whole = FourDgsSample().file();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_bytes(file_, whole.substr(0, length));
    EXPECT_THROW(read_four_dgs(file_), Error) << length;
  }
}

TEST_F(MovingFiles, SplatvWordsAreUnpacked) {
  write_bytes(file_, splatv_sample());
  const MovingSplatsFile file = read_splatv(file_);
  EXPECT_EQ(file.duration_s, 0);  // times are shares
  ASSERT_EQ(file.splats.size(), 1u);
  const MovingSplat& splat = file.splats[0];
  EXPECT_EQ(splat.position, (std::array<float, 3>{1, 2, 3}));
  EXPECT_EQ(splat.rotation, (std::array<float, 4>{1, 0, 0, 0}));
  EXPECT_EQ(splat.scale, (std::array<float, 3>{0.5f, 2, 1}));
  EXPECT_EQ(splat.color, (std::array<float, 3>{1, 0, 1}));
  EXPECT_FLOAT_EQ(splat.opacity, 128 / 255.0f);
  EXPECT_EQ(splat.motion, (std::array<float, 9>{1, 0.5f, 2, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(splat.spin, (std::array<float, 4>{0.5f, 0, 0, 2}));
  EXPECT_EQ(splat.time_s, 0.5f);
  EXPECT_FLOAT_EQ(splat.sigma_s, std::sqrt(0.5f));
  write_bytes(file_, splatv_sample().substr(0, 100));
  EXPECT_THROW(read_splatv(file_), Error);
  write_bytes(file_, packed(std::uint32_t{0x674b}, std::uint32_t{2}) + "[]");
  EXPECT_NE(thrown_by([&] { read_splatv(file_); }).problem().find("no splats"), std::string::npos);
}

TEST_F(MovingFiles, PropertiesOfSpacetimeGaussiansAreFoundByName) {
  write_bytes(file_, stg_sample());
  const MovingSplatsFile file = read_stg_ply(file_);
  ASSERT_EQ(file.splats.size(), 1u);
  const MovingSplat& splat = file.splats[0];
  EXPECT_FLOAT_EQ(splat.time_s, 0.1f * 4);
  EXPECT_FLOAT_EQ(splat.sigma_s, std::exp(0.1f * 5) / std::sqrt(2.0f));
  EXPECT_FLOAT_EQ(splat.motion[0], 0.1f * 9);
  EXPECT_FLOAT_EQ(splat.color[0], 0.1f * 18);
  EXPECT_FLOAT_EQ(splat.scale[0], std::exp(0.1f * 22));
  EXPECT_FLOAT_EQ(splat.spin[3], 0.1f * 32);
  write_bytes(file_, stg_sample(true));
  EXPECT_NE(thrown_by([&] { read_stg_ply(file_); }).problem().find("full model"),
            std::string::npos);
}

}  // namespace
}  // namespace mote
