// The viewer measures and renders the same as the commands of the program with the same options.
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/viewer/session/action.h"
#include "app/viewer/session/apply_settings.h"
#include "io/images/image_files.h"
#include "support/viewer_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class ViewerAndProgram : public ScriptedViewer {
 protected:
  /// Output of the program; `{}` stands for the folder. Fails the test if the program fails.
  std::string program(std::string words) const {
    for (std::size_t at; (at = words.find("{}")) != std::string::npos;) {
      words.replace(at, 2, folder_.string());
    }
    const std::string line = std::string(MOTE_PROGRAM) + " --device cpu " + words + " 2>/dev/null";
    FILE* pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) return {};
    std::string text;
    std::array<char, 4096> bytes;
    for (std::size_t count; (count = std::fread(bytes.data(), 1, bytes.size(), pipe)) > 0;) {
      text.append(bytes.data(), count);
    }
    EXPECT_EQ(::pclose(pipe), 0) << line;
    return text;
  }

  /// Scores of the first test view by `mote eval`.
  ViewScore evaluated(const std::string& words) const {
    const json report = json::parse(program("--json eval " + words), nullptr, false);
    if (!report.is_object()) return {};
    const json view = report.at("views").at(0);
    return {.name = view.at("name"), .psnr_db = view.at("psnr"), .ssim = view.at("ssim")};
  }

  void expect_measured(const ViewScore& expected) {
    run("photograph " + as_word(expected.name) + "\nwait still\nscore\n");
    while (!session().photograph->score) update();
    ASSERT_TRUE(session().photograph->score);
    EXPECT_NEAR(session().photograph->score->psnr_db, expected.psnr_db, 1e-3);
    EXPECT_NEAR(session().photograph->score->ssim, expected.ssim, 1e-5);
  }

  /// Trains on white, and shows only the trained splats.
  void train_on_white() {
    make_tiny_dataset(path("data"));
    run("open {}/data\nwait loaded\ntrain start steps=40 sh-degree=1 max-splats=100 "
        "background=white eval=false out={}/run\nwait trained\nwait still\n");
  }
};

TEST_F(ViewerAndProgram, ARunIsScoredOnTheBackgroundOfItsTraining) {
  train_on_white();
  const ViewScore expected = evaluated("{}/run");
  const ViewScore on_black = evaluated("{}/run --background 0,0,0");
  ASSERT_GT(std::abs(expected.psnr_db - on_black.psnr_db), 0.1) << "the background tells";
  expect_measured(expected);
  run("open {}/run\nwait loaded\n");
  ASSERT_EQ(session().documents.list().size(), 3u);
  // Opens the run again: first its folder, then its file.
  for (const std::string name : {"run", "run/splat_40.ply"}) {
    start();
    run("open {}/data {}/" + name + "\nwait loaded\nhide data\nwait still\n");
    expect_measured(expected);
  }
}

TEST_F(ViewerAndProgram, ScoresDoNotDependOnTheDisplaySettings) {
  train_on_white();
  run("set background 1,0,0\nset run-background false\nharmonics 0\nset antialiased on\n"
      "splat-scale 2\nmode depth\nwait still\n");
  expect_measured(evaluated("{}/run"));
}

TEST_F(ViewerAndProgram, TheBackgroundOfARunStaysWhenItEnds) {
  train_on_white();
  const std::array<float, 3> white{1, 1, 1}, black{0, 0, 0};
  EXPECT_EQ(render_settings(session()).background, white);
  run("camera place 0 0 -500 0 0 -1000\nwait still\n");
  EXPECT_EQ(session().frame->picture().pixels[0], 1.0f) << "where no splat is";
  run("set run-background false\n");
  EXPECT_EQ(render_settings(session()).background, black);
  run("set run-background true\nshow data\n");
  EXPECT_EQ(render_settings(session()).background, black) << "what else is shown is of no run";
}

TEST_F(ViewerAndProgram, HarmonicsAndSmallSplatsAreRenderedAlike) {
  save_scene(random_cloud(300, 2, 5), path("scene.ply"));
  make_tiny_dataset(path("data"));
  run("open {}/data {}/scene.ply\nwait loaded\nhide data\nphotograph view_03\n");
  std::string all;
  for (const auto& [action, option] :
       {std::pair<std::string, std::string>{"harmonics 2", "--sh-degree 2"},
        {"harmonics 0", "--sh-degree 0"},
        {"harmonics 1", "--sh-degree 1"},
        {"harmonics 4\nset antialiased on", "--antialiased on"}}) {
    std::filesystem::remove_all(path("out"));
    program("-y render {}/scene.ply --cameras {}/data -o {}/out " + option);
    run(action + "\nwait still\nscreenshot {}/view.png\nwait saved\n");
    const Image8 shown = read_image8(path("view.png")), made = read_image8(path("out/view_03.png"));
    ASSERT_EQ(shown.width, made.width);
    ASSERT_EQ(shown.height, made.height);
    int worst = 0;
    for (std::size_t i = 0; i < made.pixels.size(); ++i) {
      worst = std::max(worst, std::abs(int{shown.pixels[i]} - int{made.pixels[i]}));
    }
    EXPECT_LE(worst, 1) << action;
    const std::string bytes(made.pixels.span().begin(), made.pixels.span().end());
    EXPECT_NE(bytes, all) << option << " makes a difference";
    all = bytes;
  }
}

}  // namespace
}  // namespace mote
