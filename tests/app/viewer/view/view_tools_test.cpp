// Pointer input in the view, and its marks.
#include "app/viewer/view/view_tools.h"

#include <fmt/format.h>

#include <glm/geometric.hpp>

#include "app/viewer/view/crop_box.h"
#include "app/viewer/view/display.h"
#include "app/viewer/view/frustum_marks.h"
#include "app/viewer/view/overlay.h"
#include "app/viewer/view/path_marks.h"
#include "app/viewer/view/view_lines.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

class ViewPointerTools : public ScriptedViewer {
 protected:
  void SetUp() override {
    static constexpr PanelEntry kPath{.name = "path", .title = "Path", .help = ""};
    panels_ = {&kPath};
    ScriptedViewer::SetUp();
    viewer_->resize(400, 300);
  }

  using ScriptedViewer::act;
  void act(const ViewTools::Calls& calls) {
    for (const ActionCall& call : calls) viewer_->act(call);
  }
  /// Moves from one position to the other in a few steps, and acts on each.
  void drag(const glm::dvec2& from, const glm::dvec2& to, bool shift = false,
            bool control = false) {
    ASSERT_TRUE(tools_.begin(session(), {from, shift, control}));
    for (int i = 1; i <= 4; ++i) {
      act(tools_.drag(session(), {glm::mix(from, to, 0.25 * i), shift, control}));
    }
    act(tools_.end(session(), {to, shift, control}));
    update();
  }
  std::size_t selected() {
    while (session().edits.pending() > 0) update();
    update();
    return session().documents.active()->edit.selected;
  }
  glm::dvec2 handle(int face) const {
    return *projected(shown_camera(session()), face_center(*session().box, face), 1e-6);
  }

  ViewTools tools_;
};

TEST_F(ViewPointerTools, SelectAddAndSubtractByARectangle) {
  scene();
  run("open {}/scene.ply\nwait still\ntool rectangle\n");
  drag({10, 10}, {200, 290});
  const std::size_t left = selected();
  EXPECT_GT(left, 0u);
  EXPECT_LT(left, 200u);
  drag({200, 290}, {390, 10}, true);
  const std::size_t both = selected();
  EXPECT_GT(both, left);
  drag({10, 10}, {200, 290}, false, true);
  EXPECT_LE(selected(), both - left + 2) << "splats on the line count for both";
  drag({50, 50}, {51, 50}, true);
  EXPECT_GT(selected(), 0u) << "a click with Shift changes nothing";
  drag({50, 50}, {51, 50});
  EXPECT_EQ(selected(), 0u);
}

TEST_F(ViewPointerTools, SelectTheSameSplatsAsTheAction) {
  scene();
  run("open {}/scene.ply\nwait still\ntool rectangle\n");
  drag({100, 75}, {300, 225});
  const std::size_t by_pointer = selected();
  run("select none\nselect rectangle 0.25 0.25 0.75 0.75\nwait still\n");
  EXPECT_EQ(selected(), by_pointer);
  run("tool brush\nbrush radius 40\n");
  drag({150, 150}, {250, 150});
  const std::size_t brushed = selected();
  EXPECT_GT(brushed, 0u);
  run("select brush replace 40 0.375 0.5 0.625 0.5\nwait still\n");
  EXPECT_EQ(selected(), brushed);
}

TEST_F(ViewPointerTools, ALassoSelectsWhatItEncloses) {
  scene();
  run("open {}/scene.ply\nwait still\ntool lasso\n");
  const std::vector<glm::dvec2> corners{{100, 75}, {300, 75}, {300, 225}, {100, 225}};
  ASSERT_TRUE(tools_.begin(session(), {corners[0]}));
  for (std::size_t i = 1; i < 4; ++i) {
    for (int k = 1; k <= 10; ++k) {
      tools_.drag(session(), {glm::mix(corners[i - 1], corners[i], 0.1 * k)});
    }
  }
  EXPECT_GT(overlay_strokes(session(), tools_).size(), 50u) << "the line so far";
  act(tools_.end(session(), {corners[3]}));
  const std::size_t enclosed = selected();
  EXPECT_TRUE(overlay_strokes(session(), tools_).empty());
  run("select none\nselect rectangle 0.25 0.25 0.75 0.75\nwait still\n");
  EXPECT_GT(enclosed, 10u);
  EXPECT_EQ(enclosed, selected());
  ASSERT_TRUE(tools_.begin(session(), {{50, 50}}));
  act(tools_.end(session(), {{51, 50}}));
  EXPECT_EQ(selected(), 0u) << "a click selects nothing";
}

TEST_F(ViewPointerTools, APolygonIsClosedOnItsFirstCornerByADoubleClickOrByAKey) {
  scene();
  run("open {}/scene.ply\nwait still\nselect rectangle 0.25 0.25 0.75 0.75\nwait still\n");
  const std::size_t inside = selected();
  ASSERT_GT(inside, 10u);
  run("tool polygon\n");
  const auto click = [this](const glm::dvec2& px, bool shift = false) {
    ASSERT_TRUE(tools_.begin(session(), {px, shift}));
    act(tools_.end(session(), {px, shift}));
  };
  const auto corners = [&] {
    run("select none\nwait still\n");
    click({100, 75});
    click({300, 75});
    click({300, 225});
    click({100, 225});
    EXPECT_EQ(tools_.outline_px().size(), 4u);
    EXPECT_EQ(selected(), 0u) << "not before it is closed";
    tools_.hover(session(), ViewPointer{{200, 150}});
    EXPECT_GT(overlay_strokes(session(), tools_).size(), 8u);
  };
  corners();
  click({103, 78});
  EXPECT_EQ(selected(), inside);
  EXPECT_TRUE(tools_.outline_px().empty());
  corners();
  act(tools_.double_click(session(), {{200, 150}}));
  EXPECT_EQ(selected(), inside);
  corners();
  act(tools_.close_outline(session()));
  EXPECT_EQ(selected(), inside);
  corners();
  EXPECT_TRUE(tools_.cancel().empty());
  EXPECT_TRUE(tools_.outline_px().empty());
  EXPECT_TRUE(tools_.close_outline(session()).empty());
  EXPECT_EQ(selected(), 0u);
  run("select all\nwait still\n");
  click({100, 75}, true);
  click({300, 75}, true);
  click({300, 225}, true);
  run("tool lasso\n");
  tools_.hover(session(), ViewPointer{{200, 150}});
  EXPECT_TRUE(tools_.outline_px().empty()) << "another tool forgets it";
}

TEST_F(ViewPointerTools, ASphereReachesFromTheSurfaceToThePointer) {
  scene();
  run("open {}/scene.ply\nwait still\ntool sphere\n");
  glm::dvec2 from(200, 150);
  ASSERT_TRUE(surface_at(session(), from / glm::dvec2(400, 300)));
  const glm::dvec3 center = *surface_at(session(), from / glm::dvec2(400, 300));
  ASSERT_TRUE(tools_.begin(session(), {from}));
  tools_.drag(session(), {{250, 150}});
  EXPECT_GT(overlay_strokes(session(), tools_).size(), 100u);
  const ViewTools::Calls calls = tools_.end(session(), {{250, 150}});
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].action->name, "select sphere");
  const double radius = std::get<double>(calls[0].values[3]);
  const Camera camera = shown_camera(session());
  const double depth = (camera.cam_from_world * center + camera.translation).z;
  EXPECT_NEAR(radius, 50 / camera.focal_px.x * depth, 1e-6);
  act(calls);
  const SplatMask& found = [&]() -> const SplatMask& {
    selected();
    return *session().documents.active()->edit.selection;
  }();
  const SplatCloud cloud = random_cloud(200, 1, 1);
  for (std::size_t i = 0; i < 200; ++i) {
    const glm::dvec3 mean(cloud.at(i, Field::mean_x), cloud.at(i, Field::mean_y),
                          cloud.at(i, Field::mean_z));
    EXPECT_EQ(found.test(i), glm::distance(mean, center) <= radius) << i;
  }
  EXPECT_GT(found.count(), 0u);
}

TEST_F(ViewPointerTools, AFloodStartsAtTheClickedSplat) {
  scene();
  run("open {}/scene.ply\nwait still\ntool flood\nflood distance 10\nflood color 2\n");
  ASSERT_TRUE(tools_.begin(session(), {{200, 150}}));
  act(tools_.end(session(), {{200, 150}}));
  EXPECT_EQ(selected(), 200u) << "all are neighbours";
  run("flood distance 1e-6\n");
  ASSERT_TRUE(tools_.begin(session(), {{200, 150}}));
  act(tools_.end(session(), {{200, 150}}));
  EXPECT_EQ(selected(), 1u) << "the splat itself";
}

TEST_F(ViewPointerTools, LeaveTheDragToTheCameraIfNoToolUsesIt) {
  scene();
  run("open {}/scene.ply\nwait still\n");
  EXPECT_FALSE(tools_.begin(session(), {{200, 150}}));
  run("tool box\n");
  EXPECT_FALSE(tools_.begin(session(), {{200, 150}})) << "there is no box";
  run("box fit scene\nwait seconds 0.01\n");
  while (!session().box) update();
  EXPECT_FALSE(tools_.begin(session(), {{1, 1}})) << "no handle is there";
  EXPECT_TRUE(tools_.drag(session(), {{100, 100}}).empty());
  EXPECT_TRUE(tools_.end(session(), {{100, 100}}).empty());
}

TEST_F(ViewPointerTools, DragAFaceOfTheBoxUnderThePointer) {
  scene();
  run("open {}/scene.ply\nwait still\nbox -1 -1 -1 1 1 1\nbox turn 10 20 30\ntool box\n"
      "camera frame\nwait still\n");
  int dragged = 0;
  for (int face = 0; face < kBoxFaces; ++face) {
    run("box level\nbox -1 -1 -1 1 1 1\nbox turn 10 20 30\n");
    const OrientedBox before = *session().box;
    const glm::dvec2 from = handle(face);
    tools_.hover(session(), ViewPointer{from});
    if (tools_.hovered_face() != face) continue;  // another handle is in front of it
    const glm::dvec3 outside = face_center(before, face) + 0.4 * face_normal(before, face);
    const glm::dvec2 to = *projected(shown_camera(session()), outside, 1e-6);
    drag(from, to);
    EXPECT_LT(glm::length(face_center(*session().box, face) - outside), 1e-4) << face;
    EXPECT_LT(glm::length(face_center(*session().box, face ^ 1) - face_center(before, face ^ 1)),
              1e-6);
    EXPECT_LT(glm::length(session().box->rotation[0] - before.rotation[0]), 1e-12);
    ++dragged;
  }
  EXPECT_GE(dragged, 3) << "the sides that are seen";
}

TEST_F(ViewPointerTools, RestoreTheBoxIfADragIsCancelled) {
  scene();
  run("open {}/scene.ply\nwait still\nbox -1 -1 -1 1 1 1\ntool box\ncamera frame\nwait still\n");
  const glm::dvec2 from = handle(0);
  ASSERT_TRUE(tools_.begin(session(), {from}));
  act(tools_.drag(session(), {from + glm::dvec2(30, 5)}));
  EXPECT_NE(session().box->half_size.x, 1);
  act(tools_.cancel());
  EXPECT_NEAR(session().box->half_size.x, 1, 1e-9);
  EXPECT_FALSE(tools_.dragging());
}

TEST_F(ViewPointerTools, OpenThePhotographOfAClickedCamera) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait loaded\ncamera place 0 -20 -20 0 0 0\nwait still\n");
  const CameraSet& set = session().cameras[0];
  int found = 0;
  for (std::size_t i = 0; i < set.views.size(); ++i) {
    const Pyramid pyramid = pyramid_of(set.views[i].camera, pyramid_depth(set));
    const auto px =
        projected(shown_camera(session()), 0.5 * (pyramid.corners[0] + pyramid.eye), 1e-3);
    ASSERT_TRUE(px);
    tools_.hover(session(), ViewPointer{*px});
    ASSERT_TRUE(tools_.hovered_mark()) << i;
    if (tools_.hovered_mark()->index != i) continue;  // another camera is in front of it
    EXPECT_EQ(tools_.shape(session()), PointerShape::hand);
    EXPECT_EQ(tools_.click(session(), {*px}), (ViewTools::Calls{{"photograph number", i + 1}}));
    ++found;
  }
  EXPECT_GE(found, 6);
  EXPECT_TRUE(tools_.click(session(), {{2, 2}}).empty());
  EXPECT_TRUE(tools_.double_click(session(), {{2, 2}}).empty()) << "there is nothing to focus on";
  const glm::dvec2 size(session().view.width, session().view.height);
  glm::dvec2 px(0.25, 0.25);
  while (px.y < size.y && !(surface_at(session(), px / size) && !mark_under(session(), px, 4))) {
    px.x += 1;
    if (px.x >= size.x) px = {0.25, px.y + 1};
  }
  ASSERT_LT(px.y, size.y);
  EXPECT_EQ(tools_.double_click(session(), {px}).front().action->name, "camera focus");
  run("set frusta false\n");
  tools_.hover(session(), ViewPointer{{200, 150}});
  EXPECT_FALSE(tools_.hovered_mark());
}

TEST_F(ViewPointerTools, DrawEveryCameraExceptThatOfTheView) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait loaded\nset frusta false\nset smoothing 0\ncamera place 0 -20 -20 0 0 0\n"
      "wait still\n");
  EXPECT_TRUE(overlay_strokes(session(), tools_).empty());
  run("set frusta true\nwait still\n");
  EXPECT_EQ(overlay_strokes(session(), tools_).size(), 12u * 10);
  run("photograph 3\nwait still\n");
  const CameraSet& set = session().cameras[0];
  EXPECT_EQ(mark_opacity(session(), set, 2), 0);
  EXPECT_GT(mark_opacity(session(), set, 3), 0);
}

TEST_F(ViewPointerTools, CamerasNearTheEyeFadeAndTakeNoClicks) {
  make_tiny_dataset(path("data"));
  run("open {}/data\nwait loaded\nset smoothing 0\n");
  const CameraSet& set = session().cameras[0];
  const Pyramid pyramid = pyramid_of(set.views[3].camera, pyramid_depth(set));
  const glm::dvec3 ahead =
      glm::normalize(pyramid.corners[0] + pyramid.corners[2] - 2.0 * pyramid.eye);
  const auto look_from = [&](double depths) {
    const glm::dvec3 eye = pyramid.eye - depths * pyramid_depth(set) * ahead;
    run(fmt::format("camera place {} {} {} {} {} {}\nwait still\n", eye.x, eye.y, eye.z,
                    pyramid.eye.x, pyramid.eye.y, pyramid.eye.z));
    return mark_under(session(), session().camera().center_px, 4);
  };
  const auto far = look_from(8);
  ASSERT_TRUE(far);
  EXPECT_EQ(far->index, 3u);
  EXPECT_EQ(mark_opacity(session(), set, 3), 1);
  const auto close = look_from(1.5);
  EXPECT_TRUE(!close || close->index != 3);
  EXPECT_LT(mark_opacity(session(), set, 3), 0.5);
}

TEST_F(ViewPointerTools, DrawTheCamerasOfEveryShownDataset) {
  make_tiny_dataset(path("first"));
  make_tiny_dataset(path("second"), {.views = 5, .seed = 3});
  run("open {}/first {}/second\nwait loaded\nset smoothing 0\ncamera place 0 -20 -20 0 0 0\n"
      "wait still\n");
  EXPECT_EQ(overlay_strokes(session(), tools_).size(), (12u + 5) * 10);
  EXPECT_EQ(shown_cameras(session()), &session().cameras[1]) << "the newest is meant";
  run("activate first\n");
  EXPECT_EQ(shown_cameras(session()), &session().cameras[0]) << "that of the marked scene is";
  run("hide first\nwait still\n");
  EXPECT_EQ(overlay_strokes(session(), tools_).size(), 5u * 10);
  run("photograph 2\ncompare split\ncameras second\n");
  EXPECT_FALSE(session().photograph);
  EXPECT_EQ(session().view.compare, Compare::off);
  run("photograph 2\n");
  EXPECT_EQ(session().photograph->set, session().cameras[1].id);
  for (const char* name : {"third", "0", "3"}) {
    act("notices clear");
    act(std::string("cameras ") + name);
    EXPECT_EQ(errors("an open dataset's name"), 1) << name;
  }
}

TEST_F(ViewPointerTools, ChooseAClickedKeyframe) {
  scene();
  run("open {}/scene.ply\nset smoothing 0\nwait still\npath add\ncamera orbit 60 0\npath add\n"
      "camera orbit -30 50\ncamera zoom 0.5\nwait still\n");
  EXPECT_TRUE(overlay_strokes(session(), tools_).empty()) << "its panel is not open";
  run("panel path on\n");
  const std::size_t strokes = overlay_strokes(session(), tools_).size();
  EXPECT_GT(strokes, 2u * 10);
  const double depth = path_mark_depth(session());
  for (const std::size_t i : {0u, 1u}) {
    const auto px = projected(shown_camera(session()), path_mark(session(), i, depth).eye, 1e-3);
    ASSERT_TRUE(px);
    tools_.hover(session(), ViewPointer{*px});
    EXPECT_EQ(tools_.hovered_keyframe(), i);
    EXPECT_EQ(tools_.shape(session()), PointerShape::hand);
    act(tools_.click(session(), {*px}));
    EXPECT_EQ(session().path.chosen(), i);
  }
  const auto px = projected(shown_camera(session()), path_mark(session(), 0, depth).eye, 1e-3);
  EXPECT_EQ(tools_.double_click(session(), {*px}), (ViewTools::Calls{{"path go", 1}}));
  run("path play\n");
  EXPECT_FALSE(path_is_drawn(session())) << "the way is looked at, not its marks";
  run("path stop\nset camera-path false\n");
  tools_.hover(session(), ViewPointer{*px});
  EXPECT_FALSE(tools_.hovered_keyframe());
  EXPECT_TRUE(overlay_strokes(session(), tools_).empty());
}

TEST_F(ViewPointerTools, MarkTheSelectionAndTheDrag) {
  scene();
  run("open {}/scene.ply\nwait still\ntool rectangle\n");
  EXPECT_TRUE(overlay_strokes(session(), tools_).empty());
  ASSERT_TRUE(tools_.begin(session(), {{100, 100}}));
  tools_.drag(session(), {{200, 200}});
  EXPECT_EQ(overlay_strokes(session(), tools_).size(), 8u) << "four sides and their shadow";
  act(tools_.end(session(), {{300, 250}}));
  const std::size_t count = selected();
  ASSERT_GT(count, 0u);
  EXPECT_TRUE(overlay_strokes(session(), tools_).empty()) << "the picture shows it by a tint";
  run("mode depth\nwait still\n");
  EXPECT_EQ(overlay_strokes(session(), tools_).size(), count) << "a dot each";
  run("hide\n");
  EXPECT_TRUE(overlay_strokes(session(), tools_).empty());
}

TEST_F(ViewPointerTools, DrawACropBoxFromInside) {
  scene();
  run("open {}/scene.ply\nbox -50 -50 -50 50 50 50\ntool box\nwait still\n");
  const auto strokes = overlay_strokes(session(), tools_);
  EXPECT_FALSE(strokes.empty()) << "at least the handle of the face ahead";
  for (const present::OverlayStroke& stroke : strokes) {
    for (const float value : {stroke.from[0], stroke.from[1], stroke.to[0], stroke.to[1]}) {
      EXPECT_GE(value, -20);
      EXPECT_LE(value, 420);
    }
  }
}

}  // namespace
}  // namespace mote
