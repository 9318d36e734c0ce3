#include "app/jobs/idle_options.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/models.h"
#include "splats/kinds/splat_kind.h"

namespace mote {
namespace {

using Conditions = RunConditions;

bool is_not_adc(const Conditions& run) {
  return run.config.splats.strategy != "adc";
}

bool is_not_mcmc(const Conditions& run) {
  return run.config.splats.strategy != "mcmc";
}

bool has_no_regularizers(const Conditions& run) {
  return is_not_mcmc(run) && run.config.splats.strategy != "relocation";
}

bool stands_still(const Conditions& run) {
  return !moves(run.config.splats);
}

bool has_no_times(const Conditions& run) {
  return stands_still(run) && !is_deformed(run.config.splats);
}

bool has_no_field(const Conditions& run) {
  return !is_deformed(run.config.splats);
}

bool has_no_curves(const Conditions& run) {
  return splat_form(run.config.splats).motion != SplatMotion::poly;
}

bool has_no_directions(const Conditions& run) {
  return !depends_on_direction(splat_form(run.config.splats).motion);
}

bool has_no_births(const Conditions& run) {
  return stands_still(run) || run.config.splats.strategy != "relocation";
}

bool is_no_surface(const Conditions& run) {
  const KindInfo* kind = find_kind(run.config.splats.kind);
  return kind != nullptr && !kind->is_surface;
}

/// Splats that move fill up their number from the points, and those that stand still begin at a
/// part of the points of several moments.
bool starts_at_points(const Conditions& run) {
  return stands_still(run) && !run.moving_points && !run.config.splats.random_init &&
         run.config.splats.init == "points";
}

bool starts_from_scene(const Conditions& run) {
  return starts_from_file(run.config.splats);
}

bool has_no_harmonics(const Conditions& run) {
  return run.config.splats.sh_degree == 0;
}

bool has_no_splats(const Conditions& run) {
  return run.config.model != kSplatModel.name;
}

bool evaluates_not(const Conditions& run) {
  return !run.config.run.eval;
}

/// A field of a mesh, a picture or a volume.
bool has_no_photographs(const Conditions& run) {
  const ModelEntry* model = find_model(run.config.model);
  return model != nullptr && model->kind == ModelKind::field && model != &kNerfModel;
}

/// A NeRF with a number of samples of each ray that does not depend on occupied cells.
bool samples_all_of_space(const Conditions& run) {
  return run.config.fields.has_proposals();
}

/// Whether the file of --network chooses the encoding of positions.
bool network_has_encoding(const Conditions& run) {
  const ModelEntry* model = find_model(run.config.model);
  return model != nullptr && model->kind == ModelKind::field &&
         network_names_encoding(run.config.fields);
}

/// A field of a mesh or a volume.
bool has_no_pixels(const Conditions& run) {
  return has_no_photographs(run) && run.config.model != kImageModel.name;
}

bool learns_no_exposures(const Conditions& run) {
  return !run.config.loop().exposure;
}

bool learns_no_poses(const Conditions& run) {
  return !run.config.loop().pose_opt;
}

bool has_full_resolution(const Conditions& run) {
  return run.config.loop().resolution_schedule == 0;
}

/// Whether all steps are after the last one; false with a time budget, which fixes no number of
/// steps.
bool are_late(const std::vector<double>& steps, const LoopOptions& options) {
  return !steps.empty() && options.time_budget.empty() &&
         std::ranges::all_of(steps, [&](double step) { return step > options.steps; });
}

constexpr const char *kOfAdc = "it applies only to --strategy adc",
                     *kOfMcmc = "it applies only to --strategy mcmc",
                     *kOfSurfels = "it applies only to --kind surfel",
                     *kOfMoving = "the splats stand still",
                     *kOfLives = "it applies only to --motion life and poly",
                     *kOfField = "it applies only to --motion field",
                     *kOfPoly = "it applies only to --motion poly",
                     *kOfConditional = "it applies only to --motion conditional",
                     *kOfPhotographs = "the run has no photographs",
                     *kOfOccupancy = "it applies only to --sampler occupancy";

constexpr IdleOption kIdleOptions[] = {
    {"absgrad", is_not_adc, kOfAdc},
    {"densify-grad", is_not_adc, kOfAdc},
    {"clone-scale", is_not_adc, kOfAdc},
    {"prune-scale", is_not_adc, kOfAdc},
    {"prune-radius", is_not_adc, kOfAdc},
    {"opacity-reset-every", is_not_adc, kOfAdc},
    {"growth", is_not_mcmc, kOfMcmc},
    {"noise", is_not_mcmc, kOfMcmc},
    {"opacity-reg", has_no_regularizers, "it applies only to --strategy mcmc and relocation"},
    {"scale-reg", has_no_regularizers, "it applies only to --strategy mcmc and relocation"},
    {"birth-share", has_no_births,
     "it applies only to --motion life and poly with --strategy relocation"},
    {"velocity", stands_still, kOfLives},
    {"camera-clock", has_no_times, kOfMoving},
    {"clock-search", has_no_times, kOfMoving},
    {"splat-memory", stands_still, kOfLives},
    {"time-lr", stands_still, kOfLives},
    {"life-lr", stands_still, kOfLives},
    {"plateau-lr", stands_still, kOfLives},
    {"velocity-lr", stands_still, kOfLives},
    {"velocity-lr-end", stands_still, kOfLives},
    {"curve-lr", has_no_curves, kOfPoly},
    {"spin-lr", has_no_curves, kOfPoly},
    {"direction-lr", has_no_directions, kOfConditional},
    {"direction-sigma-lr", has_no_directions, kOfConditional},
    {"slope-lr", has_no_directions, kOfConditional},
    {"slope-lr-end", has_no_directions, kOfConditional},
    {"deform-lr", has_no_field, kOfField},
    {"deform-lr-end", has_no_field, kOfField},
    {"plane-lr", has_no_field, kOfField},
    {"plane-lr-end", has_no_field, kOfField},
    {"deform-from", has_no_field, kOfField},
    {"plane-resolution", has_no_field, kOfField},
    {"plane-moments", has_no_field, kOfField},
    {"plane-smoothness", has_no_field, kOfField},
    {"time-smoothness", has_no_field, kOfField},
    {"time-sparsity", has_no_field, kOfField},
    {"normal-weight", is_no_surface, kOfSurfels},
    {"normal-from", is_no_surface, kOfSurfels},
    {"distortion-weight", is_no_surface, kOfSurfels},
    {"distortion-from", is_no_surface, kOfSurfels},
    {"ssim-weight", has_no_splats, "it applies only to --model splats"},
    {"init-count", starts_at_points,
     "it applies only to --init random, and to datasets with too few points or with points of "
     "several moments"},
    {"init-count", starts_from_scene, "the run starts from the splats of a scene"},
    {"init-opacity", starts_from_scene, "the run starts from the splats of a scene"},
    {"init-scale", starts_from_scene, "the run starts from the splats of a scene"},
    {"max-splats", [](const Conditions& run) { return run.config.splats.target_splats > 0; },
     "--target-splats sets the number of splats"},
    {"exposure", has_no_photographs, kOfPhotographs},
    {"pose-opt", has_no_photographs, kOfPhotographs},
    {"resolution-schedule", has_no_photographs, kOfPhotographs},
    {"images", has_no_photographs, kOfPhotographs},
    {"masks", has_no_photographs, kOfPhotographs},
    {"poses", has_no_photographs, kOfPhotographs},
    {"lens-mode", has_no_photographs, kOfPhotographs},
    {"light-mode", has_no_photographs, kOfPhotographs},
    {"resize", has_no_photographs, kOfPhotographs},
    {"max-resolution", has_no_photographs, kOfPhotographs},
    {"test-every", has_no_photographs, kOfPhotographs},
    {"test-choice", has_no_photographs, kOfPhotographs},
    {"test-cameras", has_no_photographs, kOfPhotographs},
    {"test-moments", has_no_photographs, kOfPhotographs},
    {"frame-rate", has_no_photographs, kOfPhotographs},
    {"time-range", has_no_photographs, kOfPhotographs},
    {"frame-cache", has_no_photographs, kOfPhotographs},
    {"camera-color", has_no_photographs, kOfPhotographs},
    {"camera-color",
     [](const Conditions& run) { return !has_no_photographs(run) && !learns_no_exposures(run); },
     "--exposure learns a map of colour for each photograph instead"},
    {"memory", has_no_pixels, "the run has no photographs and no picture"},
    {"exposure-lr", learns_no_exposures, "no exposures are learned without --exposure"},
    {"exposure-lr",
     [](const Conditions& run) { return has_no_photographs(run) && !learns_no_exposures(run); },
     kOfPhotographs},
    {"pose-lr", learns_no_poses, "no poses are learned without --pose-opt"},
    {"pose-lr",
     [](const Conditions& run) { return has_no_photographs(run) && !learns_no_poses(run); },
     kOfPhotographs},
    {"clock-lr", [](const Conditions& run) { return !run.config.loop().camera_clock; },
     "no clocks are learned without --camera-clock"},
    {"clock-search",
     [](const Conditions& run) { return !has_no_times(run) && !run.config.loop().camera_clock; },
     "no clocks are learned without --camera-clock"},
    {"background-lr",
     [](const Conditions& run) { return run.config.loop().background != "learned"; },
     "no background is learned without --background learned"},
    {"resolution-until", has_full_resolution,
     "photographs have full resolution from the start without --resolution-schedule"},
    {"resolution-until",
     [](const Conditions& run) { return has_no_photographs(run) && !has_full_resolution(run); },
     kOfPhotographs},
    {"motion-parts", stands_still, "no step is on a part of a photograph in a still scene"},
    {"motion-parts-from",
     [](const Conditions& run) { return stands_still(run) || run.config.loop().motion_parts == 0; },
     "no step is on a part of a photograph"},
    {"sh-every", has_no_harmonics, "there is only the constant harmonic with --sh-degree 0"},
    {"sh-rest-lr", has_no_harmonics, "there is only the constant harmonic with --sh-degree 0"},
    {"eval-steps", evaluates_not, "nothing is evaluated with --no-eval"},
    {"eval-pictures", evaluates_not, "nothing is evaluated with --no-eval"},
    {"eval-steps",
     [](const Conditions& run) {
       return run.config.run.eval && are_late(run.config.run.eval_steps, run.config.loop());
     },
     "the run ends before these steps"},
    {"save-steps",
     [](const Conditions& run) { return are_late(run.config.run.save_steps, run.config.loop()); },
     "the run ends before these steps"},
    {"mask-mode", [](const Conditions& run) { return run.facts.masked == 0; },
     "no photograph has a mask"},
    {"test-every", [](const Conditions& run) { return run.facts.has_split; },
     "the dataset defines the test views"},
    {"backward", [](const Conditions& run) { return !run.on_device; },
     "it applies only to --device cuda"},
    {"grid-sums", [](const Conditions& run) { return !run.on_device; },
     "it applies only to --device cuda"},
    {"encoding", network_has_encoding, "the file of --network has an encoding"},
    {"march-step", samples_all_of_space, kOfOccupancy},
    {"occupancy-samples", samples_all_of_space, kOfOccupancy},
    {"distortion", [](const Conditions& run) { return !samples_all_of_space(run); },
     "it applies only to --sampler proposal"},
    {"threads", [](const Conditions& run) { return run.on_device; },
     "it applies only to --device cpu"},
    {"isa", [](const Conditions& run) { return run.on_device; }, "it applies only to --device cpu"},
};

/// An option of fields that only one of their models has.
struct OptionOfOneModel {
  std::string_view name;
  const ModelEntry* model;
};
constexpr OptionOfOneModel kOfOneModel[] = {
    {"aabb-scale", &kNerfModel},        {"latents", &kNerfModel},
    {"error-map", &kNerfModel},         {"march-step", &kNerfModel},
    {"occupancy-samples", &kNerfModel}, {"sampler", &kNerfModel},
    {"distortion", &kNerfModel},        {"eikonal", &kSdfModel}};

bool is_of_another(std::string_view option, const ModelEntry& model) {
  return std::ranges::any_of(kOfOneModel, [&](const OptionOfOneModel& one) {
    return one.name == option && one.model != &model;
  });
}

/// The options that a model has in addition to those of every model.
std::set<std::string> own_options(const ModelEntry& model) {
  TrainOptions splats;
  FieldOptions fields;
  LoopOptions common;
  OptionTable all_of_splats, all_of_fields, of_every_model;
  splats.describe(all_of_splats);
  fields.describe(all_of_fields);
  common.describe(of_every_model);
  const OptionTable& all = model.kind == ModelKind::splats ? all_of_splats : all_of_fields;
  std::set<std::string> own;
  for (const Option& option : all.options()) {
    if (of_every_model.find(option.name) != nullptr || is_of_another(option.name, model)) continue;
    own.insert(option.name);
  }
  return own;
}

}  // namespace

std::span<const IdleOption> idle_options() {
  return kIdleOptions;
}

std::set<std::string> options_of_others(const ModelEntry& model) {
  std::set<std::string> others;
  for (const ModelEntry* other : models()) others.merge(own_options(*other));
  for (const std::string& own : own_options(model)) others.erase(own);
  return others;
}

std::vector<std::string> idle_option_warnings(const std::set<std::string>& given,
                                              const RunConditions& conditions) {
  std::vector<std::string> warnings;
  std::set<std::string> others = given;  // without the options of models that are not trained
  std::set<std::string> of_others = options_of_others(*find_model(conditions.config.model));
  for (const ModelEntry* model : models()) {
    for (const std::string& name : own_options(*model)) {
      if (of_others.erase(name) == 0 || others.erase(name) == 0) continue;
      warnings.push_back(
          fmt::format("--{} has no effect: it applies only to --model {}", name, model->name));
    }
  }
  for (const IdleOption& option : kIdleOptions) {
    if (!others.contains(std::string(option.name)) || !option.is_idle(conditions)) continue;
    warnings.push_back(fmt::format("--{} has no effect: {}", option.name, option.reason));
  }
  return warnings;
}

std::vector<std::string> idle_splat_option_warnings(const std::set<std::string>& given,
                                                    std::span<const std::string_view> of_splats,
                                                    const ModelEntry& drawn) {
  std::vector<std::string> warnings;
  if (drawn.kind == ModelKind::splats) return warnings;
  for (const std::string_view name : of_splats) {
    if (!given.contains(std::string(name))) continue;
    warnings.push_back(fmt::format("--{} has no effect: it applies only to splats", name));
  }
  return warnings;
}

std::vector<std::string> idle_photograph_option_warnings(const std::set<std::string>& given,
                                                         const ModelEntry& compared) {
  DatasetOptions dataset;
  OptionTable table;
  dataset.describe(table);
  std::vector<std::string> names{"background", "fit"};
  for (const Option& option : table.options()) names.push_back(option.name);
  std::vector<std::string> warnings;
  for (const std::string& name : names) {
    const bool is_of_images = name == "memory";
    if (!given.contains(name) || (is_of_images && &compared == &kImageModel)) continue;
    warnings.push_back(
        fmt::format("--{} has no effect: it applies only to comparisons with photographs{}", name,
                    is_of_images ? " and images" : ""));
  }
  return warnings;
}

}  // namespace mote
