// Gizmos in the viewer: what they act on, drags with undo, snapping and cancelling.
#include "app/viewer/view/gizmo_tool.h"

#include <glm/geometric.hpp>

#include "app/viewer/view/view_lines.h"
#include "app/viewer/view/view_tools.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class GizmoToolDrags : public ScriptedViewer {
 protected:
  void SetUp() override {
    ScriptedViewer::SetUp();
    viewer_->resize(400, 300);
    scene();
    run("open {}/scene.ply\nwait still\n");
  }
  using ScriptedViewer::act;
  void act(const ViewTools::Calls& calls) {
    for (const ActionCall& call : calls) viewer_->act(call);
  }
  void settle() {
    while (session().edits.pending() > 0) update();
    update();
    run("wait still\n");
  }
  const Document& document() const { return *session().documents.active(); }
  glm::dvec2 px_of(const glm::dvec3& point) const {
    return *projected(shown_camera(session()), point, 1e-6);
  }
  glm::dvec3 origin() const { return GizmoTool::target(session())->gizmo.origin; }
  /// A place on the arm of an axis.
  glm::dvec3 on_arm(int axis, double more = 0) const {
    const glm::dvec3 o = origin();
    const Camera camera = shown_camera(session());
    const double z = (camera.cam_from_world * o + camera.translation).z;
    glm::dvec3 way(0);
    way[axis] = 0.8 * kGizmoArmPx / camera.focal_px.x * z + more;
    return o + way;
  }
  void begin(const glm::dvec2& px) { ASSERT_TRUE(tools_.begin(session(), {px})); }
  void drag_to(const glm::dvec2& px, bool control = false) {
    act(tools_.drag(session(), {px, false, control}));
    settle();
  }
  void end(const glm::dvec2& px, bool control = false) {
    act(tools_.end(session(), {px, false, control}));
    settle();
  }

  ViewTools tools_;
};

TEST_F(GizmoToolDrags, ActOnTheSceneWithoutASelection) {
  EXPECT_FALSE(GizmoTool::target(session())) << "the tool is not chosen";
  run("tool move\n");
  ASSERT_TRUE(GizmoTool::target(session()));
  EXPECT_FALSE(GizmoTool::target(session())->selection);
  run("select rectangle 0 0 0.5 1\nwait still\n");
  settle();
  ASSERT_GT(document().edit.selected, 0u);
  EXPECT_TRUE(GizmoTool::target(session())->selection);
  run("hide\n");
  EXPECT_FALSE(GizmoTool::target(session())) << "a hidden scene is not dragged";
}

TEST_F(GizmoToolDrags, MoveTheSceneAlongAnAxisInOneStep) {
  run("tool move\ncamera orbit 30 20\nwait still\n");
  const glm::dvec3 from = on_arm(0), to = on_arm(0, 0.5);
  begin(px_of(from));
  const glm::dvec2 a = px_of(from), b = px_of(to);
  for (int i = 1; i <= 5; ++i) drag_to(glm::mix(a, b, 0.2 * i));
  end(b);
  EXPECT_LT(glm::length(document().transform.translation - glm::dvec3(0.5, 0, 0)), 1e-6);
  EXPECT_EQ(document().edit.undo_steps, 1u);
  run("undo\n");
  settle();
  EXPECT_LT(glm::length(document().transform.translation), 1e-12);
}

TEST_F(GizmoToolDrags, MoveTheSelectionAlongAnAxisInOneStep) {
  run("select rectangle 0 0 0.5 1\ntool move\ncamera orbit 30 20\nwait still\n");
  settle();
  const std::size_t selected = document().edit.selected;
  const glm::dvec3 before = document().edit.selection_extent->center;
  const std::size_t steps = document().edit.undo_steps;
  const glm::dvec2 a = px_of(on_arm(1)), b = px_of(on_arm(1, -0.4));
  begin(a);
  for (int i = 1; i <= 5; ++i) drag_to(glm::mix(a, b, 0.2 * i));
  end(b);
  EXPECT_EQ(document().edit.selected, selected);
  EXPECT_LT(glm::length(document().edit.selection_extent->center - before - glm::dvec3(0, -0.4, 0)),
            1e-5);
  EXPECT_TRUE(is_identity(document().transform)) << "the scene stays";
  EXPECT_EQ(document().edit.undo_steps, steps + 1);
}

TEST_F(GizmoToolDrags, KeepTheLastMoveOfASelectionThatIsStillBeingEdited) {
  run("select all\ntool move\ncamera orbit 30 20\nwait still\n");
  settle();
  const glm::dvec3 before = document().edit.selection_extent->center;
  const glm::dvec2 a = px_of(on_arm(0)), b = px_of(on_arm(0, 0.3));
  begin(a);
  act(tools_.drag(session(), {glm::mix(a, b, 0.5)}));
  act(tools_.drag(session(), {glm::mix(a, b, 0.8)}));  // the first one is not done yet
  act(tools_.end(session(), {b}));
  settle();
  EXPECT_LT(glm::length(document().edit.selection_extent->center - before - glm::dvec3(0.3, 0, 0)),
            1e-5);
}

TEST_F(GizmoToolDrags, SnapToTheStepOfTheSettingsWithCtrl) {
  run("tool move\nset move-step 0.25\ncamera orbit 30 20\nwait still\n");
  const glm::dvec2 a = px_of(on_arm(0)), b = px_of(on_arm(0, 0.6));
  begin(a);
  drag_to(b, true);
  EXPECT_NEAR(document().transform.translation.x, 0.5, 1e-12);
  end(b, false);
  EXPECT_NEAR(document().transform.translation.x, 0.6, 1e-6);
}

TEST_F(GizmoToolDrags, AreTakenBackByEscapeWithoutAStep) {
  run("tool move\ncamera orbit 30 20\nwait still\n");
  begin(px_of(on_arm(0)));
  drag_to(px_of(on_arm(0, 0.5)));
  EXPECT_NE(document().transform.translation.x, 0);
  act(tools_.cancel());
  settle();
  EXPECT_FALSE(tools_.dragging());
  EXPECT_TRUE(is_identity(document().transform));
  EXPECT_EQ(document().edit.undo_steps, 0u);
  EXPECT_EQ(document().edit.redo_steps, 0u);

  run("select all\nwait still\n");
  settle();
  const glm::dvec3 center = document().edit.selection_extent->center;
  begin(px_of(on_arm(0)));
  drag_to(px_of(on_arm(0, 0.5)));
  EXPECT_NE(document().edit.selection_extent->center, center);
  act(tools_.cancel());
  settle();
  EXPECT_EQ(document().edit.selection_extent->center, center);
  EXPECT_EQ(document().edit.undo_steps, 1u) << "the selection itself";
}

TEST_F(GizmoToolDrags, TurnAndScaleAboutTheMiddle) {
  run("tool rotate\nwait still\n");
  const glm::dvec3 middle = origin();
  const auto shape = shape_of(GizmoTool::target(session())->gizmo, shown_camera(session()), 1);
  const double ring = 1.18 * kGizmoArmPx;
  const glm::dvec2 o = shape->origin_px;
  begin(o + glm::dvec2(0, -ring));
  drag_to(o + glm::dvec2(ring, 0));
  end(o + glm::dvec2(ring, 0));
  const glm::dvec3 forward = glm::normalize(middle - shown_camera(session()).position_world());
  EXPECT_LT(glm::length(document().transform.rotation * forward - forward), 1e-6);
  EXPECT_NEAR(document().transform.rotation[0][0] + document().transform.rotation[1][1] +
                  document().transform.rotation[2][2],
              1, 1e-6)
      << "a quarter turn";
  EXPECT_LT(glm::length(placed_extent(document()).center - middle), 1e-6);
  run("undo\ntool scale\n");
  settle();
  begin(o + glm::dvec2(kGizmoArmPx, 0));
  drag_to(o + glm::dvec2(1.25 * kGizmoArmPx, 0));
  end(o + glm::dvec2(1.25 * kGizmoArmPx, 0));
  EXPECT_NEAR(document().transform.scale, 1.25, 1e-9);
  EXPECT_LT(glm::length(placed_extent(document()).center - middle), 1e-6);
}

TEST_F(GizmoToolDrags, OfTheWholeSelectionLookLikeThoseOfTheScene) {
  const std::string numbers = "0.2 -0.1 0.3 20 -35 50 0.8";
  run("select all\nselect place " + numbers + " 0 0 0\nselect none\nwait still\n");
  settle();
  const auto as_vector = [](const Image& image) {
    return std::vector<float>(image.pixels.span().begin(), image.pixels.span().end());
  };
  const std::vector<float> moved = as_vector(session().frame->picture());
  run("undo\nundo\nundo\nwait still\n");
  settle();
  const std::vector<float> first = as_vector(session().frame->picture());
  run("place set " + numbers + "\nwait still\n");
  const std::vector<float> placed = as_vector(session().frame->picture());
  ASSERT_EQ(moved.size(), placed.size());
  double far = 0, change = 0;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    far += std::abs(static_cast<double>(moved[i] - placed[i]));
    change += std::abs(static_cast<double>(first[i] - placed[i]));
  }
  EXPECT_LT(far, 1e-4 * change) << "positions, shapes and harmonics agree";
}

TEST_F(GizmoToolDrags, OfASelectionInATurnedSceneAreInTheWorld) {
  run("place set 1 0 0 0 0 90 2\nselect all\nwait still\n");
  settle();
  const Similarity t = document().transform;
  const auto center = [&] { return placed_extent(*document().edit.selection_extent, t).center; };
  const glm::dvec3 before = center();
  run("select move 0.5 0 0\nwait still\n");
  settle();
  EXPECT_LT(glm::length(center() - before - glm::dvec3(0.5, 0, 0)), 1e-5);
  run("select scale 2\nselect turn 0 0 30\nwait still\n");
  settle();
  EXPECT_LT(glm::length(center() - before - glm::dvec3(0.5, 0, 0)), 1e-5)
      << "they keep their middle";
  run("select none\nselect move 1 0 0\n");
  settle();
  EXPECT_EQ(errors("nothing is selected"), 1);
  EXPECT_EQ(errors(""), 1);
}

TEST_F(GizmoToolDrags, StandInTheFrameOfTheSettings) {
  run("tool move\nplace turn 0 0 90\nwait still\n");
  settle();
  EXPECT_EQ(GizmoTool::target(session())->gizmo.axes, glm::dmat3(1));
  run("set gizmo-frame scene\n");
  EXPECT_LT(glm::length(GizmoTool::target(session())->gizmo.axes[0] - glm::dvec3(0, 1, 0)), 1e-12);
}

TEST_F(GizmoToolDrags, HaveKeysThatChooseTheCameraAgain) {
  run("gizmo rotate\n");
  EXPECT_EQ(session().view.tool, Tool::rotate);
  run("gizmo move\n");
  EXPECT_EQ(session().view.tool, Tool::move);
  run("gizmo move\n");
  EXPECT_EQ(session().view.tool, Tool::navigate);
}

}  // namespace
}  // namespace mote
