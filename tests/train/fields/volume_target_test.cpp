// The samples, scores and pictures of volumes.
#include "train/fields/volume_target.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <glm/geometric.hpp>

#include "core/interrupt.h"
#include "devices/devices.h"
#include "fields/field_camera.h"
#include "fields/planes.h"
#include "io/volumes/volume_file.h"
#include "support/ball_volume.h"
#include "support/files/file_bytes.h"
#include "support/target_training.h"
#include "train/fields/target_files.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr int kDensityRadius = 12;
constexpr float kMost = 0.5f;

class VolumeTargets : public testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  static std::vector<float> samples_of(const VolumeTarget& target, std::size_t first,
                                       std::size_t count) {
    std::vector<float> all(7 * count);
    target.fill({.seed = 5}, {first, count, all.data(), all.data() + 3 * count, count});
    return all;
  }

  std::unique_ptr<FieldFitter> trained(const VolumeTarget& target, int steps) {
    return training_.trained(target, FieldApplication::volume,
                             {.levels = 4,
                              .features = 4,
                              .log2_table_size = 14,
                              .base_resolution = 6,
                              .per_level_scale = 1.6},
                             steps);
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("volume_target_" + std::to_string(::getpid()));
  TargetTraining training_;
};

TEST_F(VolumeTargets, GiveTheDensityAndLightAtPlacesInTheBox) {
  const VolumeTarget target(ball_volume(kDensityRadius, kMost), "ball", {});
  const NeuralField field = target.untrained({});
  constexpr std::size_t kCount = 8192;
  const std::vector<float> all = samples_of(target, 0, kCount);
  const glm::vec3 middle = target.field_position({1, -2, 3});
  const float per_voxel = glm::distance(target.field_position({2, -2, 3}), middle);
  std::size_t inside = 0;
  double light = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto value = [&](std::size_t plane) { return all[plane * kCount + i]; };
    const glm::vec3 at{value(0), value(1), value(2)};
    for (int axis = 0; axis < 3; ++axis) {
      ASSERT_GE(at[axis], field.render_box.min[axis] - 1e-5f);
      ASSERT_LE(at[axis], field.render_box.max[axis] + 1e-5f);
    }
    const float way = glm::distance(at, middle) / per_voxel / kDensityRadius;
    const float wanted = kMost * std::clamp(2 * (1 - way), 0.0f, 1.0f);
    ASSERT_NEAR(value(6), wanted, 0.05f) << "interpolation bends the ball a little";
    inside += wanted > 0 ? 1 : 0;
    for (std::size_t c = 3; c < 6; ++c) ASSERT_GE(value(c), 0);
    light += static_cast<double>(value(3));
  }
  EXPECT_GT(inside, kCount / 2);
  EXPECT_LT(inside, kCount) << "empty places are learned too";
  EXPECT_GT(light / kCount, 0.1);
  EXPECT_LT(light / kCount, 2);
}

TEST_F(VolumeTargets, GiveSamplesByTheirNumber) {
  const VolumeTarget target(ball_volume(kDensityRadius, kMost), "ball", {});
  const std::vector<float> whole = samples_of(target, 0, 96), part = samples_of(target, 32, 48);
  for (std::size_t plane = 0; plane < 7; ++plane) {
    for (std::size_t i = 0; i < 48; ++i) {
      ASSERT_EQ(part[plane * 48 + i], whole[plane * 96 + 32 + i]);
    }
  }
  std::vector<float> other(7 * 96);
  target.fill({.seed = 6}, {0, 96, other.data(), other.data() + 3 * 96, 96});
  EXPECT_NE(whole, other);
}

TEST_F(VolumeTargets, KnowWhichCellsAreEmpty) {
  const VolumeTarget target(ball_volume(kDensityRadius, kMost), "ball", {});
  const NeuralField field = target.untrained({});
  const OccupancyBits bits(field.occupancy);
  std::size_t occupied = 0, dense = 0;
  constexpr int kPoints = 40;
  for (int i = 0; i < kPoints * kPoints * kPoints; ++i) {
    const glm::vec3 at =
        (glm::vec3(i % kPoints, i / kPoints % kPoints, i / kPoints / kPoints) + 0.5f) /
        static_cast<float>(kPoints);
    const glm::dvec3 world = world_from_field(field.placement, glm::dvec3(at));
    const VoxelFrame& frame = target.volume().frame();
    const float density =
        target.volume().density(glm::vec3((world - frame.origin) / frame.voxel_side));
    const bool is_occupied = bits.occupied({at.x, at.y, at.z}, 0);
    if (density > 0) {
      ++dense;
      ASSERT_TRUE(is_occupied) << at.x << ' ' << at.y << ' ' << at.z;
    }
    occupied += is_occupied ? 1 : 0;
  }
  EXPECT_LT(occupied, static_cast<std::size_t>(kPoints * kPoints * kPoints * 2 / 3));
  EXPECT_GT(dense, 1000u);
}

TEST_F(VolumeTargets, AreLearnedScoredAndDrawn) {
  const VolumeTarget target(ball_volume(kDensityRadius, kMost), "ball", {},
                            {.views = 2, .width = 40, .height = 30, .paths_per_pixel = 192});
  const auto before = trained(target, 1), fitter = trained(target, 300);
  const auto unlearned = target.score(
      {.field = *before, .config = training_.config(), .pictures = {}, .progress = {}});
  double done = 0;
  const auto scores = target.score({.field = *fitter,
                                    .config = training_.config(),
                                    .pictures = folder_ / "eval",
                                    .progress = [&](double share) { done = share; }});
  EXPECT_EQ(done, 1);
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_EQ(scores[0].name, "psnr");
  EXPECT_GT(scores[0].value, 30);
  EXPECT_LT(unlearned[0].value, 20);
  EXPECT_EQ(scores[1].name, "density_error");
  EXPECT_LT(scores[1].value, 0.1);
  EXPECT_GT(unlearned[1].value, 0.5);
  ASSERT_EQ(target.picture_files().size(), 6u);
  for (const fs::path& file : target.picture_files()) {
    EXPECT_TRUE(fs::exists(folder_ / "eval" / file)) << file;
  }
}

TEST_F(VolumeTargets, StopWithinAPicture) {
  const VolumeTarget target(ball_volume(kDensityRadius, kMost), "ball", {},
                            {.views = 1, .width = 16, .height = 12, .paths_per_pixel = 2});
  const auto fitter = trained(target, 1);
  std::atomic<bool> superseded{true};
  double done = 0;
  bool stops = false;
  const auto score = [&] {
    target.score({.field = *fitter,
                  .config = training_.config(),
                  .pictures = folder_ / "eval",
                  .progress =
                      [&](double share) {
                        done = share;
                        superseded = stops;
                      },
                  .superseded = &superseded});
  };
  EXPECT_THROW(score(), Interrupted);
  EXPECT_EQ(done, 0) << "within a picture by light paths";
  superseded = false;
  stops = true;
  EXPECT_THROW(score(), Interrupted);
  EXPECT_EQ(done, 0.9) << "within a picture of the field";
  EXPECT_FALSE(fs::exists(folder_ / "eval"));
}

TEST_F(VolumeTargets, PicturesComeBackFromTheirFile) {
  const VolumeTarget target(ball_volume(kDensityRadius, kMost), "ball", {});
  const VolumePictureSize size{.views = 2, .width = 16, .height = 12, .paths_per_pixel = 2};
  VolumePictureSize other_size = size;
  other_size.paths_per_pixel = 3;
  const auto pictures_of = [&](std::uint64_t volume, const VolumePictureSize& own_size) {
    return VolumePictures(target.paths(), target.volume().frame(), own_size, volume);
  };
  VolumePictures made = pictures_of(7, size), read = pictures_of(7, size);
  const fs::path file = folder_ / "eval/reference.bin";
  EXPECT_FALSE(read.load(file)) << "there is none";
  made.render({});
  made.save(file);
  EXPECT_FALSE(pictures_of(8, size).load(file)) << "of another volume";
  EXPECT_FALSE(pictures_of(7, other_size).load(file));
  ASSERT_TRUE(read.load(file));
  ASSERT_EQ(read.pictures().size(), 2u);
  for (std::size_t view = 0; view < 2; ++view) {
    const auto own = made.pictures()[view].pixels.span(),
               same = read.pictures()[view].pixels.span();
    EXPECT_TRUE(std::ranges::equal(own, same));
  }
  const std::string bytes = text_of(file);
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = static_cast<char>(damaged[bytes.size() / 2] ^ 1);
  for (const std::string& spoilt : {damaged, bytes.substr(0, 99), std::string()}) {
    std::ofstream(file, std::ios::binary) << spoilt;
    EXPECT_FALSE(pictures_of(7, size).load(file)) << spoilt.size();
  }
}

TEST_F(VolumeTargets, EvaluationsShareTheirPictures) {
  const VolumePictureSize size{.views = 1, .width = 16, .height = 12, .paths_per_pixel = 2};
  const auto target = [&] {
    return std::make_unique<VolumeTarget>(ball_volume(kDensityRadius, kMost), "ball", VolumeLight{},
                                          size);
  };
  const auto first = target(), second = target(), third = target();
  const auto fitter = trained(*first, 1);
  const fs::path file = folder_ / "eval/reference.bin";
  std::atomic<bool> superseded{false};
  double done = 0;
  const auto score = [&](const VolumeTarget& own, bool keeps) {
    own.score({.field = *fitter,
               .config = training_.config(),
               .pictures = {},
               .progress = [&](double share) { done = share; },
               .superseded = &superseded,
               .reference = file,
               .keeps_reference = keeps});
  };
  score(*first, true);
  ASSERT_TRUE(fs::exists(file));
  superseded = true;  // ends the first picture that is rendered
  EXPECT_THROW(score(*second, true), Interrupted);
  EXPECT_EQ(done, 0.9) << "it is one of the field";
  fs::remove(file);
  superseded = false;
  score(*third, false);
  EXPECT_FALSE(fs::exists(file));
}

TEST_F(VolumeTargets, AreFoundByTheirName) {
  fs::create_directories(folder_);
  const fs::path file = folder_ / "ball.nvdb";
  write_volume(ball_volume(kDensityRadius, kMost), file);
  EXPECT_EQ(target_application(file), FieldApplication::volume);
  const auto target = load_target(file, 1 << 20);
  EXPECT_NE(target->description().find("23x23x23 voxels"), std::string::npos)
      << target->description();
  EXPECT_EQ(target->fingerprint(), ball_volume(kDensityRadius, kMost).fingerprint());
  EXPECT_GT(target->memory_bytes(), 4u * 23 * 23 * 23);
}

TEST_F(VolumeTargets, WarnOfDensitiesThatAreTooThinOrTooThick) {
  EXPECT_TRUE(VolumeTarget(ball_volume(8, 1), "ball", {}).warnings().empty());
  EXPECT_EQ(VolumeTarget(ball_volume(8, 1e-4f), "ball", {}).warnings().size(), 1u);
  EXPECT_EQ(VolumeTarget(ball_volume(8, 1e4f), "ball", {}).warnings().size(), 1u);
}

}  // namespace
}  // namespace mote
