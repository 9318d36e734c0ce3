// Files of moving splats of other programs: .splatv and the .ply of Spacetime Gaussians.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "core/error.h"
#include "io/splats/moving/splatv.h"
#include "io/splats/moving/stg_ply.h"
#include "support/dataset_fixture.h"
#include "support/files/moving_file_samples.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class MovingFiles : public ::testing::Test {
 protected:
  MovingFiles()
      : file_(fs::path(::testing::TempDir()) / ("moving_" + std::to_string(::getpid()))) {}
  ~MovingFiles() override { fs::remove(file_); }

  fs::path file_;
};

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
