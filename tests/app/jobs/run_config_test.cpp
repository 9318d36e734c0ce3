// Every option of a training run, by a walk over the table: it sets the field of its name and no
// other, and config.json contains it.
#include "app/jobs/run_config.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace mote {
namespace {

using nlohmann::json;

/// The field that each option must set.
std::map<std::string, const void*> fields_of(const RunConfig& c) {
  const DatasetOptions& d = c.dataset;
  const TrainOptions& t = c.splats;
  const RateOptions& r = t.rates;
  const DensifyOptions& s = t.densify;
  return {{"data", &c.data},
          {"model", &c.model},
          {"network", &c.fields.network},
          {"encoding", &c.fields.encoding},
          {"batch", &c.fields.batch},
          {"lr-factor", &c.fields.lr_factor},
          {"aabb-scale", &c.fields.aabb_scale},
          {"latents", &c.fields.latents},
          {"error-map", &c.fields.error_map},
          {"eikonal", &c.fields.eikonal},
          {"march-step", &c.fields.march_step},
          {"occupancy-samples", &c.fields.occupancy_samples},
          {"sampler", &c.fields.sampler},
          {"distortion", &c.fields.distortion},
          {"grid-sums", &c.fields.grid_sums},
          {"init-field", &c.fields.init_field},
          {"parameter-format", &c.fields.parameter_format},
          {"optimizer-state", &c.fields.optimizer_state},
          {"threads", &c.threads},
          {"isa", &c.isa},
          {"images", &d.images},
          {"masks", &d.masks},
          {"poses", &d.poses},
          {"mask-mode", &d.mask_mode},
          {"lens-mode", &d.lens_mode},
          {"light-mode", &d.light_mode},
          {"resize", &d.resize},
          {"max-resolution", &d.max_resolution},
          {"test-every", &d.test_every},
          {"test-choice", &d.test_choice},
          {"test-cameras", &d.test_cameras},
          {"test-moments", &d.test_moments},
          {"frame-rate", &d.frame_rate},
          {"time-range", &d.time_range},
          {"frame-cache", &d.frame_cache},
          {"memory", &d.memory_gb},
          {"steps", &t.steps},
          {"time-budget", &t.time_budget},
          {"kind", &t.kind},
          {"motion", &t.motion},
          {"velocity", &t.velocity},
          {"strategy", &t.strategy},
          {"max-splats", &t.max_splats},
          {"target-splats", &t.target_splats},
          {"splat-memory", &t.splat_memory_gb},
          {"sh-degree", &t.sh_degree},
          {"init", &t.init},
          {"random-init", &t.random_init},
          {"init-count", &t.init_count},
          {"background", &t.background},
          {"exposure", &t.exposure},
          {"pose-opt", &t.pose_opt},
          {"antialiased", &t.antialiased},
          {"absgrad", &t.absgrad},
          {"ssim-weight", &t.ssim_weight},
          {"resolution-schedule", &t.resolution_schedule},
          {"resolution-until", &t.resolution_until},
          {"backward", &t.backward},
          {"sh-every", &t.sh_every},
          {"init-opacity", &t.init_opacity},
          {"init-scale", &t.init_scale},
          {"mean-lr", &r.mean},
          {"mean-lr-end", &r.mean_end},
          {"scale-lr", &r.scale},
          {"rotation-lr", &r.rotation},
          {"opacity-lr", &r.opacity},
          {"sh-lr", &r.sh_0},
          {"sh-rest-lr", &r.sh_rest},
          {"beta-lr", &r.beta},
          {"time-lr", &r.time_mean},
          {"life-lr", &r.time_sigma},
          {"plateau-lr", &r.time_plateau},
          {"velocity-lr", &r.velocity},
          {"velocity-lr-end", &r.velocity_end},
          {"curve-lr", &r.curve},
          {"spin-lr", &r.spin},
          {"direction-lr", &r.direction_mean},
          {"direction-sigma-lr", &r.direction_sigma},
          {"slope-lr", &r.slope},
          {"slope-lr-end", &r.slope_end},
          {"deform-lr", &r.deformation},
          {"deform-lr-end", &r.deformation_end},
          {"plane-lr", &r.plane},
          {"plane-lr-end", &r.plane_end},
          {"deform-from", &t.deformation.from},
          {"plane-resolution", &t.deformation.resolution},
          {"plane-moments", &t.deformation.moments},
          {"plane-smoothness", &t.deformation.plane_smoothness},
          {"time-smoothness", &t.deformation.time_smoothness},
          {"time-sparsity", &t.deformation.time_sparsity},
          {"motion-parts", &t.motion_parts},
          {"motion-parts-from", &t.motion_parts_from},
          {"camera-color", &t.camera_color},
          {"camera-clock", &t.camera_clock},
          {"clock-search", &t.clock_search},
          {"clock-lr", &t.correction_rates.clock},
          {"exposure-lr", &t.correction_rates.exposure},
          {"pose-lr", &t.correction_rates.pose},
          {"background-lr", &t.correction_rates.background},
          {"densify-from", &s.from},
          {"densify-until", &s.until},
          {"densify-every", &s.every},
          {"densify-grad", &s.gradient},
          {"clone-scale", &s.clone_scale},
          {"prune-opacity", &s.prune_opacity},
          {"birth-share", &s.birth_share},
          {"prune-scale", &s.prune_scale},
          {"prune-radius", &s.prune_radius_px},
          {"opacity-reset-every", &s.opacity_reset_every},
          {"growth", &s.growth},
          {"noise", &s.noise},
          {"opacity-reg", &s.opacity_regularizer},
          {"scale-reg", &s.scale_regularizer},
          {"normal-weight", &t.surface.normal_weight},
          {"normal-from", &t.surface.normal_from},
          {"distortion-weight", &t.surface.distortion_weight},
          {"distortion-from", &t.surface.distortion_from},
          {"eval", &c.run.eval},
          {"eval-steps", &c.run.eval_steps},
          {"eval-pictures", &c.run.eval_pictures},
          {"save-steps", &c.run.save_steps},
          {"export", &c.run.exports},
          {"checkpoint-every", &c.run.checkpoint_every},
          {"metrics-every", &c.run.metrics_every}};
}

/// A valid value of the option that differs from its present one, as typed.
std::string other_value(const Option& option) {
  const std::string present = option_text(option);
  for (const std::string& choice : option.choices) {
    if (choice != present) return choice;
  }
  switch (option.target.index()) {
    case 0:
      return present == "true" ? "false" : "true";
    case 1: {
      const int least = std::max(2, static_cast<int>(option.minimum));
      return std::to_string(present == std::to_string(least) ? least + 1 : least);
    }
    case 2:
      return present != "0.125" ? "0.125" : "0.25";
    case 5:
      return "3,5";
    default:
      return "other";
  }
}

TEST(RunConfig, EachOptionSetsTheFieldOfItsName) {
  RunConfig config;
  OptionTable table;
  config.describe(table);
  const auto fields = fields_of(config);
  EXPECT_EQ(table.options().size(), fields.size());
  for (const Option& option : table.options()) {
    const auto field = fields.find(option.name);
    ASSERT_NE(field, fields.end()) << option.name;
    const void* target =
        std::visit([](auto* value) { return static_cast<const void*>(value); }, option.target);
    EXPECT_EQ(target, field->second) << option.name;
  }
}

TEST(RunConfig, EachOptionChangesOnlyItsKeyInConfigJsonAndReadsItBack) {
  const auto path = std::filesystem::path(testing::TempDir()) /
                    ("mote_config_" + std::to_string(::getpid()) + ".json");
  RunConfig untouched;
  const json before = json::parse(untouched.text(42, "cpu", "1.2.3"));
  OptionTable names;
  untouched.describe(names);
  for (const Option& named : names.options()) {
    SCOPED_TRACE(named.name);
    RunConfig config;
    OptionTable table;
    config.describe(table);
    const Option& option = *table.find(named.name);
    const std::string value = other_value(option);
    set_option(option, value);
    EXPECT_EQ(option_text(option), value);
    const json after = json::parse(config.text(42, "cpu", "1.2.3"));
    for (const auto& item : before.items()) {
      EXPECT_EQ(after.at(item.key()) != item.value(), item.key() == named.name) << item.key();
    }
    std::ofstream(path) << after.dump();
    RunConfig read;
    EXPECT_EQ(read.read(path, {}), 42);
    EXPECT_EQ(json::parse(read.text(42, "cpu", "1.2.3")), after);
  }
  std::filesystem::remove(path);
}

TEST(RunConfig, FormatsOfAnotherModelAreNotExported) {
  RunConfig config;
  const auto refusal = [&](const std::string& model, std::vector<std::string> exports) {
    config.model = model;
    config.run.exports = std::move(exports);
    try {
      config.check();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("splats", {"spz", "ply"}), "");
  EXPECT_EQ(refusal("nerf", {"msgpack", "ingp"}), "");
  EXPECT_EQ(refusal("nerf", {"msgpack", "spz"}),
            "--export: files of the format 'spz' hold no neural fields; give msgpack or ingp");
  EXPECT_EQ(refusal("splats", {"ingp"}),
            "--export: files of the format 'ingp' hold no 3D Gaussian splats; give ply, spz, 4dgs "
            "or splatv");
}

TEST(RunConfig, OlderRunsWithoutTheTestViewOptionKeepTheirSplit) {
  const std::string path = ::testing::TempDir() + "old_config_" + std::to_string(::getpid());
  json values = json::parse(RunConfig().text(42, "cpu", "1.2.3"));
  values.erase("test-choice");
  const auto choice = [&](const std::set<std::string>& except = {}) {
    std::ofstream(path) << values.dump();
    RunConfig read;
    read.read(path, except);
    return read.dataset.test_choice;
  };
  EXPECT_EQ(choice(), "name");
  EXPECT_EQ(choice({"test-choice"}), "auto");
  values.erase("#version");  // written by a person
  EXPECT_EQ(choice(), "auto");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace mote
