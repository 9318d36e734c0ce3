// The window shows the same pictures as the command renders: every mode, from several cameras, at
// several sizes, and beside a photograph.
#include "app/viewer/view/photograph_view.h"
#include "support/gui_fixture.h"
#include "support/program_run.h"

namespace mote {
namespace {

/// A window with only the view, so that the picture fills it, and a display pass that does not
/// change values.
class AWindowOfPictures : public ScriptedWindow {
 protected:
  /// `mote render` into the folder `out`.
  void render(std::vector<std::string> words) const {
    words.insert(words.begin(), "render");
    words.insert(words.end(), {"--device", "cpu", "-o", path("out"), "-y"});
    const Outcome outcome =
        finish_program(start_program(words, path("render.out"), path("render.err")),
                       path("render.out"), path("render.err"));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  Image8 rendered(const std::string& name) const { return read_image8(path("out/" + name)); }
};

/// Largest difference of the two in levels; 256 if their sizes differ.
int worst_difference(const Image8& a, const Image8& b) {
  if (a.width != b.width || a.height != b.height || a.channels != b.channels) return 256;
  int worst = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    worst = std::max(worst, std::abs(a.pixels[i] - b.pixels[i]));
  }
  return worst;
}

std::size_t different_values(const Image8& a, const Image8& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < std::min(a.pixels.size(), b.pixels.size()); ++i) {
    count += std::abs(a.pixels[i] - b.pixels[i]) > 8;
  }
  return count;
}

struct WindowSize {
  int width = 0, height = 0;

  std::string text() const { return fmt::format("{}x{}", width, height); }
};

constexpr WindowSize kSizes[] = {{640, 420}, {810, 501}};
constexpr int kCameras = 2;

std::vector<RenderMode> modes_of_splats() {
  std::vector<RenderMode> modes(render_modes().begin(), render_modes().end());
  std::erase_if(modes,
                [](const RenderMode& mode) { return mode.is_of_fields() || mode.is_of_motion(); });
  return modes;
}

std::string shot_name(const RenderMode& mode, const WindowSize& size, int camera) {
  return fmt::format("mode_{}_{}_{}.png", mode.name, size.text(), camera + 1);
}

TEST_F(AWindowOfPictures, ShowsEveryModeAsTheCommandRendersItFromTheSameCamera) {
  scene("scene.ply", 600);
  std::string script =
      "open {}/scene.ply\nwindow view\nwait still\ncamera orbit 30 10\npath add 0\n"
      "camera orbit 70 -35\ncamera zoom 1.6\nwait still\npath add 1\npath save {}/cameras.json\n"
      "wait saved\nnotices clear\n";
  for (const WindowSize& size : kSizes) {
    script += fmt::format("window size {} {}\nwait still\n", size.width, size.height);
    for (int camera = 0; camera < kCameras; ++camera) {
      script += fmt::format("path go {}\n", camera + 1);
      for (const RenderMode& mode : modes_of_splats()) {
        script += fmt::format("mode {}\nwait still\nscreenshot window {{shots}}/{}\n", mode.name,
                              shot_name(mode, size, camera));
      }
    }
  }
  run_in_window(script);
  EXPECT_EQ(errors(""), 0);
  for (const WindowSize& size : kSizes) {
    for (const RenderMode& mode : modes_of_splats()) {
      render({path("scene.ply"), "--path", path("cameras.json"), "--fps", "1", "--size",
              size.text(), "--mode", std::string(mode.name)});
      for (int camera = 0; camera < kCameras; ++camera) {
        const std::string name = shot_name(mode, size, camera);
        const Image8 expected = rendered(fmt::format("frame_{:05}.png", camera));
        EXPECT_LE(worst_difference(shot(name), expected), 1) << name;
      }
      // Otherwise equality would prove little.
      EXPECT_GT(different_values(rendered("frame_00000.png"), rendered("frame_00001.png")), 5000u);
    }
  }
  for (const RenderMode& mode : modes_of_splats()) {
    for (const RenderMode& other : modes_of_splats()) {
      if (mode.name == other.name) continue;
      EXPECT_GT(different_values(shot(shot_name(mode, kSizes[0], 0)),
                                 shot(shot_name(other, kSizes[0], 0))),
                1000u)
          << mode.name << ' ' << other.name;
    }
  }
}

/// Photographs as large as the picture between the sides of the window, so that no pixel is scaled.
class ComparisonInTheWindow : public AWindowOfPictures {
 protected:
  static constexpr int kPhotographWidth = 560;
  static_assert(kPhotographWidth < kWidth);

  void SetUp() override {
    AWindowOfPictures::SetUp();
    if (IsSkipped()) return;
    make_tiny_dataset(path("data"), {.views = 5, .width = kPhotographWidth, .height = kHeight});
    save_scene(tiny_cloud({.seed = 5}), path("other.ply"));
    render({path("other.ply"), "--cameras", path("data")});
    rendering_ = rendered("view_03.png");
    photograph_ = read_image8(path("data/images/view_03.png"));
    ASSERT_GT(different_values(rendering_, photograph_), 20000u);
    run_in_window(
        "open {}/data {}/other.ply\nwait loaded\nhide data\nwindow view\nphotograph view_03\n"
        "wait still\n");
  }

  /// The part of the window's screenshot that shows the picture.
  Image8 picture(const std::string& name) const {
    const PicturePlace place = place_of_view();
    EXPECT_EQ(place.width, kPhotographWidth);
    EXPECT_EQ(place.height, kHeight);
    const Image8 all = shot(name);
    Image8 part;
    part.resize_discard(place.width, place.height, 3);
    for (int y = 0; y < place.height; ++y) {
      std::copy_n(all.row(place.y + y) + 3 * place.x, 3 * place.width, part.row(y));
    }
    return part;
  }

  /// Waits for the photograph to compare with.
  void compare(const std::string& how) {
    run_in_window("compare " + how + "\nwait still\n");
    while (compared_to() != session().view.width && errors("") == 0) run_in_window("wait still\n");
    ASSERT_EQ(errors(""), 0);
  }

  Image8 rendering_, photograph_;

 private:
  /// Its width, px.
  int compared_to() const {
    return session().photograph && session().photograph->laid_over
               ? session().photograph->laid_over->width
               : 0;
  }
};

TEST_F(ComparisonInTheWindow, ShowsEachDifferenceTimesTheGain) {
  compare("difference");
  for (const int gain : {1, 4}) {
    run_in_window(
        fmt::format("set difference-gain {}\nwait still\nscreenshot window "
                    "{{shots}}/difference_{}.png\n",
                    gain, gain));
    const Image8 shown = picture(fmt::format("difference_{}.png", gain));
    int worst = 0;
    for (std::size_t i = 0; i < shown.pixels.size(); ++i) {
      const int expected =
          std::min(255, gain * std::abs(rendering_.pixels[i] - photograph_.pixels[i]));
      worst = std::max(worst, std::abs(shown.pixels[i] - expected));
    }
    EXPECT_LE(worst, 1) << gain;
  }
}

TEST_F(ComparisonInTheWindow, ShowsTheRenderingLeftOfTheLineAndThePhotographRightOfIt) {
  compare("split 0.25");
  run_in_window("wait still\nscreenshot window {shots}/split_exact.png\n");
  const Image8 shown = picture("split_exact.png");
  int worst = 0;
  for (int y = 0; y < shown.height; ++y) {
    for (int x = 0; x < shown.width; ++x) {
      const Image8& expected = x < shown.width / 4 ? rendering_ : photograph_;
      for (int i = 3 * x; i < 3 * x + 3; ++i) {
        worst = std::max(worst, std::abs(shown.row(y)[i] - expected.row(y)[i]));
      }
    }
  }
  EXPECT_LE(worst, 1);
}

TEST_F(ComparisonInTheWindow, ShowsTheRenderingAndThePhotographInTurn) {
  compare("flicker");
  run_in_window("set flicker-interval 0.1\n");
  int renderings = 0, photographs = 0;
  std::string shots;
  for (int i = 0; i < 5; ++i) {
    shots += fmt::format("wait seconds 0.07\nscreenshot window {{shots}}/flicker_{}.png\n", i);
  }
  for (int round = 0; round < 20 && (renderings == 0 || photographs == 0); ++round) {
    run_in_window(shots);
    for (int i = 0; i < 5; ++i) {
      const Image8 shown = picture(fmt::format("flicker_{}.png", i));
      const bool is_rendering = worst_difference(shown, rendering_) <= 1;
      const bool is_photograph = worst_difference(shown, photograph_) <= 1;
      EXPECT_TRUE(is_rendering != is_photograph) << "nothing in between";
      renderings += is_rendering;
      photographs += is_photograph;
    }
  }
  EXPECT_GT(renderings, 0);
  EXPECT_GT(photographs, 0);
}

}  // namespace
}  // namespace mote
