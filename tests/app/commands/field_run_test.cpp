// Runs of neural fields that are stopped, and scores of fields that are fitted to a file.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <initializer_list>
#include <optional>

#include "io/volumes/volume_file.h"
#include "support/ball_volume.h"
#include "support/field_command_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class FieldRun : public FieldCommand {
 protected:
  std::optional<OptimizerStates> states_at(const std::string& name) const {
    return read_snapshot_optimizer(InputFile(path(name)), {});
  }
  json info_of(const std::string& name) const {
    const Outcome printed = run({"info", path(name), "--json"});
    EXPECT_EQ(printed.exit_code, 0) << printed.err;
    return json::parse(printed.out);
  }
  /// Trains a NeRF for some steps from a snapshot, with its configuration.
  std::vector<std::string> from_snapshot(const std::string& file, const std::string& out,
                                         const std::string& steps,
                                         std::vector<std::string> more) const {
    std::vector<std::string> all{
        "train",     path("data"), "-o",      path(out),       "--model",      "nerf",
        "--steps",   steps,        "--batch", "4096",          "--init-field", path(file),
        "--no-eval", "--progress", "none",    "--test-choice", "name"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

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
  /// the rounding of the parameters to halves. Options of photographs do not change them, which
  /// warnings say.
  void expect_scores_repeat(const std::string& file, const std::vector<std::string>& keys,
                            int steps = 60) const {
    SCOPED_TRACE(file);
    const Outcome trained =
        run({"train", path(file), "-o", path("out"), "--network", path("small.json"), "--batch",
             "2048", "--steps", std::to_string(steps), "--progress", "none"});
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const Outcome scored = run({"eval", path("out"), "--json", "--progress", "none", "--background",
                                "1,1,1", "--fit", "exposure", "--resize", "0.5"});
    ASSERT_EQ(scored.exit_code, 0) << scored.err;
    for (const char* idle : {"--background", "--fit", "--resize"}) {
      EXPECT_NE(scored.err.find(std::string(idle) + " has no effect"), std::string::npos)
          << scored.err;
    }
    const json own = json::parse(text_of(path("out/stats.json")))["evaluation"],
               found = json::parse(scored.out);
    for (const std::string& key : keys) {
      const double expected = own[key];
      EXPECT_NEAR(found[key].get<double>(), expected, 0.01 * std::abs(expected)) << key;
    }
    EXPECT_NE(found["scene"].get<std::string>().find(fmt::format("field_{}.ingp", steps)),
              std::string::npos);
  }
};

TEST_F(FieldRun, EvalRepeatsTheScoresOfAMesh) {
  write_file("cube.obj",
             "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n");
  // Rounding moves much of a surface that has hardly been learned yet.
  expect_scores_repeat("cube.obj", {"iou", "mean_error", "chamfer"}, 240);
}

TEST_F(FieldRun, EvalRepeatsTheScoresOfAnImage) {
  fs::copy_file(path("data/images/view_00.png"), path("picture.png"));
  expect_scores_repeat("picture.png", {"psnr", "ssim", "bits_per_pixel", "of_raw", "of_file"});
}

TEST_F(FieldRun, EvalRepeatsTheScoresOfAVolume) {
  // Pictures by light paths take little time if most rays miss the volume.
  const DensityVolume column =
      volume_of({.voxel_side = 0.1, .origin = {1, 2, 3}}, [](const glm::ivec3& voxel) {
        return voxel.x == 0 && voxel.y == 0 && std::abs(voxel.z) <= 12 ? 1.0f : 0.0f;
      });
  write_volume(column, path("column.nvdb"));
  expect_scores_repeat("column.nvdb", {"psnr", "density_error"});
  EXPECT_TRUE(fs::exists(path("out/eval/reference.bin")));
}

/// Trains on a picture, in the folder `out`.
class FieldStart : public FieldRun {
 protected:
  void SetUp() override {
    FieldRun::SetUp();
    fs::copy_file(path("data/images/view_00.png"), path("picture.png"));
    write_file("plain.json", R"({
      "encoding": {"otype": "HashGrid", "n_levels": 2, "n_features_per_level": 2,
                   "log2_hashmap_size": 8, "base_resolution": 8, "per_level_scale": 1.5},
      "network": {"otype": "FullyFusedMLP", "n_neurons": 16, "n_hidden_layers": 1},
      "optimizer": {"otype": "Adam", "learning_rate": 1e-2, "beta2": 0.99}})");
  }
  std::vector<std::string> words(const std::string& out, std::vector<std::string> more) const {
    std::vector<std::string> all{"train", path("picture.png"), "-o", path(out),   "--batch",
                                 "2048",  "--steps",           "10", "--no-eval", "--progress",
                                 "none"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// The lines of `mote info` about a file have these phrases.
  void expect_in_info(const std::string& name, const std::vector<std::string>& phrases) const {
    const Outcome text = run({"info", path(name)});
    EXPECT_EQ(text.exit_code, 0) << text.err;
    for (const std::string& phrase : phrases) {
      EXPECT_NE(text.out.find(phrase), std::string::npos) << phrase << " in " << text.out;
    }
  }
};

TEST_F(FieldStart, ARunContinuesFromASnapshotWithTheStateOfItsOptimiser) {
  ASSERT_EQ(run(words("a", {"--network", path("plain.json"), "--optimizer-state",
                            "--parameter-format", "float"}))
                .exit_code,
            0);
  const auto states = states_at("a/field_10.ingp");
  ASSERT_TRUE(states.has_value());
  EXPECT_EQ(states->field.step, 10u);
  const Outcome converted = run({"convert", path("a"), path("kept.msgpack"), "--optimizer-state",
                                 "--parameter-format", "float"});
  ASSERT_EQ(converted.exit_code, 0) << converted.err;
  EXPECT_EQ(converted.err.find("not read"), std::string::npos) << converted.err;
  EXPECT_EQ(states_at("kept.msgpack"), states);
  EXPECT_EQ(field_at("kept.msgpack").parameters, field_at("a/field_10.ingp").parameters);
  const Outcome dropped = run({"convert", path("kept.msgpack"), path("dropped.ingp")});
  ASSERT_EQ(dropped.exit_code, 0) << dropped.err;
  EXPECT_NE(dropped.err.find("optimiser is not read"), std::string::npos) << dropped.err;
  EXPECT_EQ(states_at("dropped.ingp"), std::nullopt);

  const Outcome continued =
      run(words("b", {"--init-field", path("kept.msgpack"), "--optimizer-state"}));
  ASSERT_EQ(continued.exit_code, 0) << continued.err;
  EXPECT_NE(text_of(path("b/train.log")).find("state of the optimiser after 10 steps"),
            std::string::npos);
  EXPECT_EQ(states_at("b/field_10.ingp")->field.step, 20u);
  EXPECT_EQ(field_at("b/field_10.ingp").training_step, 20u);
  EXPECT_EQ(field_at("b/field_10.ingp").config.network->neurons, 16);
  ASSERT_EQ(run(words("c", {"--init-field", path("dropped.ingp")})).exit_code, 0);
  EXPECT_NE(text_of(path("c/train.log")).find("no state of an optimiser"), std::string::npos);
  EXPECT_EQ(field_at("c/field_10.ingp").training_step, 10u);

  std::vector<std::string> resume = on("b");
  resume.insert(resume.end(), {"--steps", "15"});
  const Outcome resumed = run(resume);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(field_at("b/field_15.ingp").training_step, 25u);
}

TEST_F(FieldStart, InfoTellsTheStateOfTheOptimiserAndTheNumbersOfTheParameters) {
  ASSERT_EQ(run(words("plain", {"--network", path("plain.json"), "--optimizer-state",
                                "--parameter-format", "float"}))
                .exit_code,
            0);
  ASSERT_EQ(run(words("small", {"--network", path("small.json"), "--optimizer-state"})).exit_code,
            0);
  ASSERT_EQ(run(words("none", {"--network", path("small.json")})).exit_code, 0);
  const json plain = info_of("plain/field_10.ingp"), small = info_of("small/field_10.ingp"),
             none = info_of("none/field_10.ingp");
  EXPECT_EQ(plain["parameter_format"], "float");
  EXPECT_EQ(plain["optimizer_state"]["step"], 10);
  EXPECT_EQ(plain["optimizer_state"]["first_moments"], plain["parameters"]);
  EXPECT_EQ(plain["optimizer_state"]["second_moments"], plain["parameters"]);
  EXPECT_EQ(plain["optimizer_state"]["averages"], 0);
  EXPECT_EQ(small["parameter_format"], "half");
  EXPECT_EQ(small["optimizer_state"]["averages"], small["parameters"]);
  EXPECT_EQ(small["optimizer_state"]["proposals"], 0);
  EXPECT_EQ(none["parameter_format"], "half");
  EXPECT_TRUE(none.contains("optimizer_state"));
  EXPECT_TRUE(none["optimizer_state"].is_null());
  const std::string count = plain["parameters"].dump();
  expect_in_info("plain/field_10.ingp",
                 {"parameters as floats", "after 10 steps: " + count + " first and " + count +
                                              " second moments, no averages"});
  expect_in_info("small/field_10.ingp", {"parameters as halves", "second moments, averages\n"});
  expect_in_info("none/field_10.ingp", {"parameters as halves", "the file has no state of it"});
}

TEST_F(FieldStart, SnapshotsThatDoNotFitAreRefused) {
  ASSERT_EQ(run(words("a", {"--network", path("plain.json")})).exit_code, 0);
  const std::string field = path("a/field_10.ingp");
  expect_refusal({"convert", field, path("b.ingp"), "--optimizer-state"}, 1,
                 {"field_10.ingp", "no state of an optimiser", "--optimizer-state"});
  expect_refusal({"convert", field, path("b.ply"), "--optimizer-state"}, 2, {"--optimizer-state"});
  EXPECT_FALSE(fs::exists(path("b.ingp")));
  const auto refuses = [&](std::vector<std::string> more, int code,
                           std::initializer_list<std::string> phrases) {
    more.insert(more.end(), {"--init-field", field});
    expect_refusal(words("b", more), code, phrases);
  };
  refuses({"--network", path("small.json")}, 1, {"another encoding", "leave --network out"});
  refuses({"--encoding", "dense"}, 2, {"--encoding", "--init-field"});
  std::vector<std::string> nerf = FieldCommand::words("b", {"--init-field", field});
  expect_refusal(nerf, 1, {"field_10.ingp", "--model image", "--model nerf"});
  expect_refusal(words("b", {"--init-field", path("none.ingp")}), 2, {"none.ingp", "--init-field"});
}

TEST_F(FieldRun, ANerfContinuesFromASnapshot) {
  ASSERT_EQ(run(words("a", {"--no-eval", "--optimizer-state"}, "10")).exit_code, 0);
  const Outcome outcome =
      run({"train", path("data"), "-o", path("b"), "--model", "nerf", "--steps", "10", "--batch",
           "4096", "--no-eval", "--init-field", path("a/field_10.ingp"), "--progress", "none"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const NeuralField first = field_at("a/field_10.ingp"), second = field_at("b/field_10.ingp");
  EXPECT_EQ(second.training_step, 20u);
  EXPECT_EQ(second.placement, first.placement);
  EXPECT_EQ(second.aabb_scale, first.aabb_scale);
  EXPECT_NE(second.parameters, first.parameters);
  expect_refusal(words("c", {"--sampler", "proposal", "--init-field", path("a/field_10.ingp")}), 1,
                 {"field_10.ingp", "has no proposals", "leave --sampler proposal out"});

  NeuralField moved = first;
  moved.placement.offset.x += 0.25;
  OutputFile file(path("a/field_10.ingp"));
  write_field_snapshot(moved, {}, file, {});
  file.commit();
  std::vector<std::string> resume = on("b");
  resume.insert(resume.end(), {"--steps", "15"});
  const Outcome refused = run(resume);
  EXPECT_EQ(refused.exit_code, 1) << refused.err;
  for (const char* phrase : {"--init-field", "in the place", "original options"}) {
    EXPECT_NE(refused.err.find(phrase), std::string::npos) << refused.err;
  }
  EXPECT_FALSE(fs::exists(path("b/field_15.ingp")));
}

TEST_F(FieldRun, ANerfContinuesWithItsProposals) {
  const std::vector<std::string> proposal{"--sampler", "proposal", "--optimizer-state"};
  std::vector<std::string> first = proposal;
  first.emplace_back("--no-eval");
  ASSERT_EQ(run(words("a", first, "4")).exit_code, 0);
  const auto states = states_at("a/field_4.ingp");
  ASSERT_TRUE(states.has_value());
  ASSERT_EQ(states->proposals.size(), 2u);
  EXPECT_EQ(states->proposals[0].step, 4u);
  EXPECT_EQ(info_of("a/field_4.ingp")["optimizer_state"]["proposals"], 2);

  const Outcome kept = run({"convert", path("a"), path("kept.msgpack"), "--optimizer-state"});
  ASSERT_EQ(kept.exit_code, 0) << kept.err;
  EXPECT_EQ(states_at("kept.msgpack"), states);

  const Outcome outcome = run(from_snapshot("a/field_4.ingp", "b", "3", proposal));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string log = text_of(path("b/train.log"));
  EXPECT_NE(log.find("state of the optimiser after 4 steps"), std::string::npos) << log;
  EXPECT_EQ(log.find("begin anew"), std::string::npos) << log;
  const auto later = states_at("b/field_3.ingp");
  ASSERT_TRUE(later.has_value());
  for (const OptimizerState& round : later->proposals) EXPECT_EQ(round.step, 7u);
  EXPECT_EQ(later->field.step, 7u);

  // A file of an earlier version.
  OptimizerStates fewer = *states;
  fewer.proposals.clear();
  OutputFile file(path("older.ingp"));
  write_field_snapshot(field_at("a/field_4.ingp"), {.optimizer = &fewer}, file, {});
  file.commit();
  ASSERT_EQ(run(from_snapshot("older.ingp", "c", "2", proposal)).exit_code, 0);
  EXPECT_NE(text_of(path("c/train.log")).find("none of the optimisers of its proposals"),
            std::string::npos);
  EXPECT_EQ(states_at("c/field_2.ingp")->proposals.at(1).step, 2u);
  EXPECT_EQ(states_at("c/field_2.ingp")->field.step, 6u);
  expect_refusal(from_snapshot("a/field_4.ingp", "d", "2", {}), 1,
                 {"field_4.ingp", "has proposals", "give --sampler proposal"});
}

TEST_F(FieldRun, ANerfContinuesWithItsLatents) {
  const std::vector<std::string> more{"--no-eval", "--latents", "3", "--optimizer-state"};
  ASSERT_EQ(run(words("a", more, "4")).exit_code, 0);
  const std::vector<float> first = field_at("a/field_4.ingp").latents;
  const std::size_t photographs = first.size() / 3;
  ASSERT_GT(photographs, 4u);
  EXPECT_EQ(info_of("a/field_4.ingp")["optimizer_state"]["photographs"], photographs);

  const Outcome outcome = run(from_snapshot("a/field_4.ingp", "b", "2", {"--optimizer-state"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(text_of(path("b/train.log")).find("in the same order"), std::string::npos);
  const std::vector<float> second = field_at("b/field_2.ingp").latents;
  ASSERT_EQ(second.size(), first.size());
  EXPECT_NE(second, first);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_NEAR(second[i], first[i], 1e-3) << i;
  const auto states = states_at("b/field_2.ingp");
  ASSERT_TRUE(states.has_value());
  ASSERT_EQ(states->latents.size(), photographs);
  for (const LatentState& state : states->latents) EXPECT_EQ(state.steps, 6u);

  const Outcome fewer = run(from_snapshot("a/field_4.ingp", "c", "2", {"--test-every", "3"}));
  ASSERT_EQ(fewer.exit_code, 0) << fewer.err;
  const std::size_t trained = field_at("c/field_2.ingp").latents.size() / 3;
  EXPECT_LT(trained, photographs);
  const std::string warning =
      fmt::format("the latents of {} photographs, and the run trains on {}", photographs, trained);
  EXPECT_NE(fewer.err.find(warning), std::string::npos) << fewer.err;
  expect_refusal(from_snapshot("a/field_4.ingp", "d", "2", {"--latents", "2"}), 1,
                 {"field_4.ingp", "has 3 latents", "the run has 2", "give --latents 3"});
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

TEST_F(FieldRun, AResumedRunHasThePlaceOfItsTransformsFile) {
  fs::remove_all(path("data"));
  make_moving_tiny_dataset(path("data"));
  const auto place = [&](double scale) {
    json all = json::parse(text_of(path("data/transforms.json")));
    for (json& frame : all["frames"]) frame.erase("time");
    all["scale"] = scale;
    write_file("data/transforms.json", all.dump());
  };
  place(0.33);
  const Outcome trained = run(words("out", {"--no-eval"}, "2"));
  ASSERT_EQ(trained.exit_code, 0) << trained.err;
  std::vector<std::string> resume = on("out");
  resume.insert(resume.end(), {"--steps", "4"});
  place(0.5);
  const Outcome refused = run(resume);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("another place of the field"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("original transforms.json"), std::string::npos) << refused.err;
  place(0.33);
  const Outcome resumed = run(resume);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
}

TEST_F(FieldRun, AStepOfHiddenPixelsAloneHasNoLoss) {
  Image mask;
  mask.resize_discard(64, 48, 1);
  std::ranges::fill(mask.pixels.span(), 0.0f);
  mask.pixels[0] = 1;
  fs::create_directories(path("data/masks"));
  for (int view = 0; view < 12; ++view) {
    write_png(mask, path(fmt::format("data/masks/view_{:02}.png", view)));
  }
  std::vector<std::string> command = words("out", {"--no-eval", "--metrics-every", "1"}, "1");
  *std::ranges::find(command, "4096") = "1024";
  const Outcome outcome = run(command);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::vector<std::string> lines = timeless_metrics("out");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_TRUE(lines[0].starts_with("step,loss,l1,ssim,psnr_train,")) << lines[0];
  EXPECT_TRUE(lines[1].starts_with("1,,,,,")) << lines[1];
  EXPECT_NE(text_of(path("out/train.log")).find("step 1: no loss, "), std::string::npos);
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
  EXPECT_LT(steps, 30000) << "the steps of a run without a budget";
  EXPECT_EQ(field_at("out/field_" + std::to_string(steps) + ".ingp").training_step,
            static_cast<std::uint64_t>(steps));
}

}  // namespace
}  // namespace mote
