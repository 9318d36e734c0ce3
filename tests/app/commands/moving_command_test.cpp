// Splats that move in the program's commands: training sees the times of the photographs, and
// pictures show the time that is asked for.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "io/images/image_files.h"
#include "splats/moment.h"
#include "splats/morton.h"
#include "splats/time_cut.h"
#include "support/dataset_fixture.h"
#include "support/files/moving_file_samples.h"
#include "support/program_fixture.h"
#include "support/random_field.h"

namespace mote {
namespace {

using nlohmann::json;

class MovingCommand : public Program {
 protected:
  std::string write_moving() const {
    save_scene(random_moving_cloud(400, 1, 5), path("moving.ply"));
    return path("moving.ply");
  }
  /// Two cameras at one place, with times.
  std::string write_cameras() const {
    const json matrix{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 4}, {0, 0, 0, 1}};
    json frames = json::array();
    for (const double time : {0.0, 1.0}) {
      frames.push_back({{"file_path", time == 0 ? "a.png" : "b.png"},
                        {"transform_matrix", matrix},
                        {"time", time}});
    }
    return write_file("cameras.json",
                      json{{"w", 64}, {"h", 48}, {"fl_x", 60}, {"frames", frames}}.dump());
  }
  void render(const std::string& scene, const std::string& out,
              const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"render", scene,     "--cameras", write_cameras(),
                                   "-o",     path(out), "-y"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  }
  /// The mean difference of two pictures, in steps of 1/255.
  double difference(const std::string& a, const std::string& b) const {
    const Image8 first = read_image8(path(a)), second = read_image8(path(b));
    double sum = 0;
    for (std::size_t i = 0; i < first.pixels.size(); ++i) {
      sum += std::abs(first.pixels[i] - second.pixels[i]);
    }
    return sum / static_cast<double>(first.pixels.size());
  }
};

TEST_F(MovingCommand, RenderShowsTheTimeThatIsAskedFor) {
  const std::string moving = write_moving();
  const SplatCloud cloud = load_scene(moving);
  save_scene(moment_of(cloud, 0), path("at_0.ply"));
  save_scene(moment_of(cloud, 1), path("at_1.ply"));
  render(path("at_0.ply"), "still_0");
  render(path("at_1.ply"), "still_1");
  // Without --time, cameras show the times of their photographs.
  render(moving, "own");
  EXPECT_LT(difference("own/a.png", "still_0/a.png"), 0.05);
  EXPECT_LT(difference("own/b.png", "still_1/b.png"), 0.05);
  EXPECT_GT(difference("own/a.png", "own/b.png"), 1);
  render(moving, "later", {"--time", "1"});
  EXPECT_LT(difference("later/a.png", "still_1/a.png"), 0.05);
  expect_refusal(
      {"render", moving, "--cameras", path("cameras.json"), "-o", path("x"), "--time", "2.5"}, 2,
      {"--time", "ends at 2 s"});
  expect_refusal({"render", path("at_0.ply"), "--cameras", path("cameras.json"), "-o", path("x"),
                  "--time", "1"},
                 2, {"--time", "does not move"});
}

TEST_F(MovingCommand, RenderPaintsVelocitiesAndLives) {
  const std::string moving = write_moving();
  render(moving, "color");
  for (const std::string mode : {"velocity", "life"}) {
    render(moving, mode, {"--mode", mode});
    EXPECT_GT(difference(mode + "/b.png", "color/b.png"), 0.5) << mode;
  }
  EXPECT_GT(difference("velocity/b.png", "life/b.png"), 0.5);
  save_scene(moment_of(load_scene(moving), 0), path("still.ply"));
  expect_refusal({"render", path("still.ply"), "--cameras", path("cameras.json"), "-o", path("x"),
                  "--mode", "velocity"},
                 2, {"--mode velocity", "stands still"});
}

TEST_F(MovingCommand, InfoAndBenchSayThatItMoves) {
  const std::string moving = write_moving();
  const Outcome text = run({"info", moving});
  EXPECT_NE(text.out.find("life, 2 s, 30 frames per second"), std::string::npos) << text.out;
  const json facts = json::parse(run({"--json", "info", moving}).out);
  EXPECT_EQ(facts["motion"], "life");
  EXPECT_EQ(facts["duration_s"], 2);
}

TEST_F(MovingCommand, BenchCountsTheSplatsThatATimeNeeds) {
  SplatCloud cloud = random_moving_cloud(4000, 0, 5);
  cloud.times.frames_per_second = 20;
  save_scene(cloud, path("moving.ply"));
  const std::vector<std::string> words{
      "--json", "bench", path("moving.ply"), "--time", "1",      "--frames", "2",
      "--size", "64x48", "--orbit",          "1",      "--play", "0.2"};
  const Outcome bench = run(words);
  ASSERT_EQ(bench.exit_code, 0) << bench.err;
  const json report = json::parse(bench.out), motion = report["motion"];
  ASSERT_EQ(motion.size(), 5u) << motion;
  for (const char* name : {"still", "1x", "4x", "jump", "crossing"}) {
    ASSERT_TRUE(motion.contains(name)) << motion;
    EXPECT_EQ(motion[name]["stored"], 4000) << name;
    EXPECT_EQ(motion[name]["resident"], 4000) << name;
    EXPECT_GT(motion[name]["needed"], 0) << name;
    EXPECT_LT(motion[name]["needed"], 4000) << name;
    EXPECT_GE(motion[name]["needed"], motion[name]["visible"]) << name;
    EXPECT_EQ(motion[name]["stalls"], 0) << name;
    EXPECT_GE(motion[name]["p99_ms"], motion[name]["p50_ms"]) << name;
  }
  EXPECT_GE(motion["still"]["needed"], moment_of(cloud, 1).count());
  EXPECT_FALSE(motion["jump"].contains("loading"));
  EXPECT_DOUBLE_EQ(report["settings"]["playing_rate"], 20);
  // Splats that a field moves are needed at all times, and a rate that is unknown is 30.
  SplatCloud deformed = random_deformed_cloud(100, 0, 5);
  deformed.times.frames_per_second = 0;
  save_scene(deformed, path("moving.ply"));
  const Outcome whole = run(words);
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const json all = json::parse(whole.out);
  EXPECT_EQ(all["motion"]["jump"]["needed"], 100);
  EXPECT_EQ(all["motion"]["jump"]["stored"], 100);
  EXPECT_DOUBLE_EQ(all["settings"]["playing_rate"], 30);
  // Splats that stand still have no such numbers.
  save_scene(moment_of(cloud, 1), path("moving.ply"));
  const Outcome still = run(
      {"--json", "bench", path("moving.ply"), "--frames", "2", "--size", "64x48", "--orbit", "1"});
  ASSERT_EQ(still.exit_code, 0) << still.err;
  EXPECT_FALSE(json::parse(still.out).contains("motion"));
}

TEST_F(MovingCommand, ASceneThatDoesNotFitIsStreamed) {
  const std::string scene = path("swarm.4dgs");
  const Outcome made = run({"--json", "synth", "swarm", "--splats", "20000", "--scene-duration",
                            "20", "--static-share", "0.05", "-o", scene});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(json::parse(made.out)["splats"], 20000);
  render(scene, "whole", {"--time", "10.3"});
  render(scene, "streamed", {"--time", "10.3", "--memory", "0.0012"});
  EXPECT_EQ(difference("whole/a.png", "streamed/a.png"), 0);
  const Outcome bench = run({"--json", "bench", scene, "--time", "5", "--frames", "3", "--size",
                             "64x48", "--orbit", "1", "--play", "0.3", "--memory", "0.0012"});
  ASSERT_EQ(bench.exit_code, 0) << bench.err;
  EXPECT_NE(bench.err.find("streamed"), std::string::npos) << bench.err;
  const json motion = json::parse(bench.out)["motion"];
  for (const char* name : {"still", "1x", "4x", "jump", "crossing"}) {
    ASSERT_TRUE(motion.contains(name)) << motion;
    EXPECT_EQ(motion[name]["stored"], 20000) << name;
    EXPECT_LT(motion[name]["resident"], 15000) << name;
    EXPECT_GT(motion[name]["needed"], 500) << name;
    EXPECT_GE(motion[name]["p99_ms"], motion[name]["p50_ms"]) << name;
  }
  EXPECT_EQ(motion["still"]["stalls"], 0);
  EXPECT_EQ(motion["jump"]["stalls"], 0);
  const json loading = motion["jump"]["loading"];
  for (const char* part : {"wait_ms", "fill_ms", "read_ms", "decode_ms", "prepare_ms", "parts"}) {
    EXPECT_GT(loading.at(part), 0) << part << " of " << loading;
  }
  EXPECT_LT(loading["wait_ms"], motion["jump"]["mean_ms"]);
  EXPECT_LE(loading["splats"], motion["jump"]["needed"]);
  EXPECT_LT(loading["bytes"], std::filesystem::file_size(scene));
  // Only a part of the file is read for a part of its time.
  const Outcome part = run({"--json", "convert", scene, path("part.ply"), "--time-range", "7,8.5"});
  ASSERT_EQ(part.exit_code, 0) << part.err;
  EXPECT_EQ(json::parse(part.out)["input"]["splats"], 20000);
  save_scene(in_morton_order(cut_in_time(load_scene(scene), 7, 8.5)), path("whole_part.ply"));
  EXPECT_EQ(text_of(path("part.ply")), text_of(path("whole_part.ply")));
  expect_refusal({"convert", scene, path("x.ply"), "--time-range", "7,21"}, 2, {"0 to 20 s"});
  expect_refusal(
      {"render", scene, "--cameras", path("cameras.json"), "-o", path("x"), "--memory", "0.00001"},
      1, {"a moment needs", "--memory"});
  expect_refusal({"synth", "swarm", "-o", path("x.spz")}, 2, {"swarm.4dgs"});
}

TEST_F(MovingCommand, ConvertWritesOneMomentInAnyFormat) {
  const std::string moving = write_moving();
  const Outcome moment = run({"convert", moving, path("moment.spz"), "--time", "1"});
  ASSERT_EQ(moment.exit_code, 0) << moment.err;
  const SplatCloud cloud = load_scene(path("moment.spz"));
  EXPECT_EQ(cloud.count(), moment_of(load_scene(moving), 1).count());
  expect_refusal({"convert", moving, path("all.spz")}, 1, {"the scene moves", "--time"});
  expect_refusal({"convert", moving, path("x.ply"), "--time", "3"}, 2, {"ends at 2 s"});
  expect_refusal({"convert", path("moment.spz"), path("x.ply"), "--time", "1"}, 2, {"stand still"});
  const Outcome whole = run({"convert", moving, path("whole.ply")});
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  EXPECT_EQ(load_scene(path("whole.ply")).motion(), SplatMotion::life);
  save_scene(in_morton_order(load_scene(moving)), path("sorted.ply"));
  EXPECT_EQ(text_of(path("whole.ply")), text_of(path("sorted.ply")));
}

TEST_F(MovingCommand, AScenesFieldMovesItInAllCommands) {
  const std::string moving = path("field.ply");
  save_scene(random_deformed_cloud(300, 1, 5), moving);
  const SplatCloud cloud = load_scene(moving);
  save_scene(moment_of(cloud, 1), path("at_1.ply"));
  render(path("at_1.ply"), "still_1");
  render(moving, "own");
  EXPECT_LT(difference("own/b.png", "still_1/b.png"), 0.05);
  EXPECT_GT(difference("own/a.png", "own/b.png"), 0.3);
  const json facts = json::parse(run({"--json", "info", moving}).out);
  EXPECT_EQ(facts["motion"], "field");
  EXPECT_EQ(facts["duration_s"], 2);
  EXPECT_NE(run({"info", moving}).out.find("field, 2 s"), std::string::npos);
  const Outcome bench = run({"bench", moving, "--time", "1", "--frames", "2", "--size", "64x48"});
  EXPECT_EQ(bench.exit_code, 0) << bench.err;
  ASSERT_EQ(run({"convert", moving, path("moment.spz"), "--time", "1"}).exit_code, 0);
  EXPECT_EQ(load_scene(path("moment.spz")).count(), 300u);
  ASSERT_EQ(run({"convert", moving, path("frames"), "--frames", "ply", "--fps", "2"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(path("frames/frame_0005.ply")));
  ASSERT_EQ(
      run({"convert", moving, path("slow.ply"), "--duration", "6", "--crop", "-9,-9,-9,0,9,9"})
          .exit_code,
      0);
  const SplatCloud slow = load_scene(path("slow.ply"));
  EXPECT_EQ(slow.times.duration_s, 6);
  EXPECT_LT(slow.count(), 300u);
  ASSERT_NE(slow.deformation, nullptr);
  EXPECT_EQ(slow.deformation->parameters, cloud.deformation->parameters);
  expect_refusal({"convert", moving, path("x.spz")}, 1, {"deformation field", "--time"});
  expect_refusal({"convert", moving, path("x.ply"), "--scale", "2"}, 1, {"deformation field"});
  expect_refusal({"convert", moving, path("x.ply"), "--time-range", "0,1"}, 2,
                 {"--time-range", "deformation field"});
}

TEST_F(MovingCommand, ConvertWritesFramesAsAFolder) {
  const std::string moving = write_moving();
  const Outcome outcome =
      run({"convert", moving, path("frames"), "--frames", "spz", "--fps", "4", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json facts = json::parse(outcome.out);
  EXPECT_EQ(facts["output"]["frames"], 9);
  const SplatCloud cloud = load_scene(moving);
  for (const int frame : {0, 4, 8}) {
    const std::string name = fmt::format("frames/frame_{:04}.spz", frame + 1);
    EXPECT_EQ(load_scene(path(name)).count(), moment_of(cloud, frame / 4.0).count());
  }
  EXPECT_FALSE(fs::exists(path("frames/frame_0010.spz")));
  // It is a moving scene again.
  const Outcome info = run({"info", path("frames"), "--json"});
  EXPECT_EQ(info.exit_code, 0) << info.err;
  expect_refusal({"convert", moving, path("frames"), "--frames", "spz"}, 1, {"empty folder"});
  expect_refusal({"convert", moving, path("x"), "--frames", "spz", "--time", "1"}, 2, {"--frames"});
  expect_refusal({"convert", moving, path("x.ply"), "--fps", "3"}, 2, {"--frames"});
  expect_refusal({"convert", path("frames/frame_0001.spz"), path("x"), "--frames", "ply"}, 2,
                 {"stand still"});
}

TEST_F(MovingCommand, OtherProgramsFilesAreScenes) {
  const SplatCloud paths = random_moving_cloud(300, 0, 5, SplatMotion::poly);
  const std::string stg = write_file("model.ply", stg_file(paths));
  const Outcome info = run({"info", stg, "--json"});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  const json facts = json::parse(info.out);
  EXPECT_EQ(facts["motion"], "poly");
  EXPECT_EQ(facts["format"], "Spacetime Gaussians ply");
  const Outcome stretched = run({"convert", stg, path("slow.splatv"), "--duration", "6"});
  ASSERT_EQ(stretched.exit_code, 0) << stretched.err;
  EXPECT_NE(stretched.err.find("taken to be 1 s"), std::string::npos) << stretched.err;
  ASSERT_EQ(run({"convert", stg, path("slow.ply"), "--duration", "6"}).exit_code, 0);
  EXPECT_EQ(load_scene(path("slow.ply")).times.duration_s, 6);
  EXPECT_EQ(load_scene(path("slow.ply")).motion(), SplatMotion::poly);
  render(path("slow.ply"), "pictures", {"--time", "3"});
  const Outcome parts = run({"convert", path("slow.ply"), path("parts.4dgs")});
  ASSERT_EQ(parts.exit_code, 0) << parts.err;
  EXPECT_NE(parts.err.find("parts of straight paths"), std::string::npos) << parts.err;
  EXPECT_EQ(load_scene(path("parts.4dgs")).motion(), SplatMotion::life);
  EXPECT_GT(load_scene(path("parts.4dgs")).count(), 300u);
  const Outcome measured =
      run({"bench", path("slow.splatv"), "--time", "0.5", "--size", "64x48", "--frames", "2"});
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
}

TEST_F(MovingCommand, AFileOfFramesIsAMovingScene) {
  save_scene(random_cloud(200, 1, 5), path("splats.ply"));
  const std::string scene =
      write_file("brush.ply", delta_file(text_of(path("splats.ply")), 200, 4));
  const Outcome info = run({"info", scene, "--json"});
  ASSERT_EQ(info.exit_code, 0) << info.err;
  const json facts = json::parse(info.out);
  EXPECT_EQ(facts["frames"], 4);
  EXPECT_EQ(facts["format"], "Brush ply of frames");
  EXPECT_EQ(facts["last"]["file"], "brush.ply, frame 4");
  EXPECT_NE(run({"info", scene}).out.find("all frames in one file"), std::string::npos);
  const auto show = [&](const char* time, const char* folder) {
    render(scene, folder, {"--time", time, "--sequence-fps", "2"});
  };
  show("0", "first");
  show("1", "third");
  show("1.2", "third_too");
  EXPECT_GT(difference("first/b.png", "third/b.png"), 1);
  EXPECT_EQ(difference("third/b.png", "third_too/b.png"), 0);
  const Outcome still = run({"convert", scene, path("still.ply")});
  ASSERT_EQ(still.exit_code, 0) << still.err;
  EXPECT_NE(still.err.find("only the first of 4 frames"), std::string::npos) << still.err;
}

TEST_F(MovingCommand, ConvertCutsOutARangeOfTimes) {
  const std::string moving = write_moving();
  const Outcome cut = run({"convert", moving, path("part.ply"), "--time-range", "0.5,1.25"});
  ASSERT_EQ(cut.exit_code, 0) << cut.err;
  const SplatCloud part = load_scene(path("part.ply"));
  EXPECT_DOUBLE_EQ(part.times.duration_s, 0.75);
  EXPECT_EQ(part.count(), cut_in_time(load_scene(moving), 0.5, 1.25).count());
  for (const char* wrong : {"1,0.5", "0,3", "-1,1", "1,1"}) {
    expect_refusal({"convert", moving, path("x.ply"), "--time-range", wrong}, 2,
                   {"--time-range", "0 to 2 s"});
  }
  save_scene(moment_of(part, 0), path("still.ply"));
  expect_refusal({"convert", path("still.ply"), path("x.ply"), "--time-range", "0,1"}, 2,
                 {"stand still"});
}

TEST_F(MovingCommand, TrainSeesTheTimesOfThePhotographs) {
  make_moving_tiny_dataset(path("data"));
  const std::vector<std::string> words{"train", path("data"),   "-o", path("run"),  "--steps",
                                       "30",    "--init-count", "60", "--progress", "none"};
  const Outcome first = run(words);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.err.find("--strategy is relocation instead of adc"), std::string::npos)
      << first.err;
  EXPECT_EQ(first.err.find("one still scene"), std::string::npos) << first.err;
  EXPECT_EQ(load_scene(path("run/splat_30.ply")).motion(), SplatMotion::life);
  const json config = json::parse(text_of(path("run/config.json")));
  EXPECT_EQ(config["motion"], "life");
  const Outcome more =
      run({"train", "--resume", "-o", path("run"), "--steps", "40", "--progress", "none"});
  EXPECT_EQ(more.exit_code, 0) << more.err;
  EXPECT_TRUE(fs::exists(path("run/splat_40.ply")));
  std::vector<std::string> still = words;
  still[3] = path("still");
  still.insert(still.end(), {"--motion", "still"});
  const Outcome blurred = run(still);
  ASSERT_EQ(blurred.exit_code, 0);
  EXPECT_NE(blurred.err.find("one still scene"), std::string::npos) << blurred.err;
  EXPECT_EQ(load_scene(path("still/splat_30.ply")).motion(), SplatMotion::still);
  std::vector<std::string> deformed = words;
  deformed[3] = path("deformed");
  deformed.insert(deformed.end(), {"--motion", "field", "--plane-resolution", "8"});
  const Outcome moved = run(deformed);
  ASSERT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_EQ(moved.err.find("one still scene"), std::string::npos) << moved.err;
  expect_refusal({"train", path("data"), "-o", path("x"), "--motion", "life", "--kind", "surfel"},
                 2, {"--motion", "surfel"});
  expect_refusal({"train", path("data"), "-o", path("x"), "--export", "spz"}, 1,
                 {"--export spz", "the scene moves"});
}

TEST_F(MovingCommand, TrainHoldsAPartOfTheSplatsInMemory) {
  make_moving_tiny_dataset(path("data"));
  const std::vector<std::string> words{
      "train",          path("data"), "-o",           path("run"), "--steps",      "30",
      "--init",         "random",     "--init-count", "6000",      "--max-splats", "6000",
      "--splat-memory", "0.004",      "--sh-degree",  "1",         "--progress",   "none"};
  std::vector<std::string> dry = words;
  dry.insert(dry.end(), {"--dry-run", "--json"});
  const Outcome priced = run(dry);
  ASSERT_EQ(priced.exit_code, 0) << priced.err;
  EXPECT_GT(json::parse(priced.out)["file_bytes"], 1e6);
  const Outcome first = run(words);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.err.find("of 6000 splats fit into memory"), std::string::npos) << first.err;
  EXPECT_EQ(load_scene(path("run/splat_30.ply")).count(), 6000u);
  for (const fs::directory_entry& entry : fs::directory_iterator(path("run"))) {
    EXPECT_EQ(entry.path().string().find("partial"), std::string::npos) << entry.path();
  }
  const Outcome more = run({"train", "--resume", "-o", path("run"), "--steps", "40",
                            "--splat-memory", "0.0035", "--progress", "none"});
  EXPECT_EQ(more.exit_code, 0) << more.err;
  EXPECT_EQ(load_scene(path("run/splat_40.ply")).count(), 6000u);
  // The log of the run comes before the error.
  const Outcome all = run({"train", "--resume", "-o", path("run"), "--steps", "50",
                           "--splat-memory", "1", "--progress", "none"});
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_NE(all.err.find("\nmote: the saved training state: "), std::string::npos) << all.err;
  EXPECT_NE(all.err.find("resume with a --splat-memory"), std::string::npos) << all.err;
  const Outcome few =
      run({"train", path("data"), "-o", path("x"), "--init", "random", "--init-count", "6000",
           "--max-splats", "6000", "--splat-memory", "0.0002", "--progress", "none"});
  EXPECT_EQ(few.exit_code, 1);
  EXPECT_NE(few.err.find("\nmote: "), std::string::npos) << few.err;
  EXPECT_NE(few.err.find("--splat-memory"), std::string::npos) << few.err;
  EXPECT_NE(few.err.find("raise it"), std::string::npos) << few.err;
}

}  // namespace
}  // namespace mote
