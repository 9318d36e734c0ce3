// Standard views and the orthographic view.
#include <glm/geometric.hpp>

#include "app/viewer/camera/navigator.h"
#include "app/viewer/camera/path_editor.h"
#include "app/viewer/view/view_lines.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class StandardViews : public ScriptedViewer {
 protected:
  const Pose& pose() const { return session().navigator.pose(); }
  void expect_way(const glm::dvec3& forward, const glm::dvec3& up_in_picture) const {
    EXPECT_LT(glm::length(pose().forward() - forward), 1e-9);
    EXPECT_LT(glm::length(-pose().down() - up_in_picture), 1e-9);
  }
};

TEST_F(StandardViews, LookAlongTheAxesOfTheFront) {
  scene();
  run("open {}/scene.ply\ncamera up z\ncamera orbit 33 12\nwait still\n");
  const glm::dvec3 focus = pose().focus_world();
  const double distance = pose().focus_distance;
  const glm::dvec3 x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
  run("camera front\nwait still\n");
  expect_way(y, z);
  run("camera back\nwait still\n");
  expect_way(-y, z);
  run("camera right\nwait still\n");
  expect_way(-x, z);
  run("camera left\nwait still\n");
  expect_way(x, z);
  run("camera top\nwait still\n");
  expect_way(-z, y);
  run("camera bottom\nwait still\n");
  expect_way(z, -y);
  EXPECT_LT(glm::length(pose().focus_world() - focus), 1e-9) << "all look at the same point";
  EXPECT_NEAR(pose().focus_distance, distance, 1e-9);
}

TEST_F(StandardViews, FollowAnyUpDirection) {
  scene();
  run("open {}/scene.ply\nwait loaded\ncamera up -y\ncamera front\nwait still\n");
  expect_way({0, 0, 1}, {0, -1, 0});
  run("camera from x\nwait still\n");
  expect_way({-1, 0, 0}, {0, -1, 0});
  run("camera from -y\nwait still\n");
  expect_way({0, 1, 0}, {0, 0, 1});
  run("camera orbit 10 10\nwait still\n");
  EXPECT_TRUE(std::isfinite(pose().eye_world.x)) << "an orbit goes on from the pole";
  act("camera from w");
  EXPECT_EQ(errors("one of x"), 1);
}

TEST_F(StandardViews, TheSelectionFillsTheViewOnRequest) {
  scene();
  run("open {}/scene.ply\nwait still\nselect rectangle 0.3 0.3 0.5 0.5\nwait still\n");
  const Document& document = *session().documents.active();
  ASSERT_GT(document.edit.selected, 0u);
  run("camera frame selection\nwait still\n");
  EXPECT_LT(glm::length(pose().focus_world() - document.edit.selection_extent->center), 1e-6);
  const double near_distance = pose().focus_distance;
  run("select none\nwait still\n");
  run("camera frame selection\nwait still\n");
  EXPECT_LT(glm::length(pose().focus_world() - placed_extent(document).center), 1e-6);
  EXPECT_GT(pose().focus_distance, near_distance);
}

TEST_F(StandardViews, TheOrthographicViewHasNoPerspective) {
  scene();
  viewer_->resize(400, 300);
  run("open {}/scene.ply\ncamera place 0 -1 -4 0 0 0\nwait still\n");
  const auto px = [&](const glm::dvec3& point) {
    return *projected(session().camera(), point, 1e-6);
  };
  const glm::dvec3 right(0.5, 0, 0), deeper = pose().forward();
  const glm::dvec2 before = px(pose().focus_world() + right);
  run("camera orthographic on\nwait still\n");
  EXPECT_LT(glm::length(px(pose().focus_world() + right) - before), 1e-6)
      << "the plane of the focus stays";
  const double width = px(pose().focus_world() + right).x - px(pose().focus_world()).x;
  for (const double depth : {-3.0, 3.0}) {
    const glm::dvec3 away = pose().focus_world() + depth * deeper;
    EXPECT_NEAR(px(away + right).x - px(away).x, width, 0.002 * width);
    EXPECT_LT(glm::length(px(away) - px(pose().focus_world())), 0.01);
  }
  run("camera zoom 2\nwait still\n");
  EXPECT_NEAR(px(pose().focus_world() + right).x - px(pose().focus_world()).x, 2 * width, 1e-6);
}

/// A cloud of two equal splats, one farther away than the other.
SplatCloud two_splats() {
  SplatCloud cloud(2, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    cloud.at(i, Field::mean_x) = i == 0 ? -0.8f : 0.8f;
    cloud.at(i, Field::mean_y) = 0;
    cloud.at(i, Field::mean_z) = i == 0 ? -2.0f : 2.0f;
    for (const Field field : {Field::log_scale_x, Field::log_scale_y, Field::log_scale_z}) {
      cloud.at(i, field) = -2;
    }
    cloud.at(i, Field::rotation_w) = 1;
    for (const Field field : {Field::rotation_x, Field::rotation_y, Field::rotation_z}) {
      cloud.at(i, field) = 0;
    }
    cloud.at(i, Field::logit_opacity) = 3;
    for (int c = 0; c < 3; ++c) cloud.sh(i, 0, c) = 1;
  }
  return cloud;
}

/// Light of the picture's left and right half.
std::pair<double, double> halves(const Image& picture) {
  double left = 0, right = 0;
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < picture.width; ++x) {
      (2 * x < picture.width ? left : right) += static_cast<double>(picture.row(y)[3 * x]);
    }
  }
  return {left, right};
}

TEST_F(StandardViews, FarSplatsAreDrawnAsLargeAsNearOnesWithoutPerspective) {
  for (const char* mode : {"color", "ellipsoids"}) {
    save_scene(two_splats(), path("two.ply"));
    viewer_->resize(400, 300);
    run(std::string("open {}/two.ply\nwait loaded\nmode ") + mode +
        "\ncamera place 0 0 -6 0 0 0\nwait still\n");
    auto [left, right] = halves(session().frame->picture());
    EXPECT_GT(left, 2 * right) << mode;
    run("camera orthographic on\nwait still\n");
    std::tie(left, right) = halves(session().frame->picture());
    EXPECT_GT(left, 0) << mode;
    EXPECT_NEAR(left, right, 0.02 * left) << mode;
    run("camera orthographic off\nclose\nmode color\n");
  }
}

TEST_F(StandardViews, DepthsOfTheOrthographicViewAreThoseOfTheEye) {
  save_scene(two_splats(), path("two.ply"));
  run("open {}/two.ply\nwait loaded\ncamera place 0 0 -6 0 0 0\nmode depth\n"
      "camera orthographic on\nwait still\n");
  ASSERT_TRUE(session().frame->range);
  EXPECT_NEAR(session().frame->range->low, 4, 0.05);
  EXPECT_NEAR(session().frame->range->high, 8, 0.05);
}

TEST_F(StandardViews, SelectionsAndTheFocusHoldInTheOrthographicView) {
  save_scene(two_splats(), path("two.ply"));
  viewer_->resize(400, 300);
  run("open {}/two.ply\nwait loaded\ncamera place 0 0 -6 0 0 0\ncamera orthographic on\nwait "
      "still\n");
  const glm::dvec2 far = *projected(session().camera(), {0.8, 0, 2}, 1e-6);
  run(fmt::format("select rectangle {} 0.4 {} 0.6\nwait still\n", (far.x - 10) / 400,
                  (far.x + 10) / 400));
  EXPECT_EQ(session().documents.active()->edit.selected, 1u);
  const glm::dquat before = pose().world_from_cam;
  run(fmt::format("camera focus {} {}\nwait still\n", far.x / 400, far.y / 300));
  EXPECT_EQ(errors(""), 0);
  EXPECT_LT(glm::length(glm::dvec2(pose().focus_world()) - glm::dvec2(0.8, 0)), 0.05);
  EXPECT_NEAR(std::abs(glm::dot(before, pose().world_from_cam)), 1, 1e-12) << "it does not turn";
}

TEST_F(StandardViews, KeyframesAndPhotographsKeepTheirPerspective) {
  scene();
  run("open {}/scene.ply\ncamera place 1 -2 -4 0 0 0\ncamera orthographic on\npath add 0\n");
  const CameraKeyframe& key = session().path.path().keyframes.front();
  EXPECT_LT(glm::length(key.position_world - glm::dvec3(1, -2, -4)), 1e-9);
  EXPECT_NEAR(key.field_of_view, keyframe_of(session().navigator.camera(), 0).field_of_view, 1e-9);
  EXPECT_GT(key.field_of_view, 0.5);
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait loaded\nphotograph 3\nwait still\n");
  EXPECT_FALSE(session().navigator.is_orthographic());
}

}  // namespace
}  // namespace mote
