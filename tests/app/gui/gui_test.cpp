// The window as users see and use it: scripted input, pictures of the whole window.
#include <array>
#include <glm/geometric.hpp>
#include <map>

#include "app/viewer/session/action.h"
#include "attended_host.h"
#include "devices/devices.h"
#include "support/gui_fixture.h"

namespace mote {
namespace {

using AWindow = ScriptedWindow;

/// Largest difference of the two in levels, over the part of `shown` that the picture covers.
int worst_difference(const Image8& shown, const Image& picture, int left, int top) {
  int worst = 0;
  for (int y = 0; y < picture.height; ++y) {
    for (int i = 0; i < 3 * picture.width; ++i) {
      const float value = std::clamp(picture.row(y)[i], 0.0f, 1.0f);
      const int expected = static_cast<int>(255 * value + 0.5f);
      worst = std::max(worst, std::abs(shown.row(y + top)[3 * left + i] - expected));
    }
  }
  return worst;
}

int different_pixels(const Image8& a, const Image8& b) {
  int count = 0;
  for (std::size_t i = 0; i < std::min(a.pixels.size(), b.pixels.size()); i += 3) {
    count += std::abs(a.pixels[i] - b.pixels[i]) > 8;
  }
  return count;
}

/// Number of pixels in a part of the window that do not have its most frequent color.
int drawn_pixels(const Image8& shown, const PicturePlace& place) {
  std::map<std::array<int, 3>, int> counts;
  int most = 0, all = 0;
  for (int y = place.y; y < place.y + place.height; ++y) {
    for (int x = place.x; x < place.x + place.width; ++x, ++all) {
      const std::uint8_t* pixel = shown.row(y) + 3 * x;
      most = std::max(most, ++counts[{pixel[0], pixel[1], pixel[2]}]);
    }
  }
  return all - most;
}

Image8 part(const Image8& shown, const PicturePlace& place) {
  Image8 cut;
  cut.resize_discard(place.width, place.height, 3);
  for (int y = 0; y < place.height; ++y) {
    std::copy_n(shown.row(place.y + y) + 3 * place.x, 3 * place.width, cut.row(y));
  }
  return cut;
}

TEST_F(AWindow, AsksForASceneWhileNothingIsOpen) {
  run_in_window("screenshot window {shots}/welcome.png\n");
  const Image8 image = shot("welcome.png");
  EXPECT_EQ(image.width, kWidth);
  EXPECT_EQ(image.height, kHeight);
  EXPECT_TRUE(seen("Open ..."));
  const PicturePlace place = place_of_view();
  EXPECT_GT(drawn_pixels(image, place), 500) << "words stand in the view";
  // The longest line ends before the clipping edges, which are 26 glyph heights apart.
  const int beside = (place.width - 24 * 16) / 2;
  EXPECT_EQ(drawn_pixels(image, {place.x, place.y, beside, place.height}), 0);
  EXPECT_EQ(drawn_pixels(image, {place.x + place.width - beside, place.y, beside, place.height}),
            0);
  run_in_window("pointer at \"Open ...\"\npointer click left\nwait still\n");
  EXPECT_TRUE(seen("Cancel")) << "it asks for what is to be opened";
  scene();
  run_in_window("open {}/scene.ply\nset statistics false\nwait still\n");
  EXPECT_FALSE(seen("Open ..."));
}

TEST_F(AWindow, EndsAfterTheEffectOfTheLastLine) {
  scene();
  run_in_window("open {}/missing.ply\n");
  EXPECT_EQ(errors("missing.ply"), 1);
  run_in_window("open {}/scene.ply\nwait still\nscreenshot {}/last.png\n");
  EXPECT_TRUE(std::filesystem::exists(path("last.png")));
  run_in_window("project save as {}/last.mote\nquit\n");
  EXPECT_TRUE(std::filesystem::exists(path("last.mote")));
}

TEST_F(AWindow, ShowsTheRenderedPictureWithinOneLevel) {
  scene();
  run_in_window(
      "open {}/scene.ply\nwindow view\ncamera orbit 30 10\nwait still\n"
      "screenshot window {shots}/scene.png\n");
  const Camera camera = session().camera();
  ASSERT_EQ(camera.width, kWidth);
  ASSERT_EQ(camera.height, kHeight);
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}});
  const auto device = backend->upload(load_scene(path("scene.ply")));
  Frame frame;
  backend->render(*device, camera, {}, frame);
  const Image8 shown = shot("scene.png");
  // Below the frusta and the tools nothing covers the picture.
  EXPECT_LE(worst_difference(shown, frame.rgb, 0, 0), 1);
}

TEST_F(AWindow, LooksTheSameWithoutADisplay) {
  scene();
  run_in_window(
      "open {}/scene.ply\nset statistics false\nwait still\n"
      "screenshot window {shots}/on_display.png\n");
  start();
  run_in_window(
      "open {}/scene.ply\nset statistics false\nwait still\n"
      "screenshot window {shots}/offscreen.png\n",
      true);
  EXPECT_LT(different_pixels(shot("on_display.png"), shot("offscreen.png")), 20);
}

TEST_F(AWindow, InputOrbitsPansZoomsAndFlies) {
  scene();
  run_in_window("open {}/scene.ply\nwait still\n");
  const auto eye = [this] { return session().navigator.target().eye_world; };
  for (const std::string input :
       {"pointer press left\npointer 420 240\npointer release left\n",
        "pointer press right\npointer 420 240\npointer release right\n",
        "pointer press middle\npointer 420 240\npointer release middle\n", "pointer scroll 2\n",
        "key hold W\nwait seconds 0.1\nkey release W\n"}) {
    const Pose before = session().navigator.target();
    run_in_window("pointer 340 200\n" + input + "wait still\n");
    EXPECT_FALSE(alike(before, session().navigator.target())) << input;
  }
  const glm::dvec3 at_rest = eye();
  run_in_window("wait seconds 0.1\n");
  EXPECT_LT(glm::length(eye() - at_rest), 1e-9) << "the key was let go";
}

TEST_F(AWindow, KeysTriggerActionsAndTextGoesToTheFocusedField) {
  scene();
  run_in_window(
      "open {}/scene.ply\nwait still\nkey M\nkey F1\nscreenshot window {shots}/help.png\n"
      "key F1\nkey Tab\n");
  EXPECT_EQ(session().view.mode, &render_modes()[1]);
  EXPECT_FALSE(session().window.help);
  EXPECT_TRUE(session().window.view_only);
  // A keyboard sends the key and its letter.
  run_in_window(
      "window view\nwindow size 900 600\npanel log on\npointer at Filter\npointer click left\n"
      "key hold M\ntext m\nkey release M\nkey hold K\ntext k\nkey release K\nwait still\n");
  EXPECT_EQ(session().view.mode, &render_modes()[1]) << "M went to the field";
  EXPECT_TRUE(session().path.empty()) << "and K";
  EXPECT_FALSE(seen("scene.ply")) << "no line of the log has these letters";
}

TEST_F(AWindow, OpensAFileByItsDialog) {
  scene();
  run_in_window(
      "key Ctrl+O\nscreenshot window {shots}/files.png\ntext {}/scene.ply\nkey Enter\n"
      "wait loaded\nwait still\n");
  ASSERT_EQ(session().documents.list().size(), 1u);
  run_in_window("key Ctrl+O\nkey Escape\nkey M\n");
  EXPECT_EQ(session().view.mode, &render_modes()[1]) << "keys go to the view again";
}

TEST_F(AWindow, FollowsItsSizeAndSurvivesMinimising) {
  scene();
  run_in_window(
      "open {}/scene.ply\nwait still\nwindow size 800 500\nwait still\n"
      "screenshot window {shots}/larger.png\nwindow minimise\nwait seconds 0.05\n"
      "window restore\nwindow size 500 330\nwait still\n"
      "screenshot window {shots}/smaller.png\n");
  EXPECT_EQ(shot("larger.png").width, 800);
  EXPECT_EQ(shot("larger.png").height, 500);
  EXPECT_EQ(shot("smaller.png").width, 500);
  EXPECT_EQ(errors(""), 0);
}

TEST_F(AWindow, DrawsNothingWhileMinimised) {
  scene();
  const gui::Host* put_away = nullptr;
  int looks = 0;
  std::uint64_t before = 0, after = 0;
  auto host = std::make_unique<AttendedHost>(kWidth, kHeight, [&](const std::vector<InputEvent>&) {
    if (put_away->width() > 0) return;
    after = session().window.costs.frames;
    if (++looks == 1) before = after;
    if (looks == 40) act("quit");
  });
  put_away = host.get();
  run_in_window(
      "open {}/scene.ply\nwait still\nwindow minimise\ncamera fly 0 0 0.1\nwait seconds 100000\n",
      std::move(host));
  EXPECT_EQ(looks, 40);
  EXPECT_GT(before, 0u) << "it was seen before";
  EXPECT_EQ(after, before) << "though the view moves";
}

TEST_F(AWindow, ReportsABrokenDroppedFileAndContinues) {
  scene();
  std::ofstream(path("bad.ply")) << "ply\nformat nonsense";
  run_in_window(
      "drop {}/bad.ply\nwait loaded\nscreenshot window {shots}/bad_file.png\n"
      "drop {}/scene.ply\nwait loaded\nwait still\n");
  EXPECT_EQ(errors("bad.ply"), 1);
  EXPECT_EQ(session().documents.list().size(), 1u);
}

TEST_F(AWindow, OpensEveryPanelInBothThemes) {
  scene();
  std::string text = "open {}/scene.ply\nwait still\nwindow size 1100 720\n";
  for (const std::string theme : {"dark", "light"}) {
    text += "set theme " + theme + "\n";
    for (const PanelEntry* entry : gui::panel_entries()) {
      const std::string name(entry->name);
      text += "panel " + name + " on\nwait still\nscreenshot window {shots}/panel_" + name + "_" +
              theme + ".png\n";
    }
  }
  run_in_window(text);
  EXPECT_EQ(errors(""), 0);
  const auto found = [this](std::string_view name) {
    const std::vector<NamedPlace>& places = session().window.places;
    const auto place = std::find_if(places.begin(), places.end(),
                                    [&](const NamedPlace& one) { return one.name == name; });
    // Without the title bar.
    constexpr int kHead_px = 50;
    return PicturePlace{static_cast<int>(place->x), static_cast<int>(place->y) + kHead_px,
                        static_cast<int>(place->width), static_cast<int>(place->height) - kHead_px};
  };
  for (const PanelPlace where : {PanelPlace::side, PanelPlace::drawer}) {
    const PicturePlace place = found(where == PanelPlace::side ? "panel" : "drawer");
    std::vector<Image8> all;
    for (const PanelEntry* entry : gui::panel_entries()) {
      if (entry->place != where) continue;
      for (const std::string theme : {"dark", "light"}) {
        const Image8 image = shot(fmt::format("panel_{}_{}.png", entry->name, theme));
        ASSERT_EQ(image.width, 1100);
        EXPECT_GT(drawn_pixels(image, place), 300) << entry->name << " is blank in " << theme;
        Image8 cut = part(image, place);
        for (const Image8& other : all) {
          EXPECT_GT(different_pixels(cut, other), 300) << entry->name;
        }
        all.push_back(std::move(cut));
      }
    }
  }
}

TEST_F(AWindow, IsCapturedWithAPictureOfItsSize) {
  scene();
  run_in_window(
      "set statistics false\nopen {}/scene.ply\nwait still\npanel scenes on\n"
      "screenshot window {shots}/at_once.png\nwait saved\nnotices clear\nwait still\n"
      "screenshot window {shots}/at_rest.png\n");
  const PicturePlace place = place_of_view();
  EXPECT_LT(different_pixels(part(shot("at_once.png"), place), part(shot("at_rest.png"), place)),
            20);
}

TEST_F(AWindow, ShowsTheProgressOfTheFirstFile) {
  scene("large.ply", 200000);
  bool shown = false;
  auto host = std::make_unique<AttendedHost>(
      kWidth, kHeight, [&](const std::vector<InputEvent>&) { shown |= seen("Opening large.ply"); });
  run_in_window("open {}/large.ply\nwait loaded\nwait still\n", std::move(host));
  EXPECT_TRUE(shown);
  EXPECT_FALSE(seen("Opening large.ply"));
}

TEST_F(AWindow, CanCloseWhileAFileLoads) {
  scene("large.ply", 200000);
  run_in_window("open {}/large.ply\nquit\n");
  EXPECT_TRUE(session().quitting);
}

TEST_F(AWindow, SavesTheRunBeforeItCloses) {
  make_tiny_dataset(path("data"));
  run_in_window(
      "open {}/data\nwait still\n"
      "train start steps=100000 sh-degree=0 max-splats=100 out={}/run eval=false\n"
      "wait trained 3\nscreenshot window {shots}/training.png\nkey Ctrl+Q\nwait seconds 60\n");
  EXPECT_TRUE(session().quitting);
  EXPECT_FALSE(session().trainer.active());
  const std::filesystem::path checkpoints = folder_ / "run" / "checkpoints";
  ASSERT_TRUE(std::filesystem::exists(checkpoints));
  EXPECT_FALSE(std::filesystem::is_empty(checkpoints));
}

TEST_F(AWindow, InputWithoutAWindowIsRefused) {
  for (const char* line : {"pointer 1 1", "key A", "text words", "drop x", "window size 300 300",
                           "window minimise", "screenshot window x.png"}) {
    try {
      viewer_->perform(parse_action(line));
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("no window"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace mote
