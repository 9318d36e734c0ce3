// `mote train` and `mote eval` as users meet them: the folder, stopping, killing and resuming,
// damaged checkpoints, full disks, refusals.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/random.h"
#include "io/splats/scene_format.h"
#include "support/train_command_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

TEST_F(TrainCommand, LeavesTheDocumentedFolder) {
  const Outcome outcome =
      run(words("out", {"--eval-steps", "20", "--save-steps", "30", "--export", "spz", "--json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* name :
       {"config.json", "train.log", "metrics.csv", "metrics.svg", "stats.json", "cameras.json",
        "splat_30.ply", "splat_60.ply", "splat_60.spz", "eval/step_20/metrics.json",
        "eval/step_60/metrics.json", "eval/step_60/gt/view_00.png",
        "eval/step_60/render/view_00.png", "eval/step_60/diff/view_08.png"}) {
    EXPECT_TRUE(fs::is_regular_file(path(std::string("out/") + name))) << name;
  }
  EXPECT_EQ(checkpoints("out"),
            (std::vector<std::string>{"ckpt_000000050.bin", "ckpt_000000060.bin"}));
  EXPECT_EQ(timeless_metrics("out").size(), 13u);  // a header and a line every five steps

  const json stats = json::parse(outcome.out);
  EXPECT_EQ(stats, json::parse(text_of(path("out/stats.json"))));
  EXPECT_EQ(stats["status"], "done");
  EXPECT_EQ(stats["steps"], 60);
  EXPECT_EQ(stats["evaluation"]["split"], "test");
  EXPECT_EQ(stats["evaluations"].size(), 2u);
  const json config = json::parse(text_of(path("out/config.json")));
  EXPECT_EQ(config["steps"], 60);
  EXPECT_EQ(config["seed"], 42);
  EXPECT_EQ(config["data"], path("data"));

  EXPECT_EQ(run({"render", path("out/splat_60.ply"), "--cameras", path("out/cameras.json"), "-o",
                 path("pictures")})
                .exit_code,
            0);
  EXPECT_TRUE(fs::exists(path("pictures/view_11.png")));
}

TEST_F(TrainCommand, ItsConfigFileRepeatsTheRun) {
  ASSERT_EQ(run(words("a", {"--seed", "7", "--no-eval"})).exit_code, 0);
  const Outcome outcome =
      run({"train", "--config", path("a/config.json"), "-o", path("b"), "--progress", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  expect_same_result("a", "b", 60);
  EXPECT_FALSE(fs::exists(path("b/eval")));
}

TEST_F(TrainCommand, AKilledRunResumesToTheSameResult) {
  const std::vector<std::string> more{"--eval-steps", "40", "--save-steps", "40"};
  ASSERT_EQ(run(words("whole", more, "200")).exit_code, 0);
  Random random(3);
  std::vector<std::string> command = words("killed", more, "200");
  for (int kill = 0; kill < 6; ++kill) {
    const pid_t child = start_until_new_checkpoint(command, "killed");
    std::this_thread::sleep_for(std::chrono::microseconds(random.below(15000)));
    ::kill(child, kill == 3 ? SIGINT : SIGKILL);
    const Outcome outcome = finish(child);
    if (kill == 3 && outcome.exit_code != 0) {
      EXPECT_EQ(outcome.exit_code, 130);
      EXPECT_NE(outcome.err.find("--resume"), std::string::npos) << outcome.err;
    }
    command = on("killed");
  }
  const Outcome last = run(command);
  ASSERT_EQ(last.exit_code, 0) << last.err;
  expect_same_result("whole", "killed", 200);
  EXPECT_EQ(text_of(path("whole/splat_40.ply")), text_of(path("killed/splat_40.ply")));
  for (const auto& entry : fs::recursive_directory_iterator(path("killed"))) {
    EXPECT_EQ(entry.path().string().find(".partial-"), std::string::npos) << entry.path();
  }
  const std::string log = text_of(path("killed/train.log"));
  EXPECT_NE(log.find("continuing after step"), std::string::npos);
  EXPECT_EQ(json::parse(text_of(path("killed/stats.json")))["evaluations"].size(), 2u);
}

TEST_F(TrainCommand, AnInterruptSavesACheckpointAndPrintsHowToResume) {
  for (const auto& [out, signals] :
       {std::pair("ctrl_c", std::vector{SIGINT}), std::pair("terminated", std::vector{SIGTERM}),
        std::pair("closed", std::vector{SIGHUP, SIGHUP}),
        std::pair("stopped", std::vector{SIGTERM, SIGHUP})}) {
    SCOPED_TRACE(out);
    const pid_t child =
        start_until_new_checkpoint(words(out, {"--checkpoint-every", "3"}, "1000000"), out);
    for (const int signal : signals) ::kill(child, signal);
    const Outcome outcome = finish(child);
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("mote train --resume -o '" + path(out) + "'"), std::string::npos)
        << outcome.err;
    const json stats = json::parse(text_of(path(std::string(out) + "/stats.json")));
    EXPECT_EQ(stats["status"], "interrupted");
    EXPECT_EQ(checkpoints(out).back(),
              fmt::format("ckpt_{:09}.bin", stats["steps"].get<std::uint64_t>()));
    const fs::path scene =
        path(fmt::format("{}/splat_{}.ply", out, stats["steps"].get<std::uint64_t>()));
    EXPECT_EQ(load_scene(scene).count(), stats["splats"].get<std::size_t>());
  }
}

TEST_F(TrainCommand, UnderNohupAClosedTerminalDoesNotStopTheRun) {
  const auto before = std::signal(SIGHUP, SIG_IGN);  // the child inherits it
  const pid_t child = start_until_new_checkpoint(words("out", {"--no-eval"}, "200"), "out");
  std::signal(SIGHUP, before);
  ::kill(child, SIGHUP);
  EXPECT_EQ(finish(child).exit_code, 0);
  EXPECT_TRUE(fs::exists(path("out/splat_200.ply")));
}

TEST_F(TrainCommand, AfterADamagedCheckpointTheOneBeforeIsUsedAndBothAreNamed) {
  ASSERT_EQ(run(words("out", {"--no-eval"})).exit_code, 0);
  const std::string scene = text_of(path("out/splat_60.ply"));
  const auto lines = timeless_metrics("out");
  fs::remove(path("out/splat_60.ply"));
  spoil(checkpoint("out", 60), fs::file_size(checkpoint("out", 60)) / 2);
  const Outcome outcome = run(on("out"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("ckpt_000000060.bin is damaged"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("ckpt_000000050.bin"), std::string::npos) << outcome.err;
  EXPECT_EQ(text_of(path("out/splat_60.ply")), scene);
  EXPECT_EQ(timeless_metrics("out"), lines);

  spoil(checkpoint("out", 60), 20);
  spoil(checkpoint("out", 50), 200);
  expect_refusal(on("out"), 1, {"no checkpoint is intact", "ckpt_000000050", "ckpt_000000060"});
}

TEST_F(TrainCommand, WithoutACheckpointARunStartsAtStepZero) {
  ASSERT_EQ(run(words("out")).exit_code, 0);
  const std::string scene = text_of(path("out/splat_60.ply"));
  fs::remove_all(path("out/checkpoints"));
  fs::remove(path("out/splat_60.ply"));
  const Outcome outcome = run(on("out"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("no checkpoint yet"), std::string::npos) << outcome.err;
  EXPECT_EQ(text_of(path("out/splat_60.ply")), scene);
}

TEST_F(TrainCommand, ARunWithOtherPhotographsOrOptionsIsNotResumed) {
  ASSERT_EQ(run(words("out", {"--no-eval"})).exit_code, 0);
  make_tiny_dataset(path("other"), {.views = 10});
  expect_refusal({"train", path("other"), "--resume", "-o", path("out")}, 1,
                 {"ckpt_000000060.bin", "other photographs"});
  std::vector<std::string> command = on("out");
  command.insert(command.end(), {"--sh-degree", "1"});
  EXPECT_EQ(run(command).exit_code, 1);
  expect_refusal({"train", "--resume", "-o", path("out"), "--model", "nerf"}, 2,
                 {"--model: the run trains splats, not nerf"});
}

TEST_F(TrainCommand, ADiskTooSmallForCheckpointsIsAWarningAndTheSceneIsWritten) {
  ASSERT_EQ(run(words("whole", {"--no-eval"})).exit_code, 0);
  const auto scene_bytes = fs::file_size(path("whole/splat_60.ply"));
  const auto checkpoint_bytes = fs::file_size(checkpoint("whole", 60));
  ASSERT_LT(2 * scene_bytes, checkpoint_bytes);
  const Outcome outcome = run_on_small_disk(words("small", {"--no-eval"}), 2 * scene_bytes);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("warning: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("ckpt_000000010.bin"), std::string::npos) << outcome.err;
  EXPECT_EQ(text_of(path("small/splat_60.ply")), text_of(path("whole/splat_60.ply")));
  EXPECT_TRUE(checkpoints("small").empty());

  const Outcome full = run_on_small_disk(words("full", {"--no-eval"}), scene_bytes / 2);
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.err.find("splat_60.ply"), std::string::npos) << full.err;
  EXPECT_FALSE(fs::exists(path("full/splat_60.ply")));
}

TEST_F(TrainCommand, RefusesInvalidOptionsBeforeItStarts) {
  write_file("file", "x");
  expect_refusal(words("file"), 1, {"file", "folder", "-o"});
  expect_refusal(words("file/below"), 1, {"file"});
  expect_refusal({"train", path("data"), "-o", "/proc/out"}, 1, {"/proc/out"});
  expect_refusal({"train", path("nothing"), "-o", path("out")}, 1, {"nothing"});
  expect_refusal({"train", "-o", path("out")}, 2, {"DATA", "missing"});
  expect_refusal(words("out", {"--model", "sdf"}), 2,
                 {"--model: 'sdf' is not trained on photographs", "splats or nerf"});
  expect_refusal(words("out", {"--eval-steps", "1.5"}), 2, {"--eval-steps", "whole"});
  expect_refusal(words("out", {"--export", "xyz"}), 2, {"--export", "xyz", "ply"});
  expect_refusal(words("out", {"--init", "pointz"}), 2, {"--init", "pointz", "points, random"});
  expect_refusal(words("out", {"--isa", "v9"}), 2, {"--isa", "v9"});
  expect_refusal(words("out", {"--device", "gpu"}), 2, {"--device gpu", "cpu"});
  expect_refusal({"train", path("data"), "-o", path("out"), "--time-budget", "soon"}, 2,
                 {"--time-budget", "soon"});
  expect_refusal(words("out", {"--time-budget", "3s"}), 2, {"--steps", "--time-budget"});
  expect_refusal(words("out", {"--resume"}), 1, {"no run to resume"});
  EXPECT_EQ(files(), (std::vector<std::string>{"data", "file"}));
}

TEST_F(TrainCommand, AnEndGivenAsFlagOverridesTheConfigFile) {
  const std::string config = write_file("c.json", R"({"steps": 20, "time-budget": "1h"})");
  const Outcome steps = run(words("steps", {"--config", config, "--no-eval", "--json"}, "7"));
  ASSERT_EQ(steps.exit_code, 0) << steps.err;
  EXPECT_EQ(json::parse(steps.out)["steps"], 7);
  EXPECT_EQ(json::parse(text_of(path("steps/config.json")))["time-budget"], "");
  const Outcome time = run({"train", path("data"), "-o", path("time"), "--config", config,
                            "--time-budget", "1s", "--no-eval", "--json", "--progress", "none"});
  ASSERT_EQ(time.exit_code, 0) << time.err;
  EXPECT_NE(time.err.find("1s (--time-budget; --steps is ignored)"), std::string::npos);
  EXPECT_NE(json::parse(time.out)["steps"], 20);
}

TEST_F(TrainCommand, ADamagedConfigFileDoesNotAllowReplacingTheRun) {
  ASSERT_EQ(run(words("out", {"--no-eval"})).exit_code, 0);
  write_file("out/config.json", "{");
  expect_refusal(on("out"), 1, {"config.json", "restore it", "another folder with -o"});
}

TEST_F(TrainCommand, TheLogContainsTheNotesOnTheInitialSplats) {
  ASSERT_EQ(run(words("cut", {"--max-splats", "30", "--no-eval"}, "2")).exit_code, 0);
  EXPECT_NE(text_of(path("cut/train.log")).find("30 of 60 points"), std::string::npos);
  write_file("data/sparse/0/points3D.txt", "1 0 0 0 9 9 9 0.5 1 0\n");
  ASSERT_EQ(run(words("few", {"--no-eval"}, "2")).exit_code, 0);
  EXPECT_NE(text_of(path("few/train.log")).find("warning: 1 initial points are too few"),
            std::string::npos);
  const Outcome dry = run(words("dry", {"--dry-run"}));
  EXPECT_NE(dry.err.find("1 initial points are too few"), std::string::npos) << dry.err;
}

TEST_F(TrainCommand, OnlyOptionsWithoutEffectAreReported) {
  const Outcome outcome =
      run(words("out", {"--dry-run", "--noise", "3", "--init-count", "500", "--eval-steps", "5000",
                        "--save-steps", "20", "--mask-mode", "segment", "--strategy", "adc"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* name : {"noise", "init-count", "eval-steps", "mask-mode"}) {
    EXPECT_NE(outcome.err.find(std::string("--") + name + " has no effect: "), std::string::npos)
        << outcome.err;
  }
  EXPECT_EQ(outcome.err.find("--save-steps"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("--max-splats has"), std::string::npos) << outcome.err;
}

TEST_F(TrainCommand, CamerasAreListedInTheOrderOfCapture) {
  ASSERT_EQ(run(words("out", {"--no-eval"}, "2")).exit_code, 0);
  const json frames = json::parse(text_of(path("out/cameras.json")))["frames"];
  ASSERT_EQ(frames.size(), 12u);
  std::size_t tests = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i]["file_path"], fmt::format("view_{:02}.png", i));
    tests += frames[i]["split"] == "test" ? 1 : 0;
  }
  EXPECT_EQ(tests, 2u);
}

TEST_F(TrainCommand, AnOrbitOfARunFollowsTheCircleOfItsCameras) {
  ASSERT_EQ(run(words("out", {"--no-eval"}, "2")).exit_code, 0);
  const Outcome orbit = run({"render", path("out/splat_2.ply"), "--orbit", "3", "-o",
                             path("pictures"), "--json", "--progress", "none"});
  ASSERT_EQ(orbit.exit_code, 0) << orbit.err;
  EXPECT_NE(
      orbit.err.find("the orbit follows the circle of the cameras in " + path("out/cameras.json")),
      std::string::npos);
  EXPECT_EQ(json::parse(orbit.out)["views"][0]["width"], 64);
  fs::copy(path("out/splat_2.ply"), path("alone.ply"));
  const Outcome alone = run({"render", path("alone.ply"), "--orbit", "3", "-o", path("others"),
                             "--json", "--progress", "none"});
  EXPECT_EQ(json::parse(alone.out)["views"][0]["width"], 1280) << alone.err;
}

TEST_F(TrainCommand, CorrectionsOfTrainingViewsAreFittedToHalvesOfTestViews) {
  const Outcome trained = run(words("out", {"--exposure", "--pose-opt", "--json"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const json of_run = json::parse(trained.out)["evaluation"];
  EXPECT_EQ(of_run["fitted_on_left_half"], "exposure and pose");
  EXPECT_TRUE(json::parse(text_of(path("out/eval/step_60/metrics.json"))).contains("right_half"));
  EXPECT_NE(text_of(path("out/train.log")).find("with exposure and pose fitted"),
            std::string::npos);
  const Outcome again = run({"eval", path("out"), "--json"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  const json later = json::parse(again.out);
  EXPECT_NEAR(later["psnr"], of_run["psnr"], 1e-3);
  EXPECT_NEAR(later["right_half"]["psnr_fitted"], of_run["right_half"]["psnr_fitted"], 0.05);
  const Outcome plain = run({"eval", path("out"), "--fit", "none", "--json"});
  EXPECT_FALSE(json::parse(plain.out).contains("right_half")) << plain.err;
}

TEST_F(TrainCommand, AFailedStartLeavesNoRun) {
  write_file("notes.ply", "x");
  expect_refusal(words("out", {"--init", path("notes.ply")}), 1, {"notes.ply"});
  EXPECT_EQ(run(words("out", {"--no-eval"})).exit_code, 0);
}

TEST_F(TrainCommand, PhotographsWithoutPosesAreReferredToImport) {
  fs::create_directories(path("photos/images"));
  write_file("photos/images/A.JPG", "");
  expect_refusal({"train", path("photos"), "-o", path("out")}, 1,
                 {"photos", "mote import " + path("photos/images")});
}

TEST_F(TrainCommand, ReplacesARunOnlyOnRequest) {
  ASSERT_EQ(run(words("out", {"--no-eval"})).exit_code, 0);
  write_file("out/mine.txt", "mine");
  expect_refusal(words("out"), 1, {"contains a run already", "--resume", "-y"});
  ASSERT_EQ(run(words("out", {"-y", "--no-eval"}, "20")).exit_code, 0);
  EXPECT_FALSE(fs::exists(path("out/splat_60.ply")));
  EXPECT_TRUE(fs::exists(path("out/splat_20.ply")));
  EXPECT_EQ(text_of(path("out/mine.txt")), "mine");
}

TEST_F(TrainCommand, ADryRunPrintsItsCostAndLeavesNoFile) {
  const Outcome outcome = run(words("out", {"--dry-run", "--json"}, "5000"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json cost = json::parse(outcome.out);
  EXPECT_EQ(cost["estimate"], true);
  EXPECT_EQ(cost["steps"], 5000);
  EXPECT_EQ(cost["splats"]["last"], 80);
  EXPECT_GT(cost["seconds"]["first"], 0);
  EXPECT_GT(cost["bytes_per_splat"], 100);
  EXPECT_GT(cost["process_bytes"], 1 << 20);
  EXPECT_GE(cost["memory_bytes"],
            cost["process_bytes"].get<std::uint64_t>() + cost["splat_bytes"].get<std::uint64_t>());
  const Outcome text =
      run({"train", path("data"), "-o", path("out"), "--dry-run", "--time-budget", "2m"});
  EXPECT_NE(text.out.find("estimate"), std::string::npos) << text.err;
  EXPECT_NE(text.out.find("2 min"), std::string::npos) << text.out;
  EXPECT_EQ(files(), (std::vector<std::string>{"data"}));
}

TEST_F(TrainCommand, EvalOfTheTrueSceneIsNearlyPerfect) {
  save_scene(tiny_cloud(), path("truth.ply"));
  const Outcome outcome = run({"eval", path("truth.ply"), path("data"), "--test-choice", "name",
                               "-o", path("eval"), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out);
  EXPECT_GT(result["psnr"], 50);
  EXPECT_GT(result["ssim"], 0.99);
  EXPECT_EQ(result["split"], "test");
  EXPECT_EQ(result["views"].size(), 2u);
  EXPECT_FALSE(result["notes"].empty());
  EXPECT_EQ(result, json::parse(text_of(path("eval/metrics.json"))));
  EXPECT_TRUE(fs::exists(path("eval/diff/view_00.png")));

  const Outcome text = run({"eval", path("truth.ply"), path("data"), "--test-every", "0"});
  EXPECT_NE(text.out.find("no test views"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("mean"), std::string::npos);
}

TEST_F(TrainCommand, EvalOfARunFolderUsesItsSceneDatasetAndOptions) {
  const Outcome trained =
      run(words("out", {"--resize", "0.5", "--background", "0.5,0.25,1", "--json"}));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  const Outcome outcome = run({"eval", path("out"), "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const json result = json::parse(outcome.out), stats = json::parse(trained.out);
  EXPECT_NEAR(result["psnr"], stats["evaluation"]["psnr"], 1e-3);
  EXPECT_NEAR(result["ssim"], stats["evaluation"]["ssim"], 1e-4);
  const Outcome file = run({"eval", path("out/splat_60.ply"), path("data"), "--json"});
  ASSERT_EQ(file.exit_code, 0) << file.err;
  EXPECT_NE(json::parse(file.out)["notes"].dump().find("config.json: --resize 0.5"),
            std::string::npos);
  EXPECT_NEAR(json::parse(file.out)["psnr"], stats["evaluation"]["psnr"], 1e-3);
  EXPECT_NE(json::parse(file.out)["notes"].dump().find("stats.json: 0.5,0.25,1"),
            std::string::npos);
  const Outcome black = run({"eval", path("out/splat_60.ply"), path("data"), "--resize", "0.5",
                             "--background", "0,0,0", "--json"});
  const double difference =
      json::parse(black.out)["psnr"].get<double>() - stats["evaluation"]["psnr"].get<double>();
  EXPECT_GT(std::abs(difference), 1);
  expect_refusal({"eval", path("out/splat_60.ply")}, 2, {"DATASET"});
  expect_refusal({"eval", path("out/splat_61.ply")}, 1, {"splat_61.ply", "No such file"});
  expect_refusal({"eval", path("data")}, 1, {"splat_N.ply"});
}

}  // namespace
}  // namespace mote
