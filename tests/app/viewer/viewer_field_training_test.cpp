// Training of neural fields in the viewer by actions.
#include <fstream>
#include <glm/common.hpp>
#include <glm/geometric.hpp>

#include "io/fields/field_snapshot.h"
#include "io/images/image_files.h"
#include "io/meshes/mesh_file.h"
#include "io/meshes/mesh_writing.h"
#include "meshes/marching_cubes.h"
#include "support/ball_mesh.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Small networks that learn fast.
constexpr const char* kNetwork = R"({
  "encoding": {"otype": "HashGrid", "n_levels": 4, "n_features_per_level": 2,
               "log2_hashmap_size": 10, "base_resolution": 8},
  "network": {"otype": "FullyFusedMLP", "n_neurons": 16, "n_hidden_layers": 1},
  "rgb_network": {"otype": "FullyFusedMLP", "n_neurons": 16, "n_hidden_layers": 1}
})";

class FieldTraining : public ScriptedViewer {
 protected:
  void SetUp() override {
    ScriptedViewer::SetUp();
    std::ofstream(path("network.json")) << kNetwork;
  }

  void write_ball() const {
    const TriangleMesh mesh = ball_mesh(16);
    OutputFile file(path("ball.obj"));
    write_mesh(mesh, vertex_normals(mesh), file);
    file.commit();
  }

  const Document& last() const { return session().documents.list().back(); }
  FieldApplication application() const { return last().field->host().field().application; }

  const std::string start_ = "train start network={}/network.json batch=4096 out={}/run ";
};

TEST_F(FieldTraining, ANerfIsTrainedOnTheOpenDataset) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait still\n");
  const Pose before = session().navigator.pose();
  run(start_ + "model=nerf aabb-scale=1 steps=40\ntrain pause\nwait paused\n");
  EXPECT_TRUE(last().trains_field);
  EXPECT_EQ(session().training.counted, "parameters");
  run("train resume\nwait trained\nwait still\n");
  EXPECT_EQ(errors(""), 0);
  for (const char* name : {"config.json", "train.log", "metrics.csv", "stats.json", "cameras.json",
                           "field_40.ingp", "checkpoints", "eval/step_40/gt"}) {
    EXPECT_TRUE(fs::exists(folder_ / "run" / name)) << name;
  }
  ASSERT_EQ(session().documents.list().size(), 2u);
  EXPECT_FALSE(last().training);
  ASSERT_NE(last().field, nullptr);
  EXPECT_EQ(application(), FieldApplication::nerf);
  EXPECT_EQ(last().edit.splats,
            read_field_snapshot(InputFile(path("run/field_40.ingp")), {}).parameters.size());
  EXPECT_FALSE(session().documents.list()[0].shown) << "the points make way";
  EXPECT_TRUE(alike(session().navigator.pose(), before)) << "the camera stays at its photograph";
  EXPECT_EQ(session().training.history.curve().size(), 40u);
  ASSERT_EQ(session().training.history.evaluations().size(), 1u);
  EXPECT_GT(session().training.history.evaluations().back().psnr_db, 12);
  EXPECT_GT(session().frame->stats.evaluations, 0u) << "the field is drawn";
}

TEST_F(FieldTraining, ARunIsOpenedAndTrainedFurther) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait still\n" + start_ + "model=nerf aabb-scale=1 steps=20\nwait trained\n");
  run("close 2\nopen {}/run\nwait loaded\nwait still\n");
  ASSERT_NE(last().field, nullptr);
  run("train further {}/run 10\nwait trained\nwait still\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_TRUE(fs::exists(folder_ / "run" / "field_30.ingp"));
}

TEST_F(FieldTraining, AMeshIsOpenedAndTrainedAndMovedIntoView) {
  write_ball();
  run("open {}/ball.obj\nwait loaded\n");
  ASSERT_EQ(last().target, FieldApplication::sdf);
  EXPECT_EQ(last().format, "mesh");
  run(start_ + "steps=60\nwait trained\nwait still\n");
  EXPECT_EQ(errors(""), 0);
  ASSERT_NE(last().field, nullptr);
  EXPECT_EQ(application(), FieldApplication::sdf);
  EXPECT_TRUE(fs::exists(folder_ / "run" / "field_60.ingp"));
  const Image& depth = session().frame->frame.depth_median;
  EXPECT_GT(depth.row(24)[32], 0) << "the ball is in the middle of the view";
  EXPECT_EQ(depth.row(1)[1], 0) << "all of it is in the view";
}

TEST_F(FieldTraining, TheSurfaceOfATrainedFieldBecomesAMeshWhereItIsShown) {
  write_ball();
  run("open {}/ball.obj\nwait loaded\n" + start_ + "steps=60\nwait trained\n" +
      "mesh set resolution=32\nplace move 10 0 0\nmesh export {}/surface.obj\nwait saved\n");
  EXPECT_EQ(errors(""), 0);
  const TriangleMesh mesh = read_mesh(path("surface.obj"));
  ASSERT_GT(mesh.triangles.size(), 500u);
  glm::vec3 low = mesh.positions.front(), high = low;
  for (const glm::vec3& position : mesh.positions) {
    low = glm::min(low, position);
    high = glm::max(high, position);
  }
  EXPECT_LT(glm::length(low - glm::vec3(9, -1, -1)), 0.3f);
  EXPECT_LT(glm::length(high - glm::vec3(11, 1, 1)), 0.3f);
  act("mesh export " + path("surface.stl"));
  EXPECT_EQ(errors("a .ply, .obj or .glb"), 1);
}

TEST_F(FieldTraining, APictureIsOpenedAndTrained) {
  write_png(pattern_image(48, 32, 3, 1), path("picture.png"));
  run("open {}/picture.png\nwait loaded\n" + start_ + "steps=60\nwait trained\nwait still\n");
  EXPECT_EQ(errors(""), 0);
  ASSERT_NE(last().field, nullptr);
  EXPECT_EQ(session().documents.only_image(), &last());
  EXPECT_GT(session().frame->frame.depth_median.row(24)[1], 0) << "it fills the view";
}

TEST_F(FieldTraining, TheFieldOfARunInProgressIsExported) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait still\n" + start_ +
      "model=nerf aabb-scale=1 steps=100000\nwait trained 5\ntrain pause\nwait paused\n"
      "export {}/now.ingp\nwait saved\n");
  const std::uint64_t step = session().training.status.step;
  run("train stop\nwait trained\n");
  EXPECT_EQ(errors(""), 0);
  EXPECT_EQ(read_field_snapshot(InputFile(path("now.ingp")), {}).training_step, step);
}

TEST_F(FieldTraining, OtherModelsThanThatOfTheFileAreRefused) {
  write_ball();
  run("open {}/ball.obj\nwait loaded\n");
  act("train start model=nerf");
  EXPECT_EQ(errors("'nerf' is not trained on"), 1);
  EXPECT_FALSE(session().trainer.active());
}

}  // namespace
}  // namespace mote
