// `mote render` along camera paths and into videos, as users meet it.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "io/images/image_files.h"
#include "splats/moment.h"
#include "support/files/video_reader.h"
#include "support/program_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class RenderPath : public Program {
 protected:
  /// Three keyframes about the unit cube, half a second apart.
  static json path_file() {
    json keyframes = json::array();
    const double places[][3] = {{0, 0, -4}, {3, -1, -3}, {4, 0, 0}};
    for (int i = 0; i < 3; ++i) {
      keyframes.push_back({{"time_s", 0.5 * i},
                           {"position", {places[i][0], places[i][1], places[i][2]}},
                           {"look_at", {0, 0, 0}},
                           {"vertical_fov_deg", 40}});
    }
    return {{"keyframes", keyframes}};
  }
  std::string write_path(const json& value = path_file()) const {
    return write_file("path.json", value.dump());
  }
  std::size_t pictures() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path("out")), fs::directory_iterator()));
  }
};

TEST_F(RenderPath, APathBecomesAVideoOfItsFrames) {
  const std::string scene = write_scene();
  const Outcome outcome = run({"render", scene, "--path", write_path(), "--fps", "10", "--size",
                               "96x64", "-o", path("a.mp4"), "--crf", "8"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("11 views"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("10 frames/s"), std::string::npos) << outcome.out;
  const DecodedVideo video = read_video(path("a.mp4"));
  ASSERT_EQ(video.frames.size(), 11u);
  EXPECT_NEAR(video.frames_per_second, 10, 1e-9);
  ASSERT_EQ(run({"render", scene, "--path", write_path(), "--fps", "10", "--size", "96x64", "-o",
                 path("out")})
                .exit_code,
            0);
  EXPECT_EQ(pictures(), 11u);
  for (const std::size_t i : {std::size_t{0}, std::size_t{7}}) {
    const Image8 picture = read_image8(path("out/frame_0000" + std::to_string(i) + ".png"));
    ASSERT_EQ(picture.width, video.frames[i].width);
    double difference = 0;
    for (std::size_t k = 0; k < picture.pixels.size(); ++k) {
      difference += std::abs(int{picture.pixels[k]} - int{video.frames[i].pixels[k]});
    }
    EXPECT_LT(difference / static_cast<double>(picture.pixels.size()), 8) << i;
  }
}

TEST_F(RenderPath, AVideoShowsSplatsThatMoveAtItsTimes) {
  const SplatCloud cloud = random_moving_cloud(400, 1, 5);
  save_scene(cloud, path("moving.ply"));
  const auto key = [](double time_s) {
    return json{{"time_s", time_s},
                {"position", {0, 0, -4}},
                {"look_at", {0, 0, 0}},
                {"vertical_fov_deg", 40}};
  };
  const std::string file = write_path({{"keyframes", {key(0), key(2)}}});
  const std::vector<std::string> words{"--path", file, "--fps", "1", "--size", "96x64", "-y"};
  const auto render = [&](const std::string& scene, const std::vector<std::string>& more) {
    std::vector<std::string> all{"render", path(scene)};
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = run(all);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  };
  render("moving.ply", {"-o", path("a.mp4"), "--crf", "8"});
  const DecodedVideo video = read_video(path("a.mp4"));
  ASSERT_EQ(video.frames.size(), 3u);
  const auto difference = [](const Image8& a, const Image8& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.pixels.size(); ++k) {
      sum += std::abs(int{a.pixels[k]} - int{b.pixels[k]});
    }
    return sum / static_cast<double>(a.pixels.size());
  };
  for (int second = 0; second < 3; ++second) {
    save_scene(moment_of(cloud, second), path("moment.ply"));
    render("moment.ply", {"-o", path("out")});
    const Image8 moment = read_image8(path("out/frame_00000.png"));
    for (int frame = 0; frame < 3; ++frame) {
      const double off = difference(video.frames[static_cast<std::size_t>(frame)], moment);
      if (frame == second) {
        EXPECT_LT(off, 4) << second;
      } else {
        EXPECT_GT(off, 8) << second;
      }
    }
  }
}

TEST_F(RenderPath, AnOrbitMakesAVideoToo) {
  const Outcome outcome = run({"--json", "render", write_scene(), "--orbit", "6", "--size", "65x40",
                               "-o", path("orbit.mp4")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_EQ(result["views"].size(), 6u);
  EXPECT_EQ(result["video"]["frames"], 6);
  EXPECT_EQ(result["video"]["fps"], 30);
  EXPECT_EQ(result["video"]["width"], 66);
  EXPECT_TRUE(result["video"].contains("encoder"));
  EXPECT_NE(outcome.err.find("65x40 becomes 66x40"), std::string::npos) << outcome.err;
  EXPECT_EQ(read_video(path("orbit.mp4")).frames.size(), 6u);
}

TEST_F(RenderPath, TheAlphaOfAVideoIsGrey) {
  ASSERT_EQ(run({"render", write_scene(), "--orbit", "2", "--size", "64x64", "--output", "alpha",
                 "-o", path("a.mp4")})
                .exit_code,
            0);
  const DecodedVideo video = read_video(path("a.mp4"));
  ASSERT_EQ(video.frames.size(), 2u);
  const auto pixels = video.frames[0].pixels.span();
  EXPECT_GT(*std::max_element(pixels.begin(), pixels.end()), 100);
  for (std::size_t i = 0; i < pixels.size(); i += 3) EXPECT_NEAR(pixels[i], pixels[i + 2], 3);
}

TEST_F(RenderPath, SizeRateAndDurationComeFromThePathUnlessGiven) {
  json file = path_file();
  file["width"] = 80;
  file["height"] = 60;
  file["fps"] = 4;
  const std::string scene = write_scene();
  ASSERT_EQ(run({"render", scene, "--path", write_path(file), "-o", path("out")}).exit_code, 0);
  EXPECT_EQ(pictures(), 5u);
  EXPECT_EQ(read_image8(path("out/frame_00000.png")).width, 80);
  fs::remove_all(path("out"));
  ASSERT_EQ(run({"render", scene, "--path", write_path(file), "-o", path("out"), "--duration", "2",
                 "--size", "40x30"})
                .exit_code,
            0);
  EXPECT_EQ(pictures(), 9u);
  EXPECT_EQ(read_image8(path("out/frame_00008.png")).width, 40);
}

TEST_F(RenderPath, CamerasFormAPathFromOneToTheNext) {
  const auto matrix = [](double x) {
    return json{{1, 0, 0, x}, {0, 1, 0, 0}, {0, 0, 1, 4}, {0, 0, 0, 1}};
  };
  const json cameras{{"w", 64},
                     {"h", 48},
                     {"fl_x", 60},
                     {"frames",
                      {{{"file_path", "a.png"}, {"transform_matrix", matrix(0)}},
                       {{"file_path", "b.png"}, {"transform_matrix", matrix(1)}}}}};
  const std::string scene = write_scene(), file = write_file("cameras.json", cameras.dump());
  ASSERT_EQ(run({"render", scene, "--path", file, "--fps", "5", "-o", path("out")}).exit_code, 0);
  EXPECT_EQ(pictures(), 6u);
  ASSERT_EQ(run({"render", scene, "--cameras", file, "-o", path("cameras")}).exit_code, 0);
  EXPECT_EQ(text_of(path("out/frame_00005.png")), text_of(path("cameras/b.png")));
}

TEST_F(RenderPath, IncompatibleOptionsAreRefused) {
  const std::string scene = write_scene(), file = write_path(), video = path("a.mp4"),
                    out = path("out");
  expect_refusal({"render", scene, "-o", video}, 2, {"--cameras", "--orbit", "--path"});
  expect_refusal({"render", scene, "--path", file, "--orbit", "3", "-o", video}, 2, {"--path"});
  expect_refusal({"render", scene, "--orbit", "3", "--duration", "3", "-o", video}, 2,
                 {"--duration", "--path"});
  expect_refusal({"render", scene, "--orbit", "3", "--fps", "3", "-o", out}, 2, {"--fps", ".mp4"});
  expect_refusal({"render", scene, "--orbit", "3", "--crf", "3", "-o", out}, 2, {"--crf", ".mp4"});
  expect_refusal({"render", scene, "--orbit", "3", "--crf", "99", "-o", video}, 2, {"--crf", "51"});
  expect_refusal({"render", scene, "--orbit", "3", "--format", "exr", "-o", video}, 2,
                 {"--format", "folder"});
  expect_refusal({"render", scene, "--orbit", "3", "--output", "depth", "-o", video}, 2,
                 {"--output", "rgb or alpha"});
  expect_refusal({"render", scene, "--orbit", "3", "-o", path("a.webm")}, 2, {".webm", ".mp4"});
  json broken = path_file();
  broken["keyframes"][1].erase("position");
  expect_refusal({"render", scene, "--path", write_path(broken), "-o", video}, 1,
                 {"path.json", "keyframe 1, position", "missing"});
  EXPECT_EQ(files(), (std::vector<std::string>{"path.json", "scene.ply"}));
}

TEST_F(RenderPath, AVideoOfViewsOfDifferentSizesIsRefused) {
  const json matrix = json::parse("[[1,0,0,0],[0,1,0,0],[0,0,1,4],[0,0,0,1]]");
  const json cameras{
      {"fl_x", 60},
      {"frames",
       {{{"file_path", "a.png"}, {"w", 64}, {"h", 48}, {"transform_matrix", matrix}},
        {{"file_path", "b.png"}, {"w", 48}, {"h", 64}, {"transform_matrix", matrix}}}}};
  const std::string scene = write_scene(), file = write_file("cameras.json", cameras.dump());
  expect_refusal({"render", scene, "--cameras", file, "-o", path("a.mp4")}, 1,
                 {"a.mp4", "differ in size", "--size"});
  EXPECT_EQ(
      run({"render", scene, "--cameras", file, "--size", "64x48", "-o", path("a.mp4")}).exit_code,
      0);
}

TEST_F(RenderPath, AnInterruptLeavesNoVideo) {
  const pid_t child = start({"render", write_scene(), "--orbit", "100000", "--size", "200x200",
                             "--verbose", "-o", path("out/a.mp4")});
  siginfo_t ended{};
  const auto has_begun = [&] {
    return text_of(path(".err")).find("encoded as") != std::string::npos;
  };
  while (!has_begun() && ended.si_pid == 0) {
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT), 0);
  }
  EXPECT_EQ(pictures(), 1u);  // the finished part, under another name
  EXPECT_FALSE(fs::exists(path("out/a.mp4")));
  ::kill(child, SIGINT);
  EXPECT_EQ(finish(child).exit_code, 130);
  EXPECT_EQ(pictures(), 0u);
}

TEST_F(RenderPath, AFullDiskIsReportedAndLeavesNoVideo) {
  const Outcome outcome = run_on_small_disk({"render", write_scene(2000), "--orbit", "12", "--size",
                                             "160x120", "--crf", "1", "-o", path("a.mp4")},
                                            20000);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("a.mp4"), std::string::npos) << outcome.err;
  for (const std::string& name : files()) EXPECT_EQ(name.find(".mp4"), std::string::npos) << name;
}

}  // namespace
}  // namespace mote
