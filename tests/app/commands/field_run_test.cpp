// Runs of neural fields that are stopped, and scores of fields that are fitted to a file.
#include <chrono>
#include <cmath>

#include "support/field_command_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class FieldRun : public FieldCommand {
 protected:
  void SetUp() override {
    FieldCommand::SetUp();
    write_file("small.json", R"({
      "encoding": {"otype": "HashGrid", "n_levels": 4, "n_features_per_level": 2,
                   "log2_hashmap_size": 10, "base_resolution": 8, "per_level_scale": 1.5},
      "network": {"otype": "FullyFusedMLP", "n_neurons": 16, "n_hidden_layers": 1},
      "optimizer": {"otype": "Ema", "decay": 0.95,
                    "nested": {"otype": "Adam", "learning_rate": 1e-2, "beta2": 0.99}}})");
  }

  /// Fits a field to the file, and evaluates it by the program: both have the same scores, up to
  /// the rounding of the parameters to halves.
  void expect_scores_repeat(const std::string& file, const std::vector<std::string>& keys) const {
    SCOPED_TRACE(file);
    const Outcome trained =
        run({"train", path(file), "-o", path("out"), "--network", path("small.json"), "--batch",
             "2048", "--steps", "60", "--progress", "none"});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const Outcome scored = run({"eval", path("out"), "--json", "--progress", "none"});
    ASSERT_EQ(scored.exit_code, 0) << scored.err;
    const json own = json::parse(text_of(path("out/stats.json")))["evaluation"],
               found = json::parse(scored.out);
    for (const std::string& key : keys) {
      const double expected = own[key];
      EXPECT_NEAR(found[key].get<double>(), expected, 0.01 * std::abs(expected)) << key;
    }
    EXPECT_NE(found["scene"].get<std::string>().find("field_60.ingp"), std::string::npos);
  }
};

TEST_F(FieldRun, EvalRepeatsTheScoresOfAMesh) {
  write_file("cube.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  expect_scores_repeat("cube.obj", {"iou", "mean_error", "chamfer"});
}

TEST_F(FieldRun, EvalRepeatsTheScoresOfAnImage) {
  fs::copy_file(path("data/images/view_00.png"), path("picture.png"));
  expect_scores_repeat("picture.png", {"psnr", "ssim", "bits_per_pixel", "of_raw", "of_file"});
}

TEST_F(FieldRun, EvalRepeatsTheScoresOfAVolume) {
  ASSERT_EQ(run({"synth", "cloud", "-o", path("cloud.nvdb"), "--voxels", "16"}).exit_code, 0);
  expect_scores_repeat("cloud.nvdb", {"psnr", "density_error"});
}

TEST_F(FieldRun, AnInterruptedRunExitsWith130AndResumesToTheSameParameters) {
  const std::vector<std::string> more{"--no-eval", "--checkpoint-every", "7"};
  const pid_t child = start_until_new_checkpoint(words("stopped", more, "1000000"), "stopped");
  ::kill(child, SIGINT);
  const Outcome stopped = finish(child);
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  ASSERT_FALSE(checkpoints("stopped").empty());
  const std::string last = checkpoints("stopped").back();  // ckpt_000000021.bin
  const int steps = std::stoi(last.substr(last.find('_') + 1)) + 10;
  std::vector<std::string> resume = on("stopped");
  resume.insert(resume.end(), {"--steps", std::to_string(steps)});
  const Outcome resumed = run(resume);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  ASSERT_EQ(run(words("whole", more, std::to_string(steps))).exit_code, 0);
  const std::string field = "/field_" + std::to_string(steps) + ".ingp";
  expect_same_field("whole" + field, "stopped" + field);
}

TEST_F(FieldRun, ATimeBudgetEndsARun) {
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome =
      run({"train", path("data"), "-o", path("out"), "--model", "nerf", "--network",
           path("network.json"), "--batch", "4096", "--aabb-scale", "1", "--no-eval",
           "--time-budget", "1s", "--json", "--progress", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_GT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(900));
  const int steps = json::parse(outcome.out)["steps"];
  EXPECT_GT(steps, 0);
  EXPECT_EQ(field_at("out/field_" + std::to_string(steps) + ".ingp").training_step,
            static_cast<std::uint64_t>(steps));
}

}  // namespace
}  // namespace mote
