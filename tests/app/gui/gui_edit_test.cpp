// Selection, crop and comparison with the pointer, in the window.
#include <glm/geometric.hpp>

#include "app/viewer/view/crop_box.h"
#include "app/viewer/view/display.h"
#include "app/viewer/view/view_lines.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

using EditingInTheWindow = ScriptedWindow;

bool same(const Image8& a, const Image8& b) {
  return a.width == b.width && a.height == b.height &&
         std::equal(a.pixels.span().begin(), a.pixels.span().end(), b.pixels.data());
}

/// Positions as fractions of the view.
std::string drag_line(const glm::dvec2& from, const glm::dvec2& to) {
  const glm::dvec2 middle = 0.5 * (from + to);
  return fmt::format(
      "pointer at view {} {}\npointer press left\npointer at view {} {}\npointer at view {} {}\n"
      "pointer release left\n",
      from.x, from.y, middle.x, middle.y, to.x, to.y);
}

TEST_F(EditingInTheWindow, SelectionDeletionAndUndoWork) {
  scene();
  run_in_window(
      "set statistics false\nopen {}/scene.ply\ntool rectangle\nwait still\n"
      "screenshot {}/before.png\n" +
      drag_line({0.3, 0.25}, {0.65, 0.7}) +
      "wait still\nscreenshot window {shots}/selected.png\nkey Delete\nwait still\n"
      "screenshot {}/deleted.png\nkey Ctrl+Z\nkey Ctrl+Z\nwait still\nscreenshot {}/after.png\n"
      "wait saved\n");
  const Image8 before = read_image8(path("before.png"));
  EXPECT_FALSE(same(before, read_image8(path("deleted.png"))));
  EXPECT_TRUE(same(before, read_image8(path("after.png"))));
  const EditState& edit = session().documents.active()->edit;
  EXPECT_EQ(edit.splats, 200u);
  EXPECT_EQ(edit.undo_steps, 0u);
  EXPECT_EQ(edit.redo_steps, 2u);
}

TEST_F(EditingInTheWindow, TheBrushSelectsAndDeselects) {
  scene();
  run_in_window(
      "set statistics false\nopen {}/scene.ply\ntool brush\nbrush radius 30\nwait still\n" +
      drag_line({0.4, 0.5}, {0.6, 0.5}) + "wait still\nscreenshot window {shots}/brush.png\n");
  const std::size_t along = session().documents.active()->edit.selected;
  EXPECT_GT(along, 0u);
  EXPECT_LT(along, 200u);
  run_in_window("key hold Shift\n" + drag_line({0.5, 0.3}, {0.5, 0.7}) +
                "key release Shift\nwait still\n");
  const std::size_t cross = session().documents.active()->edit.selected;
  EXPECT_GT(cross, along) << "with Shift they are added";
  run_in_window("key hold Ctrl\n" + drag_line({0.5, 0.3}, {0.5, 0.7}) +
                "key release Ctrl\nwait still\n");
  EXPECT_LT(session().documents.active()->edit.selected, along) << "with Ctrl they are taken out";
  run_in_window("select none\nbrush radius 90\n" + drag_line({0.4, 0.5}, {0.6, 0.5}) +
                "wait still\n");
  EXPECT_GT(session().documents.active()->edit.selected, along) << "a larger one takes more";
  EXPECT_EQ(errors(""), 0);
}

TEST_F(EditingInTheWindow, AFaceOfTheCropBoxCanBeDragged) {
  scene();
  run_in_window(
      "set statistics false\nopen {}/scene.ply\nbox -1 -1 -1 1 1 1\ntool box\n"
      "camera frame\nwait still\nscreenshot window {shots}/crop_box.png\n");
  const glm::dvec2 size(session().view.width, session().view.height);
  const glm::dvec2 from =
      *projected(session().camera(), face_center(*session().box, 0), 1e-3) / size;
  const glm::dvec2 to = *projected(session().camera(), {1.5, 0, 0}, 1e-3) / size;
  run_in_window(drag_line(from, to));
  EXPECT_NEAR(ends_of(*session().box).high.x, 1.5, 0.02);
  EXPECT_NEAR(ends_of(*session().box).low.x, -1, 1e-6);
  run_in_window(
      fmt::format("pointer at view {} {}\npointer press left\npointer at view 0.5 0.5\n"
                  "key Escape\npointer release left\n",
                  to.x, to.y));
  EXPECT_NEAR(ends_of(*session().box).high.x, 1.5, 0.02) << "given up";
}

TEST_F(EditingInTheWindow, AClickedCameraOpensItsPhotograph) {
  make_tiny_dataset(path("data"));
  run_in_window(
      "set statistics false\nopen {}/data\nwait loaded\n"
      "camera place 3 -12 -12 0 0 0\nwait still\nscreenshot window {shots}/frusta.png\n");
  const CameraSet& set = session().cameras[0];
  const auto px = projected(session().camera(), set.views[7].camera.position_world(), 1e-3);
  ASSERT_TRUE(px);
  run_in_window(pointer_at_view(*px) +
                "wait seconds 0.3\nscreenshot window {shots}/hovered_camera.png\n"
                "pointer click left\nwait still\n");
  ASSERT_TRUE(session().photograph);
  EXPECT_EQ(session().photograph->index, 7u);
}

TEST_F(EditingInTheWindow, RenderingAndPhotographStandSideBySide) {
  make_tiny_dataset(path("data"));
  save_scene(tiny_cloud({.seed = 5}), path("other.ply"));
  run_in_window(
      "set statistics false\nopen {}/data {}/other.ply\nwait loaded\nhide data\nwait still\n");
  run_in_window("photograph 5\ncompare split 0.25\nwait still\nwait seconds 0.2\n");
  const auto photograph = compared_picture(session());
  ASSERT_TRUE(photograph);
  run_in_window("wait still\nwait seconds 0.2\nscreenshot window {shots}/split.png\n");
  const PicturePlace place = place_of_view();
  EXPECT_EQ(place.height, session().view.area_height);
  const Image8 shown = shot("split.png");
  const Image& rendered = session().frame->picture();
  const auto in_window = [&](int x, int y) { return shown.row(place.y + y) + 3 * (place.x + x); };
  int worst_left = 0;
  double far_right = 0;
  for (int y = 60; y < place.height - 60; y += 7) {
    for (int x = 20; x < place.width / 4 - 20; x += 5) {
      for (int c = 0; c < 3; ++c) {
        const int expected =
            static_cast<int>(255 * std::clamp(rendered.row(y)[3 * x + c], 0.0f, 1.0f) + 0.5f);
        worst_left = std::max(worst_left, std::abs(in_window(x, y)[c] - expected));
      }
    }
    for (int x = place.width / 4 + 20; x < place.width - 20; x += 5) {
      const int u = x * photograph->width / place.width, v = y * photograph->height / place.height;
      far_right += std::abs(in_window(x, y)[0] - photograph->row(v)[3 * u]) > 60;
    }
  }
  EXPECT_LE(worst_left, 1) << "left of the line is what was rendered";
  EXPECT_LT(far_right, 200) << "right of it the photograph, enlarged";
  run_in_window(drag_line({0.25, 0.3}, {0.5, 0.3}));
  EXPECT_NEAR(session().view.split, 0.5, 0.01);
}

TEST_F(EditingInTheWindow, OpeningPanelsChangesNoState) {
  make_tiny_dataset(path("data"));
  run_in_window(
      "open {}/data\nwindow size 1100 720\nwait still\nphotograph 3\nbox -1 -1 -1 1 1 1\n"
      "place set 1 2 3 10 20 30 2\nwait still\n");
  const Pose pose = session().navigator.target();
  const Camera lens = session().navigator.lens();
  const Similarity place = session().documents.active()->transform;
  const OrientedBox box = *session().box;
  const std::size_t steps = session().documents.active()->edit.undo_steps;
  std::string text;
  for (const PanelEntry* panel : gui::panel_entries()) {
    text += fmt::format("panel {} on\nwait seconds 0.05\npointer 200 300\nwait seconds 0.05\n",
                        panel->name);
  }
  run_in_window(text);
  EXPECT_TRUE(alike(session().navigator.target(), pose));
  EXPECT_EQ(session().navigator.lens().focal_px, lens.focal_px);
  EXPECT_EQ(session().documents.active()->transform.translation, place.translation);
  EXPECT_EQ(session().documents.active()->transform.rotation, place.rotation);
  EXPECT_EQ(session().box->center, box.center);
  EXPECT_EQ(session().documents.active()->edit.undo_steps, steps);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(EditingInTheWindow, DragFieldsOfWideRangesMove) {
  scene();
  const auto drag = [this](const std::string& field) {
    run_in_window("window size 1000 700\npointer at " + field + " 0.5 0.5\npointer press left\n" +
                  "pointer at " + field + " 0.7 0.5\npointer at " + field +
                  " 0.95 0.5\npointer release left\nwait still\n");
  };
  run_in_window("set statistics false\nopen {}/scene.ply\nwait still\npanel scenes on\n");
  drag("Scale");
  EXPECT_GT(session().documents.active()->transform.scale, 1.1);
  const double speed = session().navigator.speed();
  run_in_window("panel camera on\n");
  drag("Speed");
  EXPECT_GT(session().navigator.speed(), 1.1 * speed);
}

TEST_F(EditingInTheWindow, TheStatusBarCountsTheSelection) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\nselect all\nwait still\n");
  EXPECT_TRUE(seen("200 selected"));
  run_in_window("select none\nwait still\n");
  EXPECT_FALSE(seen("selected"));
}

TEST_F(EditingInTheWindow, ADoubleClickOnNothingDoesNothing) {
  scene();
  run_in_window(
      "set statistics false\nopen {}/scene.ply\nwait still\ncamera look 180 0\nwait still\n");
  const Pose before = session().navigator.target();
  run_in_window("pointer at view 0.5 0.5\npointer click left 2\nwait still\n");
  EXPECT_TRUE(alike(before, session().navigator.target()));
  EXPECT_EQ(errors(""), 0);
}

TEST_F(EditingInTheWindow, AltAndTheLeftButtonOrbitWhileASelectionToolIsActive) {
  scene();
  for (const std::string tool : {"rectangle", "brush"}) {
    run_in_window("set statistics false\nopen {}/scene.ply\ntool " + tool + "\nwait still\n");
    const Pose before = session().navigator.target();
    run_in_window("key hold Alt\n" + drag_line({0.3, 0.3}, {0.6, 0.6}) +
                  "key release Alt\nwait still\n");
    EXPECT_FALSE(alike(before, session().navigator.target())) << tool;
    EXPECT_EQ(session().documents.active()->edit.selected, 0u) << tool;
  }
}

TEST_F(EditingInTheWindow, ASelectionWithoutResultSaysWhichSceneItIsOf) {
  scene("one.ply");
  scene("two.ply");
  run_in_window(
      "set statistics false\nopen {}/one.ply\nwait still\nopen {}/two.ply\nwait still\n"
      "hide 2\ntool rectangle\npanel edit on\nwait still\n" +
      drag_line({0.3, 0.25}, {0.65, 0.7}) + "wait still\n");
  EXPECT_TRUE(seen("two.ply")) << "the panel names the active scene";
  EXPECT_EQ(session().documents.active()->edit.selected, 0u) << "of a hidden scene";
  const auto& notices = session().notices.list();
  ASSERT_FALSE(notices.empty());
  EXPECT_NE(notices.back().text.find("two.ply is hidden"), std::string::npos);
}

TEST_F(EditingInTheWindow, ASelectionIsTintedInTheWindow) {
  scene();
  run_in_window(
      "set statistics false\nset theme dark\nopen {}/scene.ply\nwait still\n"
      "screenshot window {shots}/unselected.png\nwait saved\nselect all\nwait still\n"
      "screenshot window {shots}/all_selected.png\n");
  const Image8 before = shot("unselected.png"), after = shot("all_selected.png");
  const PicturePlace place = place_of_view();
  std::int64_t changed = 0, opaque = 0;
  for (int y = place.y + place.height / 4; y < place.y + 3 * place.height / 4; ++y) {
    for (int x = place.x + place.width / 4; x < place.x + 3 * place.width / 4; ++x) {
      const std::uint8_t *a = before.row(y) + 3 * x, *b = after.row(y) + 3 * x;
      const int light = a[0] + a[1] + a[2];
      opaque += light > 90;
      changed += light > 90 && std::abs(a[0] - b[0]) + std::abs(a[2] - b[2]) > 25;
    }
  }
  ASSERT_GT(opaque, 1000);
  EXPECT_GT(10 * changed, 8 * opaque) << "nearly everything that is seen";
}

TEST_F(EditingInTheWindow, ALassoIsDrawnAndSelects) {
  scene();
  run_in_window(
      "set statistics false\nopen {}/scene.ply\nkey L\nwait still\n"
      "pointer at view 0.3 0.3\npointer press left\npointer at view 0.5 0.2\n"
      "pointer at view 0.7 0.35\npointer at view 0.65 0.6\npointer at view 0.4 0.7\n"
      "wait still\nscreenshot window {shots}/lasso.png\npointer release left\nwait still\n"
      "screenshot window {shots}/lasso_done.png\n");
  const std::size_t selected = session().documents.active()->edit.selected;
  EXPECT_GT(selected, 10u);
  EXPECT_LT(selected, 200u);
}

TEST_F(EditingInTheWindow, APolygonIsClickedAndClosedByEnter) {
  scene();
  const std::string corners =
      "pointer at view 0.3 0.3\npointer click left\nwait seconds 0.6\n"
      "pointer at view 0.7 0.3\npointer click left\nwait seconds 0.6\n"
      "pointer at view 0.6 0.7\npointer click left\nwait seconds 0.6\n"
      "pointer at view 0.4 0.6\n";
  run_in_window("set statistics false\nopen {}/scene.ply\nkey P\nwait still\n" + corners +
                "wait still\nscreenshot window {shots}/polygon.png\nkey Escape\nkey Enter\n"
                "wait still\n");
  EXPECT_EQ(session().documents.active()->edit.selected, 0u) << "Escape cancels it";
  run_in_window(corners + "key Enter\nwait still\n");
  const std::size_t selected = session().documents.active()->edit.selected;
  EXPECT_GT(selected, 10u);
  run_in_window("select none\nwait still\n" + corners + "pointer click left 2\nwait still\n");
  EXPECT_GT(session().documents.active()->edit.selected, 10u) << "a double click closes it, too";
}

TEST_F(EditingInTheWindow, ASphereIsDraggedAndAFloodClicked) {
  scene();
  run_in_window(
      "set statistics false\nopen {}/scene.ply\nkey O\nwait still\n"
      "pointer at view 0.5 0.5\npointer press left\npointer at view 0.55 0.5\n"
      "pointer at view 0.6 0.5\nwait still\nscreenshot window {shots}/sphere.png\n"
      "pointer release left\nwait still\n");
  const std::size_t in_sphere = session().documents.active()->edit.selected;
  EXPECT_GT(in_sphere, 0u);
  EXPECT_LT(in_sphere, 200u);
  run_in_window(
      "select none\nflood distance 0.3\nflood color 2\nkey C\npanel edit on\nwait still\n"
      "pointer at view 0.5 0.5\npointer click left\nwait still\n"
      "screenshot window {shots}/flood.png\n");
  EXPECT_GT(session().documents.active()->edit.selected, 0u);
}

TEST_F(EditingInTheWindow, ADragOverTheHistogramSelects) {
  scene();
  run_in_window(
      "window size 1100 900\nset statistics false\nopen {}/scene.ply\npanel edit on\nwait still\n"
      "pointer at \"Select by property\"\npointer click left\nwait still\n"
      "pointer at histogram 0.5 0.5\npointer press left\npointer at histogram 0.7 0.5\n"
      "pointer at histogram 1 0.5\npointer release left\nwait still\nwait seconds 0.3\n"
      "wait still\nscreenshot window {shots}/histogram.png\n");
  const SplatCloud cloud = random_cloud(200, 1, 1);
  std::ptrdiff_t expected = 0;
  for (std::size_t i = 0; i < 200; ++i) expected += cloud.at(i, Field::logit_opacity) > 0;
  EXPECT_NEAR(static_cast<double>(session().documents.active()->edit.selected),
              static_cast<double>(expected), 8);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(EditingInTheWindow, ATooltipLeavesItsFieldFree) {
  scene();
  run_in_window(
      "window size 1100 800\nopen {}/scene.ply\ntool brush\npanel edit on\nwait still\n"
      "pointer at Radius\nwait seconds 0.2\nwait still\n"
      "screenshot window {shots}/tooltip.png\n");
  const auto& places = session().window.places;
  const auto named = [&](std::string_view name) {
    return std::ranges::find(places, name, &NamedPlace::name);
  };
  const auto field = named("Radius"), words = named("Radius of the brush, in pixels of the view");
  ASSERT_NE(field, places.end());
  ASSERT_NE(words, places.end());
  EXPECT_TRUE(words->y >= field->y + field->height || words->y + words->height <= field->y);
}

}  // namespace
}  // namespace mote
