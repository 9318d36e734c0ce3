// Folders of splat files, one file per frame, in the program's commands.
#include <nlohmann/json.hpp>

#include "io/images/image_files.h"
#include "support/files/video_reader.h"
#include "support/program_fixture.h"
#include "support/sequence_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class SequenceCommand : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    make_sequence(path("moving"), 6);
  }
  std::string frame(int number) const {
    return path(fmt::format("moving/frame_{:02}.ply", number));
  }
  /// Four views around the origin.
  std::string write_cameras() const {
    const json matrix{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 5}, {0, 0, 0, 1}};
    return write_file("cameras.json",
                      json{{"w", 64},
                           {"h", 48},
                           {"fl_x", 60},
                           {"frames", {{{"file_path", "a.png"}, {"transform_matrix", matrix}}}}}
                          .dump());
  }
  std::string write_path() const {
    json keys = json::array();
    for (int i = 0; i < 2; ++i) {
      keys.push_back({{"time_s", 0.2 + i},
                      {"position", {0.1 * i, 0, -5}},
                      {"look_at", {0, 0, 0}},
                      {"vertical_fov_deg", 40}});
    }
    return write_file("path.json", json{{"keyframes", keys}}.dump());
  }
  std::string picture_of(const std::string& scene,
                         const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"render", scene,       "--cameras", write_cameras(),
                                   "-o",     path("out"), "-y"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return text_of(path("out/a.png"));
  }
};

TEST_F(SequenceCommand, InfoDescribesTheFolder) {
  const Outcome text = run({"info", path("moving"), "--sequence-fps", "10"});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  for (const char* phrase : {"frames     6", "0 to 0.5 s at 10", "frame_00.ply", "frame_05.ply"}) {
    EXPECT_NE(text.out.find(phrase), std::string::npos) << phrase << "\n" << text.out;
  }
  const json facts = json::parse(run({"--json", "info", path("moving")}).out);
  EXPECT_EQ(facts["frames"], 6);
  EXPECT_EQ(facts["fps"], 30);
  EXPECT_NEAR(facts["end_s"], 5.0 / 30, 1e-12);
  EXPECT_EQ(facts["first"]["splats"], 200);
  EXPECT_EQ(facts["last"]["file"], "frame_05.ply");
  EXPECT_EQ(facts["file_bytes"], 6 * fs::file_size(frame(0)));
}

TEST_F(SequenceCommand, InfoRefusesOptionsOfOtherInputs) {
  expect_refusal({"info", frame(0), "--sequence-fps", "10"}, 2, {"--sequence-fps", "folder"});
  expect_refusal({"info", path("moving"), "--test-every", "4"}, 2, {"--test-every"});
  fs::rename(frame(1), path("moving/other.ply"));
  expect_refusal({"info", path("moving")}, 1, {"frame_00.ply", "other.ply", "frames"});
}

TEST_F(SequenceCommand, RendersTheFrameAtATime) {
  const std::string first = picture_of(frame(0)), fourth = picture_of(frame(3));
  EXPECT_NE(first, fourth);
  EXPECT_EQ(picture_of(path("moving")), first);
  EXPECT_EQ(picture_of(path("moving"), {"--time", "0.1"}), fourth);
  EXPECT_EQ(picture_of(path("moving"), {"--time", "3.5", "--sequence-fps", "1"}), fourth);
}

TEST_F(SequenceCommand, RendersAPathOverItsTimesAndLoopsAfterTheLastFrame) {
  const Outcome outcome = run({"render", path("moving"), "--path", write_path(), "--size", "40x30",
                               "--fps", "10", "--sequence-fps", "10", "-o", path("frames")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  // Frames at 0.2 to 1.2 s: 2 to 5, then 0 to 5, then 0.
  const int frames[] = {2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0};
  for (int i = 0; i < 11; ++i) {
    ASSERT_EQ(run({"render", frame(frames[i]), "--path", path("path.json"), "--size", "40x30",
                   "--fps", "10", "-o", path("one"), "-y"})
                  .exit_code,
              0);
    const std::string name = fmt::format("frame_{:05}.png", i);
    EXPECT_EQ(text_of(path("frames/" + name)), text_of(path("one/" + name))) << i;
  }
}

TEST_F(SequenceCommand, RendersAVideo) {
  const Outcome outcome = run({"render", path("moving"), "--path", write_path(), "--size", "64x48",
                               "--fps", "10", "-o", path("a.mp4")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read_video(path("a.mp4")).frames.size(), 11u);
}

TEST_F(SequenceCommand, RefusesTimesOutsideTheSequence) {
  const std::string cameras = write_cameras(), out = path("out");
  expect_refusal({"render", path("moving"), "--cameras", cameras, "--time", "1", "-o", out}, 2,
                 {"--time", "0.166667"});
  expect_refusal({"render", frame(0), "--cameras", cameras, "--time", "1", "-o", out}, 2,
                 {"--time", "does not move"});
  expect_refusal({"render", path("moving"), "--path", write_path(), "--time", "0.1", "-o", out}, 2,
                 {"--time", "path"});
}

TEST_F(SequenceCommand, NamesAnUnreadableFrameAndLeavesNoVideo) {
  fs::resize_file(frame(3), 900);
  const Outcome outcome = run({"render", path("moving"), "--path", write_path(), "--size", "64x48",
                               "--fps", "10", "--sequence-fps", "10", "-o", path("a.mp4")});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("frame_03.ply"), std::string::npos) << outcome.err;
  EXPECT_FALSE(fs::exists(path("a.mp4")));
}

TEST_F(SequenceCommand, OptionsOfOtherMovingScenesAreReported) {
  const auto idle = [&](const std::string& scene) {
    const Outcome outcome = run({"render", scene, "--orbit", "1", "--size", "8x6", "-o",
                                 path("out"), "-y", "--sequence-fps", "10", "--memory", "1"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::string found;
    for (const std::string option : {"--sequence-fps", "--memory"}) {
      if (outcome.err.find(option + " has no effect") != std::string::npos) found += option;
    }
    return found;
  };
  EXPECT_EQ(idle(frame(0)), "--sequence-fps--memory");
  EXPECT_EQ(idle(path("moving")), "--memory");
  const SplatCloud lives = random_moving_cloud(50, 0, 5);
  save_scene(lives, path("lives.4dgs"));
  EXPECT_EQ(idle(path("lives.4dgs")), "--sequence-fps");
  save_scene(lives, path("lives.ply"));
  EXPECT_EQ(idle(path("lives.ply")), "--sequence-fps--memory") << "no other file is streamed";
}

TEST_F(SequenceCommand, MeasuresTheFrameAtATime) {
  save_scene(sequence_frame(5, 77), frame(5));
  const Outcome outcome = run({"bench", path("moving"), "--time", "0.1667", "--size", "32x24",
                               "--orbit", "1", "--frames", "1", "--warmup", "0", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["scene"]["splats"], 77) << outcome.out;
}

}  // namespace
}  // namespace mote
