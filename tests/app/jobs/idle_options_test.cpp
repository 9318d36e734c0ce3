// Options without effect are reported. For each row of the table there is a run in which the option
// has an effect and one in which it has none.
#include "app/jobs/idle_options.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string>

namespace mote {
namespace {

/// Runs that differ enough for every option to have an effect in one of them.
class IdleOptions : public ::testing::Test {
 protected:
  IdleOptions() {
    RunConfig adc;
    runs_.push_back({adc, {}, false});
    RunConfig mcmc;
    mcmc.splats.strategy = "mcmc";
    mcmc.splats.kind = "surfel";
    mcmc.splats.init = "random";
    mcmc.splats.exposure = mcmc.splats.pose_opt = true;
    mcmc.splats.background = "learned";
    mcmc.splats.resolution_schedule = 1;
    DatasetFacts masked;
    masked.masked = 3;
    masked.has_split = true;
    runs_.push_back({mcmc, masked, true});
    RunConfig flat;
    flat.splats.init = "scene.ply";
    flat.splats.sh_degree = 0;
    flat.splats.target_splats = 1000;
    flat.run.eval = false;
    flat.splats.steps = 100;
    runs_.push_back({flat, {}, false});
    RunConfig brief;
    brief.splats.steps = 100;
    runs_.push_back({brief, {}, false});
    RunConfig moving;
    moving.splats.motion = "life";
    moving.splats.strategy = "relocation";
    runs_.push_back({moving, {}, false});
    moving.splats.motion = "poly";
    moving.splats.motion_parts = 0.5;
    moving.splats.camera_clock = true;
    runs_.push_back({moving, {}, false});
    moving.splats.motion = "field";
    moving.splats.strategy = "mcmc";
    runs_.push_back({moving, {}, false});
    RunConfig directional;
    directional.splats.motion = "conditional";
    runs_.push_back({directional, {}, false});
    RunConfig mesh;
    mesh.model = "sdf";
    mesh.splats.exposure = mesh.splats.pose_opt = true;
    mesh.splats.resolution_schedule = 1;
    runs_.push_back({mesh, {}, false});
    RunConfig nerf;
    nerf.model = "nerf";
    std::ofstream(network_) << R"({"encoding": {"otype": "HashGrid"}})";
    RunConfig proposals = nerf;
    proposals.fields.sampler = "proposal";
    proposals.fields.network = network_;
    runs_.push_back({proposals, {}, false});
    runs_.push_back({nerf, {}, false});
  }
  void TearDown() override { std::filesystem::remove(network_); }

  struct Run {
    RunConfig config;
    DatasetFacts facts;
    bool on_device;

    RunConditions conditions() const { return {config, facts, on_device}; }
  };
  const std::string network_ =
      testing::TempDir() + "mote_idle_options_" + std::to_string(::getpid()) + ".json";
  std::deque<Run> runs_;
};

TEST_F(IdleOptions, EveryRowIsAnOptionThatHasAnEffectInSomeRun) {
  RunConfig config;
  OptionTable table;
  config.describe(table);
  for (const IdleOption& option : idle_options()) {
    SCOPED_TRACE(option.name);
    EXPECT_NE(table.find(option.name), nullptr);
    int idle = 0;
    for (const Run& run : runs_) idle += option.is_idle(run.conditions()) ? 1 : 0;
    EXPECT_GT(idle, 0);
    EXPECT_LT(idle, static_cast<int>(runs_.size()));
  }
}

TEST_F(IdleOptions, AnOptionOfAStrategyIsReportedUnderTheOtherStrategy) {
  RunConfig config;
  OptionTable table;
  config.describe(table);
  int of_one = 0;
  for (const Option& option : table.options()) {
    // The help of options for a single strategy begins with these words.
    const bool adc = option.help.starts_with("adc: "), mcmc = option.help.starts_with("mcmc: ");
    if (!adc && !mcmc) continue;
    ++of_one;
    SCOPED_TRACE(option.name);
    const Run &of_adc = runs_[0], &of_mcmc = runs_[1];
    EXPECT_EQ(idle_option_warnings({option.name}, of_adc.conditions()).size(), mcmc ? 1u : 0u);
    EXPECT_EQ(idle_option_warnings({option.name}, of_mcmc.conditions()).size(), adc ? 1u : 0u);
  }
  EXPECT_EQ(of_one, 8) << "six of adc, two of mcmc";
}

TEST_F(IdleOptions, TheNumberOfARandomStartCountsForPointsOfSeveralMoments) {
  const auto warnings = [](const char* motion, bool moving_points) {
    RunConfig config;
    const DatasetFacts facts;
    config.splats.motion = motion;
    return idle_option_warnings({"init-count"}, {config, facts, false, moving_points}).size();
  };
  for (const char* motion : {"still", "field"}) {
    EXPECT_EQ(warnings(motion, false), 1u) << motion;
    EXPECT_EQ(warnings(motion, true), 0u) << motion;
  }
  EXPECT_EQ(warnings("life", false), 0u);
}

TEST_F(IdleOptions, AnOptionOfAModelIsReportedUnderAnotherModel) {
  RunConfig config;
  OptionTable table;
  config.describe(table);
  Run sdf{{}, {}, false};
  sdf.config.model = "sdf";
  const RunConditions of_splats = runs_[0].conditions(), of_nerf = runs_.back().conditions();
  std::set<std::string> only_splats;
  int only_fields = 0;
  for (const Option& option : table.options()) {
    SCOPED_TRACE(option.name);
    const std::string start = "--" + option.name + " has no effect: it applies only to --model ";
    // The help of options for radiance fields alone begins with these words.
    const auto with_splats = idle_option_warnings({option.name}, of_splats);
    const bool is_of_nerf = option.help.starts_with("for --model nerf: ");
    if (is_of_nerf) {
      EXPECT_EQ(std::ranges::count(with_splats, start + "nerf"), 1);
      EXPECT_EQ(idle_option_warnings({option.name}, sdf.conditions()), std::vector{start + "nerf"});
    }
    only_fields += std::ranges::count(with_splats, start + "nerf") > 0 ? 1 : 0;
    const auto with_nerf = idle_option_warnings({option.name}, of_nerf);
    EXPECT_LE(with_nerf.size(), 1u);
    if (std::ranges::count(with_nerf, start + "splats") > 0) only_splats.insert(option.name);
  }
  EXPECT_EQ(only_fields, 15)
      << "network, encoding, batch, lr-factor, aabb-scale, latents, error-map, "
         "march-step, occupancy-samples, sampler, distortion, grid-sums, "
         "init-field, parameter-format, optimizer-state";
  for (const RunConditions& run : {of_splats, of_nerf}) {
    EXPECT_EQ(idle_option_warnings({"eikonal"}, run),
              std::vector<std::string>{"--eikonal has no effect: it applies only to --model sdf"});
  }
  for (const char* name :
       {"kind",         "strategy",    "max-splats", "target-splats", "sh-degree",
        "init",         "random-init", "init-count", "init-opacity",  "antialiased",
        "absgrad",      "backward",    "sh-every",   "mean-lr",       "beta-lr",
        "densify-from", "growth",      "noise",      "normal-weight", "ssim-weight"}) {
    EXPECT_TRUE(only_splats.contains(name)) << name;
  }
  for (const char* name :
       {"data", "model", "steps", "time-budget", "background", "exposure", "exposure-lr",
        "pose-opt", "resolution-schedule", "network", "batch", "test-every", "eval", "threads"}) {
    EXPECT_FALSE(only_splats.contains(name)) << name;
  }
}

TEST_F(IdleOptions, CorrectionsOfPhotographsAreReportedWhereThereAreNone) {
  const std::set<std::string> given{"exposure",     "pose-opt",       "resolution-schedule",
                                    "exposure-lr",  "pose-lr",        "images",
                                    "masks",        "poses",          "lens-mode",
                                    "light-mode",   "resize",         "test-every",
                                    "test-choice",  "max-resolution", "test-cameras",
                                    "test-moments", "frame-rate",     "time-range",
                                    "frame-cache",  "camera-color",   "resolution-until"};
  for (const char* model : {"splats", "nerf", "sdf", "image", "volume"}) {
    SCOPED_TRACE(model);
    Run run{{}, {}, false};
    run.config.model = model;
    run.config.splats.exposure = run.config.splats.pose_opt = true;
    run.config.splats.resolution_schedule = 2;
    const bool has_photographs = run.config.model == "splats" || run.config.model == "nerf";
    const std::vector<std::string> warnings = idle_option_warnings(given, run.conditions());
    // Exposures of photographs take the place of colours of cameras.
    const std::size_t of_colors = has_photographs && run.config.loop().exposure ? 1 : 0;
    EXPECT_EQ(warnings.size(), has_photographs ? of_colors : given.size());
    for (const std::string& name : given) {
      EXPECT_EQ(
          std::ranges::count(warnings, "--" + name + " has no effect: the run has no photographs"),
          has_photographs ? 0 : 1)
          << name;
    }
    const auto of_memory = idle_option_warnings({"memory"}, run.conditions());
    const bool has_pixels = has_photographs || run.config.model == "image";
    EXPECT_EQ(of_memory.size(), has_pixels ? 0u : 1u);
    // A rate has one reason, even where it would have two.
    run.config.splats.exposure = false;
    const auto of_rate = idle_option_warnings({"exposure-lr"}, run.conditions());
    EXPECT_EQ(of_rate, std::vector<std::string>{"--exposure-lr has no effect: no exposures are "
                                                "learned without --exposure"});
  }
}

TEST_F(IdleOptions, OptionsOfPhotographsAreReportedWhereAFieldIsComparedWithItsTarget) {
  DatasetOptions dataset;
  OptionTable table;
  dataset.describe(table);
  std::set<std::string> given{"background", "fit"};
  for (const Option& option : table.options()) given.insert(option.name);
  given.erase("memory");
  const std::size_t of_photographs = given.size();
  EXPECT_GT(of_photographs, 10u);
  given.insert({"memory", "out", "threads"});
  const std::string reason = " has no effect: it applies only to comparisons with photographs";
  for (const ModelEntry* model : {&kSdfModel, &kImageModel, &kVolumeModel}) {
    SCOPED_TRACE(model->name);
    const std::vector<std::string> warnings = idle_photograph_option_warnings(given, *model);
    const std::size_t of_memory = model == &kImageModel ? 0 : 1;
    EXPECT_EQ(warnings.size(), of_photographs + of_memory);
    for (const char* name : {"background", "fit", "resize", "masks"}) {
      EXPECT_EQ(std::ranges::count(warnings, std::string("--") + name + reason), 1) << name;
    }
    EXPECT_EQ(std::ranges::count(warnings, "--memory" + reason + " and images"),
              static_cast<std::ptrdiff_t>(of_memory));
    EXPECT_TRUE(idle_photograph_option_warnings({"out", "threads"}, *model).empty());
  }
}

TEST_F(IdleOptions, OptionsOfTheSamplerOfANerfAreReportedUnderTheOtherSampler) {
  const RunConditions occupancy = runs_.back().conditions();
  const RunConditions proposals = (runs_.end() - 2)->conditions();
  for (const char* name : {"march-step", "occupancy-samples"}) {
    EXPECT_TRUE(idle_option_warnings({name}, occupancy).empty()) << name;
    EXPECT_EQ(idle_option_warnings({name}, proposals),
              std::vector{std::string("--") + name +
                          " has no effect: it applies only to --sampler occupancy"});
  }
  EXPECT_TRUE(idle_option_warnings({"distortion"}, proposals).empty());
  EXPECT_EQ(idle_option_warnings({"distortion"}, occupancy),
            std::vector<std::string>{
                "--distortion has no effect: it applies only to --sampler proposal"});
}

TEST_F(IdleOptions, AnEncodingIsReportedBesideAFileThatHasOne) {
  EXPECT_TRUE(idle_option_warnings({"encoding"}, runs_.back().conditions()).empty());
  EXPECT_EQ(
      idle_option_warnings({"encoding"}, (runs_.end() - 2)->conditions()),
      std::vector<std::string>{"--encoding has no effect: the file of --network has an encoding"});
  std::ofstream(network_) << R"({"loss": {"otype": "L2"}})";
  EXPECT_TRUE(idle_option_warnings({"encoding"}, (runs_.end() - 2)->conditions()).empty());
}

TEST_F(IdleOptions, ColoursOfCamerasAreNotLearnedBesideExposures) {
  Run run{{}, {}, false};
  const auto warnings = [&] { return idle_option_warnings({"camera-color"}, run.conditions()); };
  EXPECT_TRUE(warnings().empty());
  run.config.splats.exposure = true;
  EXPECT_EQ(warnings(),
            std::vector<std::string>{"--camera-color has no effect: --exposure learns a map of "
                                     "colour for each photograph instead"});
}

TEST_F(IdleOptions, OnlyGivenOptionsAreReported) {
  const RunConditions adc = runs_[0].conditions();
  EXPECT_TRUE(idle_option_warnings({}, adc).empty());
  EXPECT_TRUE(idle_option_warnings({"steps", "absgrad"}, adc).empty());
  EXPECT_EQ(idle_option_warnings({"noise", "steps"}, adc),
            std::vector<std::string>{"--noise has no effect: it applies only to --strategy mcmc"});
}

}  // namespace
}  // namespace mote
