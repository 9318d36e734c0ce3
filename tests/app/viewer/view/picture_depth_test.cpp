// Marks in the world that surfaces of the picture hide.
#include "app/viewer/view/picture_depth.h"

#include <glm/geometric.hpp>

#include "app/viewer/view/frustum_photographs.h"
#include "app/viewer/view/overlay.h"
#include "app/viewer/view/view_lines.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class HiddenMarks : public ScriptedViewer {
 protected:
  static constexpr double kDistance = 4;

  /// An opaque wall in the middle of the view, across its axis.
  void SetUp() override {
    ScriptedViewer::SetUp();
    SplatCloud wall = random_cloud(40, 0, 1);
    for (std::size_t i = 0; i < wall.count(); ++i) {
      wall.at(i, Field::mean_x) = -0.5f + 0.25f * static_cast<float>(i % 5);
      wall.at(i, Field::mean_y) = -0.4f + 0.1f * static_cast<float>(i / 5);
      wall.at(i, Field::mean_z) = 0;
      for (int k = 0; k < 3; ++k) {
        wall.at(i, static_cast<Field>(3 + k)) = std::log(k == 2 ? 0.001f : 0.15f);
      }
      for (int k = 0; k < 4; ++k) wall.at(i, static_cast<Field>(6 + k)) = k == 0 ? 1.0f : 0.0f;
      wall.at(i, Field::logit_opacity) = 6;
    }
    save_scene(wall, path("wall.ply"));
    run("open {}/wall.ply\nwait still\nset field-of-view 40\n"
        "camera place 0 0 -4 0 0 0\nwait still\n");
  }

  glm::dvec2 middle() const {
    return 0.5 * glm::dvec2(session().view.width, session().view.height);
  }

  /// Lengths of the strokes on the left and right of the middle of a line through the world, px,
  /// and the length of its part near the middle.
  struct Drawn {
    double sides = 0, middle = 0;
  };
  Drawn drawn(double z) const {
    const PictureDepth depth(session());
    StrokeList strokes(session().camera(), 0.01);
    strokes.hide_behind(&depth);
    strokes.line({-5, 0, z}, {5, 0, z}, {});
    Drawn found;
    for (const auto& stroke : strokes.take()) {
      const bool passes = stroke.from[0] < middle().x && stroke.to[0] > middle().x;
      (passes ? found.middle : found.sides) += stroke.to[0] - stroke.from[0];
    }
    return found;
  }
};

TEST_F(HiddenMarks, AreBehindASurfaceNotBeforeItOrOnIt) {
  const PictureDepth depth(session());
  EXPECT_TRUE(depth.hides(middle(), 2 * kDistance));
  EXPECT_FALSE(depth.hides(middle(), 0.9 * kDistance));
  EXPECT_FALSE(depth.hides(middle(), 1.005 * kDistance)) << "on it";
  EXPECT_FALSE(depth.hides({1, 1}, 2 * kDistance)) << "there is nothing";
}

TEST_F(HiddenMarks, KeepTheirVisibleParts) {
  const Drawn behind = drawn(2), before = drawn(-1);
  EXPECT_EQ(behind.middle, 0);
  EXPECT_GT(behind.sides, 0.2 * session().view.width);
  EXPECT_LT(behind.sides, 0.8 * session().view.width);
  EXPECT_GT(before.middle, 0.95 * session().view.width);
}

TEST_F(HiddenMarks, AreTheSameWithoutPerspective) {
  run("camera orthographic on\nwait still\n");
  ASSERT_GT(session().frame->depth_before, 0);
  const PictureDepth depth(session());
  const double before = session().frame->depth_before;
  EXPECT_TRUE(depth.hides(middle(), before + 2 * kDistance));
  EXPECT_FALSE(depth.hides(middle(), before + 0.9 * kDistance));
}

TEST_F(HiddenMarks, AreTheLinesOfTheGrid) {
  run("camera place 0 -0.3 -4 0 0 0\nset grid true\nwait still\n");
  ViewTools tools;
  const auto strokes = [&] { return overlay_strokes(session(), tools); };
  const auto length = [](const std::vector<present::OverlayStroke>& all) {
    double sum = 0;
    for (const auto& one : all) {
      sum += glm::length(glm::dvec2(one.to[0] - one.from[0], one.to[1] - one.from[1]));
    }
    return sum;
  };
  const double hidden = length(strokes());
  run("select all\nselect hide\nwait still\n");
  EXPECT_GT(length(strokes()), 1.05 * hidden) << "nothing hides them now";
}

TEST_F(HiddenMarks, NeedTheDepthAlsoOfAMovingView) {
  EXPECT_FALSE(marks_need_depth(session()));
  act("set grid true");
  EXPECT_TRUE(marks_need_depth(session()));
  make_tiny_dataset(path("data"));
  act("set grid false");
  run("open {}/data\nwait loaded\n");
  EXPECT_TRUE(marks_need_depth(session())) << "photographs in their cameras";
  act("set frustum-photographs false");
  EXPECT_FALSE(marks_need_depth(session()));
}

class PhotographsInTheView : public ScriptedViewer {
 protected:
  void SetUp() override {
    ScriptedViewer::SetUp();
    viewer_->resize(640, 480);
  }
  /// Twice the signed area of the corners in the view; above 0 if the photograph is not mirrored.
  static double turn(const FrustumPhotograph& photograph) {
    const auto px = [&](std::size_t i) {
      return glm::dvec2(photograph.corners[i]) / photograph.corners[i].z;
    };
    const glm::dvec2 right = px(1) - px(0), down = px(2) - px(0);
    return right.x * down.y - right.y * down.x;
  }
};

TEST_F(PhotographsInTheView, AreNeverMirrored) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait still\n");
  int from_the_front = 0, from_behind = 0;
  for (const char* eye : {"0 -1 -9", "9 -1 0", "0 -1 9", "0 -8 -1"}) {
    run(std::string("camera place ") + eye + " 0 0 0\nwait still\n");
    const Camera camera = session().camera();
    for (const FrustumPhotograph& one : frustum_photographs(session())) {
      EXPECT_GT(turn(one), 0);
      const Camera& of = session().cameras[0].views[one.mark.index].camera;
      const glm::dvec3 ahead = glm::transpose(of.cam_from_world) * glm::dvec3(0, 0, 1);
      const bool front = glm::dot(ahead, camera.position_world() - of.position_world()) > 0;
      ++(front ? from_the_front : from_behind);
    }
  }
  EXPECT_GT(from_the_front, 0);
  EXPECT_GT(from_behind, 0);
}

TEST_F(PhotographsInTheView, AreHiddenBySurfacesBeforeThem) {
  make_tiny_dataset(path("data"));
  scene();
  run("open {}/data {}/scene.ply\nwait loaded\ncamera place 0 -1 -9 0 0 0\nwait still\n");
  const std::vector<FrustumPhotograph> photographs = frustum_photographs(session());
  ASSERT_FALSE(photographs.empty());
  const auto visible = [&](const FrustumPhotograph& one) {
    const auto cells = visible_cells(PictureDepth(session()), one);
    int count = 0;
    for (int i = 0; i < 256; ++i) count += cells.is_drawn(i % 16, i / 16) ? 1 : 0;
    return count;
  };
  // A photograph moved to the far side of everything.
  FrustumPhotograph far = photographs.front();
  for (glm::dvec3& corner : far.corners) {
    const glm::dvec2 px = glm::dvec2(corner) / corner.z;
    corner = {1000.0 * px, 1000.0};
  }
  FrustumPhotograph near = far;
  for (glm::dvec3& corner : near.corners) corner *= 1e-4;
  EXPECT_EQ(visible(near), 256);
  // The whole view, with the splats in its middle.
  const double w = session().view.width, h = session().view.height;
  far.corners = {
      {{0, 0, 1000}, {1000 * w, 0, 1000}, {0, 1000 * h, 1000}, {1000 * w, 1000 * h, 1000}}};
  EXPECT_LT(visible(far), 256);
  EXPECT_GT(visible(far), 0);
}

}  // namespace
}  // namespace mote
