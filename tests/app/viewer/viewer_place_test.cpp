// Placement of the camera and of scenes: the up direction, the horizon, the scale.
#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>

#include "app/viewer/session/action.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class ViewerPlacement : public ScriptedViewer {
 protected:
  const Pose& pose() const { return session().navigator.pose(); }
  const Similarity& placed() const { return session().documents.active()->transform; }
  glm::dvec3 up() const { return session().navigator.up_world(); }
  /// The shown picture, [h][w][3].
  std::vector<float> picture() {
    run("wait still\n");
    const auto pixels = session().frame->picture().pixels.span();
    return {pixels.begin(), pixels.end()};
  }
};

void expect_near(const glm::dvec3& a, const glm::dvec3& b, double tolerance = 1e-9) {
  EXPECT_LT(glm::length(a - b), tolerance)
      << a.x << " " << a.y << " " << a.z << " and " << b.x << " " << b.y << " " << b.z;
}

TEST_F(ViewerPlacement, ScalesASceneSoThatALengthBecomesAnother) {
  scene();
  run("open {}/scene.ply\nwait loaded\nplace move 1 2 3\nplace unit 2.5 0.5\n");
  EXPECT_NEAR(placed().scale, 0.2, 1e-12);
  expect_near(placed().translation, glm::dvec3(1, 2, 3) / 5.0);
  const std::vector<float> small = picture();
  run("place unit 1 5\n");
  EXPECT_NEAR(placed().scale, 1, 1e-12);
  EXPECT_NE(picture(), small);
  run("undo\n");
  EXPECT_EQ(picture(), small);
  for (const char* line : {"place unit 0 1", "place unit 1 0", "place unit -1 1"}) {
    act(line);
  }
  EXPECT_EQ(errors("a number above 0"), 3);
}

TEST_F(ViewerPlacement, TurnsASceneUprightAsInTheView) {
  scene();
  run("open {}/scene.ply\nwait loaded\ncamera place 0 3 -4 0 0 0\nwait still\n");
  const glm::dvec3 was_up = -pose().down();
  EXPECT_LT(glm::dot(was_up, up()), 0.95) << "the view is not level with the world";
  const glm::dvec3 middle = placed_extent(*session().documents.active()).center;
  const std::vector<float> before = picture();
  run("place upright\nwait still\n");
  expect_near(placed().rotation * was_up, up());
  expect_near(placed_extent(*session().documents.active()).center, middle);
  EXPECT_NE(picture(), before);
  run("undo\nwait still\n");
  EXPECT_EQ(placed(), Similarity{});
}

TEST_F(ViewerPlacement, SetsTheUpDirection) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait still\ncamera up z\nwait still\n");
  expect_near(up(), {0, 0, 1});
  EXPECT_NEAR(glm::dot(pose().right(), up()), 0, 1e-9) << "level with it";
  EXPECT_LT(glm::dot(pose().down(), up()), 0) << "and not upside down";
  run("camera orbit 0 25\nwait still\n");
  const Pose before = pose();
  run("camera up view\nwait still\n");
  expect_near(up(), -before.down());
  EXPECT_TRUE(alike(pose(), before)) << "only what later turns are about has changed";
  run("camera up cameras\nwait still\n");
  expect_near(up(), up_of(session().cameras[0]));
  EXPECT_NEAR(glm::dot(pose().right(), up()), 0, 1e-9);
  act("camera up w");
  EXPECT_EQ(errors("view or cameras"), 1);
}

TEST_F(ViewerPlacement, TakesTheUpDirectionFromTheActiveCameras) {
  make_tiny_dataset(path("first"));
  make_tiny_dataset(path("second"), {.seed = 3});
  // The world of the second lies on its side.
  std::vector<View> views = tiny_views();
  for (View& view : views) {
    const glm::dmat3 turn(glm::dvec3(0, 1, 0), glm::dvec3(0, 0, 1), glm::dvec3(1, 0, 0));
    view.camera.cam_from_world = view.camera.cam_from_world * turn;
  }
  write_colmap_text(path("second/sparse/0"), views);
  run("open {}/first {}/second\nwait loaded\ncameras first\ncamera up cameras\nwait still\n");
  expect_near(up(), up_of(session().cameras[0]));
  EXPECT_GT(glm::length(up() - up_of(session().cameras[1])), 0.5);
}

TEST_F(ViewerPlacement, LevelsTheHorizonAndLooksAround) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait still\ncamera up z\nphotograph view_02\nwait still\n");
  EXPECT_GT(std::abs(glm::dot(pose().right(), up())), 0.1) << "as it was taken, on its side";
  const Pose tilted = pose();
  run("camera level\nwait still\n");
  EXPECT_NEAR(glm::dot(pose().right(), up()), 0, 1e-9);
  expect_near(pose().eye_world, tilted.eye_world);
  expect_near(pose().forward(), tilted.forward());
  const std::vector<float> before = picture();
  const Pose level = pose();
  run("camera look 30 0\nwait still\n");
  expect_near(pose().eye_world, level.eye_world);
  EXPECT_GT(glm::dot(pose().forward(), level.right()), 0.1) << "to the right";
  const auto heading = [&](const Pose& one) {
    return glm::normalize(one.forward() - glm::dot(one.forward(), up()) * up());
  };
  const double turned = std::acos(glm::dot(heading(pose()), heading(level)));
  EXPECT_NEAR(turned, std::numbers::pi / 6, 1e-9);
  EXPECT_NE(picture(), before);
  run("camera look 0 10\nwait still\n");
  EXPECT_GT(glm::dot(pose().forward(), up()), glm::dot(level.forward(), up())) << "upwards";
}

}  // namespace
}  // namespace mote
