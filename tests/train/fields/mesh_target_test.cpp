// The samples, scores and pictures of signed distance fields.
#include "train/fields/mesh_target.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <glm/geometric.hpp>

#include "core/interrupt.h"
#include "devices/devices.h"
#include "fields/field_camera.h"
#include "fields/planes.h"
#include "scene/camera_path.h"
#include "support/ball_mesh.h"
#include "support/target_training.h"
#include "support/thrown_by.h"
#include "train/fields/target_files.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr float kRadius = 0.4f;  // of the ball in the field's frame: 0.8 of the cube is its side

class MeshTargets : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    std::ofstream obj(file());
    const TriangleMesh ball = ball_mesh(48);
    // Twice the size, and not in the middle of the world.
    for (const glm::vec3& p : ball.positions) {
      obj << "v " << 2 * p.x + 5 << ' ' << 2 * p.y << ' ' << 2 * p.z - 1 << '\n';
    }
    for (const auto& t : ball.triangles) {
      obj << "f " << t[0] + 1 << ' ' << t[1] + 1 << ' ' << t[2] + 1 << '\n';
    }
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path file() const { return folder_ / "ball.obj"; }
  fs::path tetrahedron() const {
    std::ofstream(folder_ / "tetrahedron.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
                                                  "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    return folder_ / "tetrahedron.obj";
  }

  std::unique_ptr<FieldFitter> trained(const MeshTarget& target, int steps, double eikonal = 0) {
    return training_.trained(target, FieldApplication::sdf,
                             {.levels = 6,
                              .features = 2,
                              .log2_table_size = 12,
                              .base_resolution = 8,
                              .per_level_scale = 1.5},
                             steps, eikonal);
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("mesh_target_" + std::to_string(::getpid()));
  TargetTraining training_;
};

TEST_F(MeshTargets, GiveTrueDistancesOnBesideAndFarFromTheSurface) {
  const MeshTarget target(file(), {});
  constexpr std::size_t kCount = 4096;
  std::vector<float> positions(3 * kCount), values(kCount);
  target.fill({.seed = 5}, {0, kCount, positions.data(), values.data(), kCount});
  std::size_t on = 0, beside = 0, far = 0, inside = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const glm::vec3 p{positions[i], positions[kCount + i], positions[2 * kCount + i]};
    const float wanted = glm::distance(p, glm::vec3(0.5f)) - kRadius;
    ASSERT_NEAR(values[i], wanted, 0.002f) << "the ball has flat faces";
    on += values[i] == 0 ? 1 : 0;
    beside += values[i] != 0 && std::abs(values[i]) < 0.01f ? 1 : 0;
    far += std::abs(values[i]) > 0.02f ? 1 : 0;
    inside += values[i] < 0 ? 1 : 0;
  }
  EXPECT_EQ(on, kCount / 2);
  EXPECT_GT(beside, kCount * 3 / 8 * 9 / 10);
  EXPECT_GT(far, kCount / 8 * 7 / 10);
  EXPECT_GT(inside, kCount / 6);
}

TEST_F(MeshTargets, AreLearnedScoredAndDrawn) {
  const MeshTarget target(file(), {}, {.views = 2, .width = 64, .height = 48});
  const auto fitter = trained(target, 250);
  const auto scores = target.score({.field = *fitter,
                                    .config = training_.config(),
                                    .pictures = folder_ / "eval",
                                    .progress = {}});
  ASSERT_EQ(scores.size(), 3u);
  EXPECT_EQ(scores[0].name, "iou");
  EXPECT_GT(scores[0].value, 0.97);
  EXPECT_LT(scores[1].value, 0.01);
  EXPECT_LT(scores[2].value, 0.01);
  ASSERT_EQ(target.picture_files().size(), 2u);
  for (const fs::path& file : target.picture_files()) {
    EXPECT_TRUE(fs::exists(folder_ / "eval" / file)) << file;
  }

  // The picture from the side: a disc with the depths and normals of a ball.
  Camera camera;
  camera.width = camera.height = 65;
  camera.focal_px = {65, 65};
  camera.center_px = {32.5, 32.5};
  const glm::dvec3 center{5, 0, -1};
  look_at(camera, center + glm::dvec3(0, -8, 0), center, {0, 0, 1});
  RenderSettings settings;
  settings.outputs.alpha = settings.outputs.depth = settings.outputs.normal = true;
  Frame frame;
  const FrameStats stats = fitter->render(camera, settings, frame);
  EXPECT_GT(stats.evaluations, 65u * 65u / 4);
  EXPECT_EQ(frame.alpha.row(0)[0], 0.0f);
  EXPECT_EQ(frame.alpha.row(32)[32], 1.0f);
  EXPECT_NEAR(frame.depth_median.row(32)[32], 8 - 2, 0.05);
  EXPECT_NEAR(frame.normal.row(32)[3 * 32 + 2], -1, 0.05) << "towards the camera";
  std::size_t wrong = 0;
  for (int y = 0; y < 65; ++y) {
    for (int x = 0; x < 65; ++x) {
      const glm::dvec3 ray =
          glm::normalize(glm::dvec3((x + 0.5 - 32.5) / 65, (y + 0.5 - 32.5) / 65, 1));
      const double aside = 8 * std::sqrt(1 - ray.z * ray.z);  // from the centre
      if (std::abs(aside - 2) < 0.15) continue;
      wrong += (frame.alpha.row(y)[x] > 0) != (aside < 2) ? 1 : 0;
    }
  }
  EXPECT_EQ(wrong, 0u) << "rays that passed through the surface, or stopped before it";
}

TEST_F(MeshTargets, AreScoredAgainByTheSamePoints) {
  const MeshTarget target(tetrahedron(), {});
  const auto fitter = trained(target, 1);
  const auto first = target.score({.field = *fitter, .config = training_.config()});
  const auto second = target.score({.field = *fitter, .config = training_.config()});
  ASSERT_EQ(first.size(), second.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].value, second[i].value) << i;
}

TEST_F(MeshTargets, StopWithinAPicture) {
  const MeshTarget target(tetrahedron(), {});
  const auto fitter = trained(target, 1);
  std::atomic<bool> superseded{false};
  double done = 0;
  const auto score = [&] {
    target.score({.field = *fitter,
                  .config = training_.config(),
                  .pictures = folder_ / "eval",
                  .progress =
                      [&](double share) {
                        done = share;
                        superseded = share >= 0.9;
                      },
                  .superseded = &superseded});
  };
  EXPECT_THROW(score(), Interrupted);
  EXPECT_EQ(done, 0.9);
  for (const fs::path& picture : target.picture_files()) {
    EXPECT_FALSE(fs::exists(folder_ / "eval" / picture)) << picture;
  }
}

TEST_F(MeshTargets, AreLearnedWithSlopesOfOneByTheEikonalLoss) {
  const MeshTarget target(file(), {});
  double without = 0, with = 0;
  for (const double weight : {0.0, 0.1}) {
    const auto fitter = trained(target, 100, weight);
    // A step without a learning rate measures the slopes.
    const FieldFitResult measured =
        fitter->step({.count = 8192,
                      .fill = [&](const FieldSamples& s) { target.fill({.seed = 77}, s); },
                      .learning_rate = 0,
                      .eikonal = 0.1});
    (weight == 0 ? without : with) = measured.eikonal;
    EXPECT_GT(measured.loss, 0.1 * measured.eikonal);
    const auto scores = target.score({.field = *fitter, .config = training_.config()});
    EXPECT_GT(scores[0].value, 0.8) << "IoU with weight " << weight;
  }
  EXPECT_LT(with, 0.8 * without);
}

TEST_F(MeshTargets, RefuseLossesOfDensities) {
  const MeshTarget target(file(), {});
  for (std::size_t i = 0; i < kFieldLossNames.size(); ++i) {
    FieldConfig config;
    config.loss = static_cast<FieldLoss>(i);
    if (!is_loss_of_densities(*config.loss)) {
      EXPECT_EQ(*target.untrained(config).config.loss, *config.loss);
      continue;
    }
    const Error error = thrown_by([&] { target.untrained(config); });
    EXPECT_EQ(error.where(), "loss/otype");
    EXPECT_NE(std::string(error.what()).find(kFieldLossNames[i]), std::string::npos);
  }
}

TEST_F(MeshTargets, AreFoundByTheirName) {
  EXPECT_EQ(target_application(file()), FieldApplication::sdf);
  const auto target = load_target(file(), 1 << 20);
  EXPECT_NE(target->description().find("triangles"), std::string::npos);
  EXPECT_NE(target->fingerprint(), 0u);
}

}  // namespace
}  // namespace mote
