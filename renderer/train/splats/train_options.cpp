// The table of training options: one entry per option, in the order of the help text.
#include "train/splats/train_options.h"

#include <filesystem>

#include "splats/kinds/fields.h"
#include "train/run/time_budget.h"
#include "train/splats/initial_motion.h"
#include "train/splats/strategy.h"

namespace mote {
namespace {

constexpr const char* kAdvanced = "Advanced";

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const StrategyEntry* entry : strategies()) names.emplace_back(entry->name);
  return names;
}

void describe_splats(TrainOptions& options, OptionTable& table) {
  table
      .add({.name = "kind",
            .target = &options.kind,
            .help = "kind of the splats; " + kind_descriptions(),
            .choices = kind_names()})
      .add({.name = "motion",
            .target = &options.motion,
            .help =
                "motion of the splats: still; life, with a velocity and a time at which each is "
                "visible; poly, also with a curved path and a rotation; field, one deformation "
                "field for all, best with one moving camera; conditional, with a position and an "
                "opacity that depend on the direction of view (6DGS); auto: life for photographs "
                "of different times, else still",
            .choices = {"auto", "still", "life", "poly", "field", "conditional"}})
      .add({.name = "velocity",
            .target = &options.velocity,
            .help = "moving splats: learn velocities, or none, so that splats only appear and "
                    "vanish, for comparison",
            .choices = {"learned", "none"},
            .group = kAdvanced})
      .add({.name = "strategy",
            .target = &options.strategy,
            .help = "how splats are added, moved and removed",
            .choices = strategy_names()})
      .add(
          {.name = "max-splats",
           .target = &options.max_splats,
           .help =
               R"(upper bound on the number of splats; 0: as many as the training photographs have colour values for, at most a million)",
           .aliases = {"--max-cap", "--cap-max"},
           .minimum = 0,
           .maximum = 1e9,
           .zero = "auto"})
      .add({.name = "target-splats",
            .target = &options.target_splats,
            .help = "number of splats at the end; 0: chosen by the strategy",
            .minimum = 0,
            .maximum = 1e9,
            .zero = "auto"})
      .add({.name = "splat-memory",
            .target = &options.splat_memory_gb,
            .help = "moving splats: memory for splats; more are trained window by window of time, "
                    "the others are in a file in the run's folder; 0: all, if the machine has it",
            .unit = "GB",
            .minimum = 0,
            .maximum = 1e6,
            .zero = "auto",
            .group = kAdvanced})
      .add({.name = "sh-degree",
            .target = &options.sh_degree,
            .help = "degree of the colour's spherical harmonics",
            .minimum = 0,
            .maximum = kMaxShDegree})
      .add(
          {.name = "init",
           .target = &options.init,
           .help =
               R"(initial splats: points (of the dataset), random, or the file of a trained scene)",
           .placeholder = "points|random|FILE"})
      .add({.name = "random-init",
            .target = &options.random_init,
            .help = "the same as --init random"})
      .add({.name = "init-count",
            .target = &options.init_count,
            .help = "number of splats of a random start; at points of several moments, the most "
                    "splats that stand still, and the fewest that move",
            .minimum = 1,
            .maximum = 1e9});
}

void describe_appearance(TrainOptions& options, OptionTable& table) {
  table
      .add({.name = "antialiased",
            .target = &options.antialiased,
            .help = "compensate the dilation of small splats (mip kernel)",
            .aliases = {"--antialias"}})
      .add({.name = "absgrad",
            .target = &options.absgrad,
            .help = R"(adc: densify by the sum of absolute gradients over the pixels (AbsGS))",
            .aliases = {"--abs-grad"}});
}

/// The start of a run.
void describe_start(TrainOptions& options, OptionTable& table) {
  table
      .add({.name = "sh-every",
            .target = &options.sh_every,
            .help =
                R"(steps between increases of the harmonics' degree; at most an eighth of the run)",
            .unit = "steps",
            .minimum = 1,
            .group = kAdvanced})
      .add({.name = "init-opacity",
            .target = &options.init_opacity,
            .help = "opacity of the initial splats; 0: chosen by the strategy",
            .minimum = 0,
            .maximum = 0.99,
            .zero = "auto",
            .group = kAdvanced})
      .add(
          {.name = "init-scale",
           .target = &options.init_scale,
           .help =
               R"(size of the initial splats, relative to the mean distance to their neighbours; 0: chosen by the strategy)",
           .minimum = 0,
           .maximum = 100,
           .zero = "auto",
           .group = kAdvanced})
      .add(
          {.name = "backward",
           .target = &options.backward,
           .help =
               R"(CUDA's form of the backward pass, for comparison: results differ by rounding, and buckets need more memory)",
           .choices = {"strips", "buckets"},
           .group = kAdvanced});
}

void describe_densification(DensifyOptions& densify, OptionTable& table) {
  const auto add = [&](const char* name, Option::Target target, const char* help,
                       const char* unit = "", double maximum = 1e9, const char* zero = "") {
    table.add({.name = name,
               .target = target,
               .help = help,
               .unit = unit,
               .minimum = 0,
               .maximum = maximum,
               .zero = zero,
               .group = kAdvanced});
  };
  add("densify-from", &densify.from,
      "first step at which splats are added or removed; at most a tenth of the run", "steps");
  add("densify-until", &densify.until,
      R"(fraction of the run after which no splats are added or removed; 0: chosen by the strategy)",
      "", 1, "auto");
  table.add({.name = "densify-every",
             .target = &densify.every,
             .help = "steps between changes of the set of splats",
             .unit = "steps",
             .aliases = {"--refine-every", "--densification-interval"},
             .minimum = 1,
             .maximum = 1e9,
             .group = kAdvanced});
  add("densify-grad", &densify.gradient,
      R"(adc: mean gradient above which a splat is cloned or split; 0: 0.0002, or 0.0008 with --absgrad)",
      "", 1e9, "auto");
  add("clone-scale", &densify.clone_scale,
      "adc: splats up to this size are cloned, larger ones are split", "extents");
  add("prune-opacity", &densify.prune_opacity,
      "splats below this opacity are removed or, by mcmc, moved", "", 1);
  add("prune-scale", &densify.prune_scale,
      "adc: larger splats are removed after the first reset of opacities; 0: never", "extents", 1e9,
      "never");
  add("prune-radius", &densify.prune_radius_px,
      R"(adc: splats with a larger radius in an image are removed after the first reset of opacities; 0: never)",
      "px", 1e9, "never");
  add("birth-share", &densify.birth_share,
      R"(relocation: fraction of the faint splats that move to places where a picture differs from its photograph, in place of other splats)",
      "", 1, "none");
  table.add({.name = "opacity-reset-every",
             .target = &densify.opacity_reset_every,
             .help = "adc: steps between resets of opacities",
             .unit = "steps",
             .aliases = {"--opacity-reset-interval"},
             .minimum = 1,
             .maximum = 1e9,
             .group = kAdvanced});
  add("growth", &densify.growth,
      "mcmc: fraction of new splats at each change; 0: 0.05, or more in a short run", "", 10,
      "auto");
  add("noise", &densify.noise, "mcmc: noise of positions, in learning rates", "");
  add("opacity-reg", &densify.opacity_regularizer,
      "mcmc, relocation: weight of mean opacity in the loss");
  add("scale-reg", &densify.scale_regularizer,
      "mcmc, relocation: weight of mean scale (world units) in the loss");
}

void describe_surface(SurfaceOptions& surface, OptionTable& table) {
  const auto add = [&](Option option) {
    option.minimum = 0;
    option.group = kAdvanced;
    table.add(std::move(option));
  };
  add({.name = "normal-weight",
       .target = &surface.normal_weight,
       .help = "surfels: weight of the difference between their normals and those of the depths",
       .aliases = {"--lambda-normal"},
       .maximum = 1e6});
  add({.name = "normal-from",
       .target = &surface.normal_from,
       .help = "surfels: first step with --normal-weight; at most 7/30 of the run",
       .unit = "steps",
       .maximum = 1e9});
  add({.name = "distortion-weight",
       .target = &surface.distortion_weight,
       .help =
           R"(surfels: weight of the spread of depths along a ray; published are 100 for landscapes, 1000 for objects)",
       .aliases = {"--lambda-dist"},
       .maximum = 1e6});
  add({.name = "distortion-from",
       .target = &surface.distortion_from,
       .help = "surfels: first step with --distortion-weight; at most a tenth of the run",
       .unit = "steps",
       .maximum = 1e9});
}

void describe_deformation(DeformationOptions& field, OptionTable& table) {
  const auto add = [&](Option option) {
    option.group = kAdvanced;
    table.add(std::move(option));
  };
  add({.name = "deform-from",
       .target = &field.from,
       .help = "--motion field: first step with the field; at most a tenth of the run",
       .unit = "steps",
       .minimum = 0,
       .maximum = 1e9});
  add({.name = "plane-resolution",
       .target = &field.resolution,
       .help = "--motion field: nodes of its coarser planes along x, y and z; the finer ones have "
               "twice as many",
       .minimum = 2,
       .maximum = 1024});
  add({.name = "plane-moments",
       .target = &field.moments,
       .help = "--motion field: nodes of its planes along time",
       .minimum = 2,
       .maximum = 1024});
  add({.name = "plane-smoothness",
       .target = &field.plane_smoothness,
       .help = "--motion field: weight of the squared steps between neighbours in space",
       .minimum = 0,
       .maximum = 1e6});
  add({.name = "time-smoothness",
       .target = &field.time_smoothness,
       .help = "--motion field: weight of the squared bends along time",
       .minimum = 0,
       .maximum = 1e6});
  add({.name = "time-sparsity",
       .target = &field.time_sparsity,
       .help = "--motion field: weight of the distance of planes with time from 1",
       .minimum = 0,
       .maximum = 1e6});
}

}  // namespace

void RateOptions::describe(OptionTable& table) {
  const auto add = [&](const char* name, double& target, const char* help,
                       std::vector<std::string> aliases = {}) {
    table.add({.name = name,
               .target = &target,
               .help = help,
               .aliases = std::move(aliases),
               .minimum = 0,
               .maximum = 10,
               .group = kAdvanced});
  };
  add("mean-lr", mean, R"(learning rate of positions at the start, in extents of the scene)",
      {"--position-lr-init", "--means-lr"});
  add("mean-lr-end", mean_end, "learning rate of positions at the end", {"--position-lr-final"});
  add("scale-lr", scale, "learning rate of log scales", {"--scaling-lr"});
  add("rotation-lr", rotation, "learning rate of quaternions");
  add("opacity-lr", opacity, "learning rate of logit opacities");
  add("sh-lr", sh_0, "learning rate of the constant harmonic", {"--feature-lr"});
  add("sh-rest-lr", sh_rest, "learning rate of the other harmonics");
  add("beta-lr", beta, "learning rate of the kernel's shape, for --kind beta");
  add("time-lr", time_mean,
      "moving splats: learning rate of the middle of their lives, in durations of the scene");
  add("life-lr", time_sigma, "moving splats: learning rate of the log length of their lives");
  add("plateau-lr", time_plateau,
      "moving splats: learning rate of the log length of the time of full opacity");
  add("velocity-lr", velocity,
      "moving splats: learning rate of velocities at the start, in extents per duration");
  add("velocity-lr-end", velocity_end, "moving splats: learning rate of velocities at the end");
  add("curve-lr", curve,
      "--motion poly: learning rate of quadratic and cubic paths, in extents per power of the "
      "duration");
  add("spin-lr", spin, "--motion poly: learning rate of the change of quaternions per duration");
  add("direction-lr", direction_mean,
      "--motion conditional: learning rate of the means of directions");
  add("direction-sigma-lr", direction_sigma,
      "--motion conditional: learning rate of the log spread of directions");
  add("slope-lr", slope,
      "--motion conditional: learning rate of the change of positions by direction at the start, "
      "in extents of the scene");
  add("slope-lr-end", slope_end,
      "--motion conditional: learning rate of the change of positions by direction at the end");
  add("deform-lr", deformation,
      "--motion field: learning rate of the field's network at the start");
  add("deform-lr-end", deformation_end,
      "--motion field: learning rate of the field's network at the end");
  add("plane-lr", plane, "--motion field: learning rate of the field's planes at the start");
  add("plane-lr-end", plane_end, "--motion field: learning rate of the field's planes at the end");
}

void TrainOptions::describe(OptionTable& table) {
  LoopOptions::describe(table);
  describe_splats(*this, table);
  describe_appearance(*this, table);
  describe_start(*this, table);
  rates.describe(table);
  describe_densification(densify, table);
  describe_surface(surface, table);
  describe_deformation(deformation, table);
}

SplatKind splat_kind(const TrainOptions& options) {
  return find_kind(options.kind)->kind;
}

SplatForm splat_form(const TrainOptions& options) {
  SplatForm form{splat_kind(options), options.sh_degree};
  if (options.motion == "life") form.motion = SplatMotion::life;
  if (options.motion == "poly") form.motion = SplatMotion::poly;
  if (options.motion == "conditional") form.motion = SplatMotion::conditional;
  return form;
}

bool moves(const TrainOptions& options) {
  return depends_on_time(splat_form(options).motion);
}

bool has_births(const TrainOptions& options) {
  return moves(options) && options.strategy == "relocation" && options.densify.birth_share > 0;
}

bool is_deformed(const TrainOptions& options) {
  return options.motion == "field";
}

TrainOptions settled(const TrainOptions& options, const Dataset& dataset) {
  TrainOptions result = options;
  if (options.motion == "auto") {
    const bool can_move = kind_info(splat_kind(options), SplatMotion::life).exists;
    result.motion = can_move && has_times(dataset) ? "life" : "still";
  }
  if (moves(result) && options.strategy == "adc") result.strategy = "relocation";
  return result;
}

BackwardForm backward_form(const TrainOptions& options) {
  return options.backward == "buckets" ? BackwardForm::buckets : BackwardForm::strips;
}

bool starts_from_file(const TrainOptions& options) {
  return !options.random_init && options.init != "random" && options.init != "points";
}

bool starts_from_points(const TrainOptions& options) {
  return !options.random_init && options.init == "points";
}

void TrainOptions::check() const {
  std::error_code ignored;
  if (starts_from_file(*this) && !std::filesystem::exists(init, ignored)) {
    throw UsageError("'" + init + "' is neither points nor random nor an existing file", "--init",
                     "give points, random or the file of a trained scene");
  }
  if (const SplatForm form = splat_form(*this); !kind_info(form.kind, form.motion).exists) {
    throw UsageError("splats of kind " + kind + " have no motion", "--motion",
                     "give --kind gaussian, or leave --motion out");
  }
  if (is_deformed(*this) && splat_kind(*this) != SplatKind::gaussian) {
    throw UsageError("splats of kind " + kind + " have no deformation field", "--motion",
                     "give --kind gaussian, or leave --motion out");
  }
  if (is_deformed(*this) && strategy == "relocation") {
    throw UsageError("relocation is for splats with lives", "--strategy",
                     "give adc or mcmc with --motion field");
  }
  if (!time_budget.empty()) parse_duration(time_budget, "--time-budget");
}

}  // namespace mote
