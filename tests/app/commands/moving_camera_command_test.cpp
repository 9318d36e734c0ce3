// Scenes that moving cameras film. One of them, as a COLMAP model of numbered pictures: training
// and pictures take the times of its photographs from --frame-rate. Two of them: their clocks.
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>

#include "io/images/image_files.h"
#include "support/dataset_fixture.h"
#include "support/program_fixture.h"

namespace mote {
namespace {

class MovingCamera : public Program {
 protected:
  /// Writes the moving dataset with photographs of so many named cameras in turn.
  void make_cameras(int cameras) const {
    make_moving_tiny_dataset(path("data"));
    nlohmann::json file = nlohmann::json::parse(text_of(path("data/transforms.json")));
    file["time_unit"] = "s";
    int number = 0;
    for (nlohmann::json& frame : file["frames"]) {
      frame["camera_name"] = std::string(1, static_cast<char>('a' + number++ % cameras));
      frame["frames_per_second"] = 10;
    }
    write_file("data/transforms.json", file.dump());
  }
  /// The picture of the view "view_08" of the cameras, rendered with these words.
  Image8 picture(const std::string& scene, const std::vector<std::string>& more = {},
                 const std::string& cameras = "data") const {
    std::vector<std::string> words{"render", scene,           "--cameras", path(cameras),
                                   "-o",     path("picture"), "-y"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err.find("warning"), std::string::npos) << outcome.err;
    return read_image8(path("picture/view_08.png"));
  }
  static bool same(const Image8& a, const Image8& b) {
    return std::ranges::equal(a.pixels.span(), b.pixels.span());
  }
  /// The largest difference of two values of a pixel.
  static int difference(const Image8& a, const Image8& b) {
    const auto first = a.pixels.span(), second = b.pixels.span();
    EXPECT_EQ(first.size(), second.size());
    int most = 0;
    for (std::size_t i = 0; i < std::min(first.size(), second.size()); ++i) {
      most = std::max(most, std::abs(int{first[i]} - int{second[i]}));
    }
    return most;
  }
};

TEST_F(MovingCamera, RunsOfNumberedPicturesKeepTheirFrameRate) {
  make_tiny_dataset(path("data"));  // view_00 to view_11
  const std::vector<std::string> words{"train", path("data"), "-o",         path("run"), "--steps",
                                       "2",     "--no-eval",  "--progress", "none"};
  std::vector<std::string> deformed = words;
  deformed.insert(deformed.end(),
                  {"--frame-rate", "8", "--motion", "field", "--plane-resolution", "8"});
  const Outcome trained = run(deformed);
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_NE(trained.err.find("12 different times"), std::string::npos) << trained.err;
  const SplatCloud cloud = load_scene(path("run/splat_2.ply"));
  ASSERT_NE(cloud.deformation, nullptr);
  EXPECT_EQ(cloud.times.duration_s, 11 / 8.0);
  EXPECT_EQ(cloud.times.frames_per_second, 8);

  // Splats that move visibly, in place of those that were trained.
  save_scene(random_moving_cloud(400, 1, 5), path("run/splat_2.ply"));
  const Image8 of_run = picture(path("run"));
  EXPECT_TRUE(same(of_run, picture(path("run"), {"--time", "1"}))) << "8 frames / 8 per s";
  EXPECT_TRUE(same(of_run, picture(path("run/splat_2.ply"))));
  EXPECT_TRUE(
      same(picture(path("run"), {"--frame-rate", "16"}), picture(path("run"), {"--time", "0.5"})));
  fs::copy_file(path("run/splat_2.ply"), path("alone.ply"));
  const Image8 first = picture(path("alone.ply"));
  EXPECT_TRUE(same(first, picture(path("alone.ply"), {"--time", "0"})));
  EXPECT_FALSE(same(first, of_run));
  // The cameras of the run have times in seconds, and poses that are rounded once more.
  EXPECT_GT(difference(first, of_run), 2);
  EXPECT_LE(difference(picture(path("run"), {}, "run/cameras.json"), of_run), 2);
  EXPECT_LE(difference(picture(path("alone.ply"), {}, "run/cameras.json"), of_run), 2);
  EXPECT_TRUE(same(picture(path("alone.ply"), {"--frame-rate", "8"}), of_run));

  // A file that another version wrote gives no rate and no part of the times, which is said.
  nlohmann::json config = nlohmann::json::parse(text_of(path("run/config.json")));
  config["an-option-of-the-future"] = 1;
  write_file("run/config.json", config.dump());
  for (const char* rate : {"0", "8"}) {
    const Outcome newer = run({"render", path("run"), "--cameras", path("data"), "--frame-rate",
                               rate, "-o", path("picture"), "-y"});
    EXPECT_EQ(newer.exit_code, 0) << newer.err;
    EXPECT_NE(newer.err.find("only --frame-rate sets their rate"), std::string::npos) << newer.err;
  }
  expect_refusal(
      {"render", path("alone.ply"), "--orbit", "2", "-o", path("x"), "--frame-rate", "8"}, 2,
      {"--frame-rate", "--cameras"});
}

TEST_F(MovingCamera, TheClocksOfTwoOfThemAreSearched) {
  make_cameras(2);
  const auto train = [&](const std::string& out, const std::vector<std::string>& more) {
    std::vector<std::string> words{"train", path("data"), "-o", path(out), "--steps", "30"};
    const std::vector<std::string> usual{"--init-count", "60",  "--test-every", "0",
                                         "--progress",   "none"};
    words.insert(words.end(), usual.begin(), usual.end());
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  };
  const Outcome searched = train("run", {"--camera-clock", "--clock-search", "1"});
  ASSERT_EQ(searched.exit_code, 0) << searched.err;
  const std::string log = text_of(path("run/train.log"));
  for (const char* line : {"step 3: clocks of cameras: ", "step 6: clocks of cameras: "}) {
    EXPECT_NE(searched.err.find(line), std::string::npos) << searched.err;
    EXPECT_NE(log.find(line), std::string::npos) << log;
  }
  const Outcome idle = train("idle", {"--clock-search", "1"});
  ASSERT_EQ(idle.exit_code, 0) << idle.err;
  EXPECT_NE(idle.err.find("--clock-search has no effect"), std::string::npos) << idle.err;
  for (const char* more : {"--no-eval", "--dry-run"}) {
    const Outcome refused = train("x", {"--camera-clock", "--clock-search", "3", more});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_NE(refused.err.find("lower --clock-search"), std::string::npos) << refused.err;
  }
}

TEST_F(MovingCamera, TheClockOfATestCameraIsFitted) {
  make_cameras(3);
  const Outcome trained =
      run({"train", path("data"), "-o", path("run"), "--steps", "5", "--init-count", "60",
           "--test-cameras", "c", "--camera-clock", "--progress", "none"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_NE(trained.err.find("with fitted clocks, "), std::string::npos) << trained.err;
  const auto evaluated = [&](const std::string& fit) {
    const Outcome outcome = run({"eval", path("run"), "--fit", fit, "--json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  };
  for (const char* fit : {"auto", "clock"}) {
    const nlohmann::json fitted = evaluated(fit)["fitted_clocks"];
    EXPECT_TRUE(fitted["offsets"].contains("c")) << fit;
    EXPECT_TRUE(fitted.contains("psnr")) << fit;
  }
  EXPECT_FALSE(evaluated("none").contains("fitted_clocks"));
  fs::copy_file(path("run/splat_5.ply"), path("alone.ply"));
  make_moving_tiny_dataset(path("nameless"));
  const Outcome idle = run({"eval", path("alone.ply"), path("nameless"), "--fit", "clock"});
  EXPECT_EQ(idle.exit_code, 0) << idle.err;
  EXPECT_NE(idle.err.find("--fit clock has no effect"), std::string::npos) << idle.err;
}

TEST_F(MovingCamera, APartOfTheTimesIsTrainedAndRendered) {
  make_moving_tiny_dataset(path("data"));  // twelve photographs, 0.05 s apart
  const Outcome trained =
      run({"train", path("data"), "-o", path("run"), "--steps", "2", "--init-count", "60",
           "--time-range", "0.2,0.4", "--no-eval", "--progress", "none"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  EXPECT_NE(trained.err.find("5 of 12 photographs are from 0.2 to 0.4 s"), std::string::npos)
      << trained.err;
  EXPECT_NEAR(load_scene(path("run/splat_2.ply")).times.duration_s, 0.2, 1e-6);
  const auto rendered = [&](const std::string& scene) {
    const Outcome outcome =
        run({"render", scene, "--cameras", path("data"), "-o", path("picture"), "-y"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto count = std::distance(fs::directory_iterator(path("picture")), {});
    fs::remove_all(path("picture"));
    return count;
  };
  EXPECT_EQ(rendered(path("run")), 5);
  fs::copy_file(path("run/splat_2.ply"), path("alone.ply"));
  EXPECT_EQ(rendered(path("alone.ply")), 12) << "no run says which part";
  const Outcome evaluated = run({"eval", path("run"), "--json"});
  ASSERT_EQ(evaluated.exit_code, 0) << evaluated.err;
  EXPECT_LE(nlohmann::json::parse(evaluated.out)["views"].size(), 5u);
  make_moving_tiny_dataset(path("other"));
  const auto is_clipped = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"eval", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const std::string notes = nlohmann::json::parse(outcome.out)["notes"].dump();
    return notes.find("5 of 12 photographs") != std::string::npos;
  };
  const std::string file = path("run/splat_2.ply");
  EXPECT_TRUE(is_clipped({path("run")}));
  EXPECT_TRUE(is_clipped({path("run"), path("data")}));
  EXPECT_TRUE(is_clipped({file, path("data")}));
  EXPECT_FALSE(is_clipped({path("run"), path("other")})) << "the part is that of another dataset";
  EXPECT_FALSE(is_clipped({file, path("other")}));
  EXPECT_TRUE(is_clipped({file, path("other"), "--time-range", "0.2,0.4"}));
  expect_refusal(
      {"train", path("data"), "-o", path("x"), "--steps", "2", "--time-range", "0.4,0.2"}, 2,
      {"--time-range", "ascending"});
}

TEST_F(MovingCamera, TestCamerasAndRateOfARunAreThoseOfItsDataset) {
  make_cameras(3);
  nlohmann::json file = nlohmann::json::parse(text_of(path("data/transforms.json")));
  file.erase("time_unit");  // the times run from 0 to 1
  write_file("data/transforms.json", file.dump());
  const Outcome trained =
      run({"train", path("data"), "-o", path("run"), "--steps", "2", "--init-count", "60",
           "--test-cameras", "c", "--frame-rate", "8", "--no-eval", "--progress", "none"});
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  make_moving_tiny_dataset(path("other"));  // without names of cameras
  const auto notes_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"eval", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.exit_code == 0 ? nlohmann::json::parse(outcome.out)["notes"].dump() : "";
  };
  const std::string rate = "12 moments at 8 frames per second",
                    others = "another dataset: --test-cameras, --frame-rate";
  const std::string scene = path("run/splat_2.ply");
  for (const std::string& start : {path("run"), scene}) {
    const std::string own = notes_of({start, path("data")}),
                      other = notes_of({start, path("other")});
    EXPECT_NE(own.find("all those of camera c"), std::string::npos) << own;
    EXPECT_NE(own.find(rate), std::string::npos) << own;
    EXPECT_EQ(own.find("another dataset"), std::string::npos) << own;
    EXPECT_NE(other.find(others), std::string::npos) << other;
    EXPECT_EQ(other.find(rate), std::string::npos) << other;
  }
  const std::string given = notes_of({path("run"), path("other"), "--frame-rate", "8"});
  EXPECT_NE(given.find(rate), std::string::npos) << given;
  EXPECT_NE(given.find("another dataset: --test-cameras\""), std::string::npos) << given;
}

}  // namespace
}  // namespace mote
