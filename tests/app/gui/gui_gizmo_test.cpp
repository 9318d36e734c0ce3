// Gizmos, grid, axis cross, standard views, legends and pixel values in the window.
#include <glm/geometric.hpp>

#include "app/viewer/view/gizmo_tool.h"
#include "app/viewer/view/view_lines.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

using EditorTools = ScriptedWindow;

constexpr std::string_view kOpen =
    "set statistics false\nset smoothing 0\nopen {}/scene.ply\nwait still\ncamera orbit 30 15\n"
    "wait still\n";

TEST_F(EditorTools, AMoveByTheGizmoIsOneStepAndEscapeTakesItBack) {
  scene();
  run_in_window(std::string(kOpen) +
                "key T\nwait still\nscreenshot window {shots}/gizmo_move.png\n");
  ASSERT_TRUE(GizmoTool::target(session()));
  const Camera camera = shown_camera(session());
  const glm::dvec3 origin = GizmoTool::target(session())->gizmo.origin;
  const double z = (camera.cam_from_world * origin + camera.translation).z;
  const double arm = 0.8 * kGizmoArmPx / camera.focal_px.x * z;
  const auto px = [&](double more) {
    return *projected(camera, origin + glm::dvec3(arm + more, 0, 0), 1e-6);
  };
  const std::string drag = pointer_at_view(px(0)) + "pointer press left\n" +
                           pointer_at_view(px(0.15)) + pointer_at_view(px(0.3));
  run_in_window(drag +
                "screenshot window {shots}/gizmo_move_drag.png\nkey Escape\n"
                "pointer release left\nwait still\n");
  EXPECT_TRUE(is_identity(session().documents.active()->transform));
  EXPECT_EQ(session().documents.active()->edit.undo_steps, 0u);
  run_in_window(drag + "pointer release left\nwait still\n");
  EXPECT_NEAR(session().documents.active()->transform.translation.x, 0.3, 0.01);
  EXPECT_EQ(session().documents.active()->edit.undo_steps, 1u);
  run_in_window("key Ctrl+Z\nwait still\n");
  EXPECT_TRUE(is_identity(session().documents.active()->transform));
}

TEST_F(EditorTools, TheSelectionTurnsAndGrowsByItsGizmos) {
  scene();
  run_in_window(std::string(kOpen) +
                "select rectangle 0 0 0.5 1\nkey Y\nwait still\npanel edit on\nwait still\n"
                "screenshot window {shots}/gizmo_rotate.png\npanel edit off\nwait still\n");
  const Camera camera = shown_camera(session());
  const glm::dvec2 o = *projected(camera, GizmoTool::target(session())->gizmo.origin, 1e-6);
  const std::size_t steps = session().documents.active()->edit.undo_steps;
  const double ring = 1.18 * kGizmoArmPx;
  run_in_window(pointer_at_view(o + glm::dvec2(0, ring)) + "pointer press left\n" +
                pointer_at_view(o + ring * glm::dvec2(0.7071, 0.7071)) +
                pointer_at_view(o + glm::dvec2(ring, 1)) +
                "screenshot window {shots}/gizmo_rotate_drag.png\npointer release left\n"
                "wait still\n");
  EXPECT_EQ(session().documents.active()->edit.undo_steps, steps + 1);
  EXPECT_EQ(session().documents.active()->edit.undo_name, "transform");
  const double radius = session().documents.active()->edit.selection_extent->radius;
  run_in_window("key U\nwait still\nscreenshot window {shots}/gizmo_scale.png\n" +
                pointer_at_view(o + glm::dvec2(kGizmoArmPx, 0)) + "pointer press left\n" +
                pointer_at_view(o + glm::dvec2(1.2 * kGizmoArmPx, 0)) +
                pointer_at_view(o + glm::dvec2(1.5 * kGizmoArmPx, 0)) +
                "screenshot window {shots}/gizmo_scale_drag.png\npointer release left\n"
                "wait still\n");
  EXPECT_NEAR(session().documents.active()->edit.selection_extent->radius, 1.5 * radius,
              0.05 * radius);
  EXPECT_TRUE(is_identity(session().documents.active()->transform));
  EXPECT_EQ(errors(""), 0);
}

TEST_F(EditorTools, NumbersOfTheEditPanelMoveTheSelection) {
  scene();
  run_in_window(std::string(kOpen) + "select all\nwait still\n");
  const glm::dvec3 before = session().documents.active()->edit.selection_extent->center;
  run_in_window(
      "panel edit on\nwait still\npointer at \"Transform\"\npointer click left\nwait still\n"
      "pointer at \"Move by x\"\npointer click left 2\nkey Ctrl+A\ntext 0.5\nkey Enter\n"
      "pointer at \"Apply move\"\npointer click left\nwait still\n"
      "screenshot window {shots}/transform_form.png\n");
  EXPECT_LT(glm::length(session().documents.active()->edit.selection_extent->center - before -
                        glm::dvec3(0.5, 0, 0)),
            1e-4);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(EditorTools, GridCrossAndStandardViewsAnswerTheirKeys) {
  scene();
  run_in_window(std::string(kOpen) +
                "set grid true\nwait still\nscreenshot window {shots}/grid.png\nkey 1\nwait still\n"
                "screenshot window {shots}/view_front.png\n");
  const auto forward = [&] { return session().navigator.target().forward(); };
  EXPECT_LT(glm::length(forward() - glm::dvec3(0, 0, 1)), 1e-9);
  run_in_window("key Ctrl+1\nwait still\n");
  EXPECT_LT(glm::length(forward() + glm::dvec3(0, 0, 1)), 1e-9);
  run_in_window("key 3\nwait still\n");
  EXPECT_LT(glm::length(forward() + glm::dvec3(1, 0, 0)), 1e-9);
  run_in_window("key 7\nwait still\nscreenshot window {shots}/view_top.png\n");
  EXPECT_LT(glm::length(forward() - glm::dvec3(0, 1, 0)), 1e-9);
  run_in_window(
      "camera orbit 20 -30\nwait still\npointer at \"Look from x\"\npointer click left\n"
      "wait still\nscreenshot window {shots}/axis_cross.png\n");
  EXPECT_LT(glm::length(forward() + glm::dvec3(1, 0, 0)), 1e-9);
  run_in_window(
      "camera orbit 30 20\nkey 5\nwait still\nscreenshot window {shots}/orthographic.png\n");
  EXPECT_TRUE(session().navigator.is_orthographic());
  run_in_window("key 5\nkey F\nwait still\n");
  EXPECT_FALSE(session().navigator.is_orthographic());
  EXPECT_EQ(errors(""), 0);
}

TEST_F(EditorTools, LegendsAndPixelValuesAreInTheView) {
  scene();
  run_in_window(std::string(kOpen) + "set pixel-values true\n");
  for (const char* mode : {"depth", "overdraw", "tiles"}) {
    run_in_window(
        fmt::format("mode {}\npointer at view 0.5 0.5\nwait still\n"
                    "screenshot window {{shots}}/legend_{}.png\n",
                    mode, mode));
    EXPECT_TRUE(seen("legend")) << mode;
    EXPECT_TRUE(seen("Pixel values")) << mode;
  }
  run_in_window("mode color\nwait still\n");
  EXPECT_FALSE(seen("legend"));
  run_in_window("mode depth\nset legend false\nset pixel-values false\nwait still\n");
  EXPECT_FALSE(seen("legend"));
  EXPECT_FALSE(seen("Pixel values"));
}

TEST_F(EditorTools, TheErrorMetricIsChosenBesideTheComparison) {
  make_tiny_dataset(path("data"));
  save_scene(tiny_cloud({.seed = 5}), path("other.ply"));
  run_in_window(
      "set statistics false\nopen {}/data {}/other.ply\nwait loaded\nhide data\n"
      "set pixel-values true\nphotograph 5\ncompare difference\nwait still\nwait seconds 0.3\n"
      "pointer at \"Error metric\"\npointer click left\nwait still\npointer at \"Signed\"\n"
      "pointer click left\npointer at view 0.5 0.5\nwait still\nwait seconds 0.3\n"
      "screenshot window {shots}/metric_signed.png\n");
  EXPECT_EQ(session().settings().display.error_metric, "signed");
  EXPECT_EQ(errors(""), 0);
}

TEST_F(EditorTools, BordersOfPanelAndDrawerAreDraggedAndKeptForTheNextStart) {
  scene();
  run_in_window(std::string(kOpen) +
                "window size 1000 700\npanel view on\npanel log on\nwait still\n");
  const double width = session().settings().panel_width;
  run_in_window(
      "window size 1000 700\nwait seconds 0.2\n"
      "pointer at \"panel-width\" 0.5 0.6\npointer press left\npointer 420 300\npointer 500 300\n"
      "pointer release left\nwait still\npointer at \"drawer-height\" 0.9 0.5\npointer press left\n"
      "pointer 900 400\npointer 900 380\npointer release left\nwait still\n"
      "screenshot window {shots}/resized_panels.png\n");
  EXPECT_GT(session().settings().panel_width, width + 3);
  EXPECT_GT(session().settings().drawer_height, 12);
  const double dragged = session().settings().panel_width;
  run("wait saved\n");
  start();
  EXPECT_EQ(session().settings().panel_width, dragged);
  run_in_window(
      "window size 1000 700\nwait seconds 0.2\npanel view on\nwait still\n"
      "pointer at \"panel-width\" 0.5 0.6\npointer click left 2\nwait still\n");
  EXPECT_EQ(session().settings().panel_width, ViewerSettings().panel_width)
      << "a double click restores the default";
}

TEST_F(EditorTools, TheToolBarStaysInANarrowView) {
  scene();
  run_in_window(std::string(kOpen) +
                "panel edit on\nwait still\nscreenshot window {shots}/narrow_tool_bar.png\n");
  for (const char* name : {"Mode", "Scale the selection, or the scene", "Move the crop box"}) {
    const auto& places = session().window.places;
    const auto found = std::find_if(places.begin(), places.end(),
                                    [&](const NamedPlace& place) { return place.name == name; });
    ASSERT_NE(found, places.end()) << name;
    EXPECT_LE(found->x + found->width, kWidth) << name;
    EXPECT_GT(found->width, 20) << name;
  }
}

TEST_F(EditorTools, TheRailNamesItsPanelsOnRequest) {
  scene();
  run_in_window(std::string(kOpen) + "window size 900 640\nwait seconds 0.2\nwait still\n");
  const int before = place_of_view().x;
  run_in_window(
      "window size 900 640\nwait seconds 0.2\nset rail-labels true\nwait still\n"
      "screenshot window {shots}/rail_labels.png\n");
  EXPECT_GT(place_of_view().x, before);
}

TEST_F(EditorTools, MenusAreUsedWithTheKeyboard) {
  scene();
  // From File to View, down to its second row.
  run_in_window(std::string(kOpen) +
                "key F10\nwait seconds 0.1\nscreenshot window {shots}/menu_opened.png\n"
                "key Right\nwait seconds 0.1\nkey Right\nwait seconds 0.1\nkey Down\n"
                "wait seconds 0.1\nkey Down\nwait seconds 0.1\n"
                "screenshot window {shots}/menu_by_keys.png\nkey Enter\nwait still\n");
  EXPECT_EQ(session().view.mode->name, "depth");
  run_in_window("key F10\nwait seconds 0.1\nkey Escape\nwait seconds 0.1\nkey T\nwait still\n");
  EXPECT_EQ(session().view.tool, Tool::move) << "keys are shortcuts again";
  EXPECT_EQ(errors(""), 0);
}

}  // namespace
}  // namespace mote
