// Selecting, cropping and comparing by hand, in the window.
#include <fmt/format.h>

#include <glm/geometric.hpp>

#include "app/viewer/crop_box.h"
#include "app/viewer/display.h"
#include "app/viewer/view_lines.h"
#include "gui_fixture.h"

namespace mote {
namespace {

class HandsInTheView : public ScriptedWindow {
 protected:
  /// Where the view begins in the window, px: something has to be open.
  glm::dvec2 corner_of_view() {
    run_in_window(
        "set background 1,0,1\nwait still\nscreenshot window {}/corner.png\n"
        "set background 0,0,0\nwait still\n");
    const Image8 image = read_image8(path("corner.png"));
    const auto is_behind = [&](int x, int y) {
      const std::uint8_t* pixel = image.row(y) + 3 * x;
      return pixel[0] == 255 && pixel[1] == 0 && pixel[2] == 255;
    };
    // Along lines that no bar and no card crosses.
    const int across = image.height * 3 / 5, down = image.width - 20;
    int x = 0, y = 0;
    while (x < image.width && !is_behind(x, across)) ++x;
    while (y < image.height && !is_behind(down, y)) ++y;
    if (x < image.width && y < image.height) return {x, y};
    ADD_FAILURE() << "no background is to be seen";
    return {};
  }
};

bool same(const Image8& a, const Image8& b) {
  return a.width == b.width && a.height == b.height &&
         std::equal(a.pixels.span().begin(), a.pixels.span().end(), b.pixels.data());
}

std::string drag_line(const glm::dvec2& from, const glm::dvec2& to) {
  const glm::dvec2 middle = 0.5 * (from + to);
  return fmt::format(
      "pointer {} {}\npointer press left\npointer {} {}\npointer {} {}\npointer release left\n",
      from.x, from.y, middle.x, middle.y, to.x, to.y);
}

TEST_F(HandsInTheView, SelectDeleteAndTakeThatBack) {
  scene();
  run_in_window(
      "set statistics false\nopen {}/scene.ply\ntool rectangle\nwait still\n"
      "screenshot {}/before.png\n" +
      drag_line({200, 120}, {420, 300}) +
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

TEST_F(HandsInTheView, DragAFaceOfTheCropBox) {
  scene();
  run_in_window(
      "set statistics false\nopen {}/scene.ply\nbox -1 -1 -1 1 1 1\ntool box\n"
      "camera frame\nwait still\nscreenshot window {shots}/crop_box.png\n");
  const glm::dvec2 corner = corner_of_view();
  const glm::dvec2 from =
      corner + *projected(session().camera(), face_center(*session().box, 0), 1e-3);
  const glm::dvec2 to = corner + *projected(session().camera(), {1.5, 0, 0}, 1e-3);
  run_in_window(drag_line(from, to));
  EXPECT_NEAR(ends_of(*session().box).high.x, 1.5, 0.02);
  EXPECT_NEAR(ends_of(*session().box).low.x, -1, 1e-6);
  run_in_window(
      fmt::format("pointer {} {}\npointer press left\npointer 300 200\nkey Escape\n"
                  "pointer release left\n",
                  to.x, to.y));
  EXPECT_NEAR(ends_of(*session().box).high.x, 1.5, 0.02) << "given up";
}

TEST_F(HandsInTheView, StandAtAPhotographWhoseCameraIsClicked) {
  make_tiny_dataset(path("data"));
  run_in_window(
      "set statistics false\nopen {}/data\nwait loaded\n"
      "camera place 3 -12 -12 0 0 0\nwait still\nscreenshot window {shots}/frusta.png\n");
  const CameraSet& set = session().cameras[0];
  const auto px = projected(session().camera(), set.views[7].camera.position_world(), 1e-3);
  ASSERT_TRUE(px);
  const glm::dvec2 at = corner_of_view() + *px;
  run_in_window(
      fmt::format("pointer {} {}\nwait seconds 0.3\n"
                  "screenshot window {{shots}}/hovered_camera.png\n"
                  "pointer click left\nwait still\n",
                  at.x, at.y));
  ASSERT_TRUE(session().photograph);
  EXPECT_EQ(session().photograph->index, 7u);
}

TEST_F(HandsInTheView, SeeTheRenderingAndThePhotographSideBySide) {
  make_tiny_dataset(path("data"));
  save_scene(tiny_cloud({.seed = 5}), path("other.ply"));
  run_in_window(
      "set statistics false\nopen {}/data {}/other.ply\nwait loaded\nhide data\nwait still\n");
  const glm::dvec2 corner = corner_of_view();  // before bars stand beside the picture
  run_in_window("photograph 5\ncompare split 0.25\nwait still\nwait seconds 0.2\n");
  const auto photograph = compared_picture(session());
  ASSERT_TRUE(photograph);
  run_in_window("wait still\nwait seconds 0.2\nscreenshot window {shots}/split.png\n");
  PicturePlace place = picture_place(session());
  EXPECT_EQ(place.height, session().view.area_height);
  place.x += static_cast<int>(corner.x);
  place.y += static_cast<int>(corner.y);
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
  run_in_window(drag_line({place.x + 0.25 * place.width, 100}, {place.x + 0.5 * place.width, 100}));
  EXPECT_NEAR(session().view.split, 0.5, 0.01);
}

TEST_F(HandsInTheView, FindThatPanelsChangeNothingByThemselves) {
  make_tiny_dataset(path("data"));
  run_in_window(
      "open {}/data\nwindow size 1100 720\nwait still\nphotograph 3\nbox -1 -1 -1 1 1 1\n"
      "place set 1 2 3 10 20 30 2\nwait still\n");
  const Pose pose = session().navigator.target();
  const Camera lens = session().navigator.lens();
  const Similarity place = session().documents.active()->transform;
  const OrientedBox box = *session().box;
  std::string text;
  for (const PanelEntry& panel : panel_list()) {
    text += fmt::format("panel {} on\nwait seconds 0.05\npointer 200 300\nwait seconds 0.05\n",
                        panel.name);
  }
  run_in_window(text);
  EXPECT_TRUE(alike(session().navigator.target(), pose));
  EXPECT_EQ(session().navigator.lens().focal_px, lens.focal_px);
  EXPECT_EQ(session().documents.active()->transform.translation, place.translation);
  EXPECT_EQ(session().documents.active()->transform.rotation, place.rotation);
  EXPECT_EQ(session().box->center, box.center);
  EXPECT_EQ(session().documents.active()->edit.undo_steps, 0u);
  EXPECT_EQ(errors(""), 0);
}

}  // namespace
}  // namespace mote
