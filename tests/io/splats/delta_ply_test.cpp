// The .ply of older versions of Brush: splats and the differences of frames.
#include "io/splats/moving/delta_ply.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/error.h"
#include "io/splats/splat_sequence.h"
#include "model/moving/sequence_scene.h"
#include "support/files/format_samples.h"
#include "support/files/moving_file_samples.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

using samples::TemporaryFile;

constexpr std::size_t kSplats = 37, kFrames = 3;

std::string sample(bool with_bytes = false) {
  return delta_file(samples::ply_file(samples::random_cloud(kSplats, 2, 5)), kSplats, kFrames,
                    with_bytes);
}

std::string problem_of(const std::string& content) {
  const TemporaryFile file(content, ".ply");
  return thrown_by([&] { DeltaPly(file.path()); }).problem();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t place = text.find(from);
  EXPECT_NE(place, text.npos) << from;
  return text.replace(place, from.size(), to);
}

TEST(DeltaPlys, AFrameIsTheSplatsWithItsDifferences) {
  const SplatCloud cloud = samples::random_cloud(kSplats, 2, 5);
  for (const bool with_bytes : {false, true}) {
    const TemporaryFile file(sample(with_bytes), ".ply");
    const DeltaPly scene(file.path());
    ASSERT_EQ(scene.frame_count(), kFrames);
    for (std::size_t frame = 0; frame < kFrames; ++frame) {
      const SplatCloud found = scene.frame(frame);
      EXPECT_EQ(found.warnings, std::vector<std::string>());
      ASSERT_EQ(found.form(), cloud.form());
      ASSERT_EQ(found.count(), kSplats);
      for (std::size_t i = 0; i < kSplats; ++i) {
        for (int k = 0; k < 10; ++k) {
          const auto field = static_cast<Field>(k);
          const double range = 0.6 * static_cast<double>(frame + 1);
          const double step = !with_bytes ? 0 : range / (k < 3 ? 254 : 65534);
          EXPECT_NEAR(found.at(i, field), cloud.at(i, field) + delta_of(frame, i, k),
                      0.51 * step + 1e-5)
              << "frame " << frame << ", splat " << i << ", value " << k;
        }
        EXPECT_EQ(found.at(i, Field::logit_opacity), cloud.at(i, Field::logit_opacity));
        EXPECT_EQ(found.sh(i, 5, 1), cloud.sh(i, 5, 1));
      }
    }
  }
}

TEST(DeltaPlys, ArePlayedAsASequence) {
  const TemporaryFile file(sample(), ".ply");
  const auto sequence = sequence_in_file(file.path());
  ASSERT_TRUE(sequence.has_value());
  EXPECT_EQ(sequence->frames.size(), kFrames);
  const FrameStore::Read read = frame_reader(*sequence);
  SequenceScene scene(*sequence, nullptr, read);
  scene.set_frames_per_second(2);
  EXPECT_DOUBLE_EQ(scene.range().end_s, 1);
  EXPECT_NE(scene.name_at(0.5).find("frame 2"), std::string::npos) << scene.name_at(0.5);
  EXPECT_EQ(scene.splats_at(1).at(4, Field::mean_y), read(2, {}).at(4, Field::mean_y));
  EXPECT_NE(scene.splats_at(1).at(4, Field::mean_y), read(0, {}).at(4, Field::mean_y));
}

TEST(DeltaPlys, OtherFilesHaveNoFrames) {
  const TemporaryFile plain(samples::ply_file(samples::random_cloud(4, 0, 1)), ".ply");
  EXPECT_EQ(delta_frame_count(plain.path()), 0u);
  EXPECT_FALSE(sequence_in_file(plain.path()).has_value());
  const TemporaryFile one(delta_file(samples::ply_file(samples::random_cloud(4, 0, 1)), 4, 1),
                          ".ply");
  EXPECT_EQ(delta_frame_count(one.path()), 1u);
  EXPECT_FALSE(sequence_in_file(one.path()).has_value());
  EXPECT_EQ(delta_frame_count(plain.path().parent_path()), 0u);
  const TemporaryFile damaged(sample().substr(0, 300), ".ply");
  EXPECT_EQ(delta_frame_count(damaged.path()), 0u);
}

TEST(DeltaPlys, ASceneOfSplatsHasTheFirstFrame) {
  const SplatCloud cloud = samples::load(sample());
  ASSERT_EQ(cloud.warnings.size(), 1u);
  EXPECT_NE(cloud.warnings[0].find("first of 3 frames"), std::string::npos) << cloud.warnings[0];
  EXPECT_NEAR(cloud.at(7, Field::mean_x),
              samples::random_cloud(kSplats, 2, 5).at(7, Field::mean_x) + delta_of(0, 7, 0), 1e-5);
}

TEST(DeltaPlys, FramesThatDoNotFitAreNamed) {
  const std::string good = sample();
  const std::string count = std::to_string(kSplats);
  EXPECT_NE(problem_of(replaced(good, "delta_vertex_1 " + count, "delta_vertex_1 36"))
                .find("'delta_vertex_1' has 36 rows"),
            std::string::npos);
  EXPECT_NE(problem_of(replaced(good, "meta_delta_max_1 1", "meta_delta_max_1 2"))
                .find("'meta_delta_max_1' has 2 rows, expected 1"),
            std::string::npos);
  EXPECT_NE(problem_of(replaced(good, "meta_delta_max_1 1", "meta_delta_max_1 0"))
                .find("'meta_delta_max_1' has 0 rows"),
            std::string::npos);
  EXPECT_NE(problem_of(good.substr(0, good.size() - 1)).find("truncated"), std::string::npos);
  const std::size_t last = good.find("delta_vertex_2");
  EXPECT_NE(problem_of(good.substr(0, last) + replaced(good.substr(last), "rot_3", "rot_x"))
                .find("rot_3"),
            std::string::npos);
  EXPECT_NE(problem_of(good.substr(0, last) +
                       replaced(good.substr(last), "float y", "list uchar float y"))
                .find("list property"),
            std::string::npos);
  EXPECT_NE(problem_of(replaced(good, "binary_little_endian", "ascii")).find("as text"),
            std::string::npos);
}

}  // namespace
}  // namespace mote
