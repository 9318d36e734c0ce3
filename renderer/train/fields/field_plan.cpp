// The row of fields in the table of models, the options that a run keeps, and estimates of its
// cost.
#include "train/fields/field_plan.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>

#include "core/error.h"
#include "core/file.h"
#include "core/fingerprint.h"
#include "fields/applications/field_layout.h"
#include "fields/applications/nerf_layout.h"
#include "fields/optimizer_tables.h"
#include "fields/proposals/proposal_layout.h"
#include "io/fields/field_config_json.h"
#include "io/fields/field_snapshot.h"
#include "scene/scene_layout.h"
#include "train/fields/field_learner.h"
#include "train/fields/field_model.h"
#include "train/fields/field_placing.h"
#include "train/fields/field_start.h"
#include "train/fields/fitting_learner.h"

namespace mote {
namespace {

std::unique_ptr<HostModel> read_model(const std::filesystem::path& file,
                                      const std::function<void(double)>& progress) {
  return std::make_unique<HostField>(read_field_snapshot(InputFile(file), progress));
}

template <FieldApplication APPLICATION>
std::unique_ptr<LearnerPlan> field_plan(const OptionTable& chosen) {
  LoopOptions loop;
  FieldOptions options;
  OptionTable table;
  loop.describe(table);
  options.describe(table);
  table.take(chosen);
  return std::make_unique<FieldPlan>(APPLICATION, loop, options);
}

template <FieldApplication APPLICATION>
constexpr ModelEntry entry() {
  return {.kind = ModelKind::field,
          .name = kFieldApplicationNames[static_cast<std::size_t>(APPLICATION)],
          .one = "parameter",
          .many = "parameters",
          .file_prefix = "field_",
          .extension = "ingp",
          .size_option = "--batch",
          .rate_option = "--lr-factor 0.1",
          .read = read_model,
          .plan = field_plan<APPLICATION>};
}

}  // namespace

const ModelEntry kNerfModel = entry<FieldApplication::nerf>();
const ModelEntry kSdfModel = entry<FieldApplication::sdf>();
const ModelEntry kImageModel = entry<FieldApplication::image>();
const ModelEntry kVolumeModel = entry<FieldApplication::volume>();

const ModelEntry& field_model(FieldApplication application) {
  constexpr std::array<const ModelEntry*, kFieldApplicationNames.size()> kEntries{
      &kNerfModel, &kSdfModel, &kImageModel, &kVolumeModel};
  return *kEntries[static_cast<std::size_t>(application)];
}

/// The number of published steps that stands for a part of a shorter run.
double published_steps_at(const FieldOptimizer& optimizer, double fraction) {
  constexpr auto kSteps = static_cast<double>(kPublishedSteps);
  const double start = optimizer.decay ? static_cast<double>(optimizer.decay->start) : kSteps;
  if (start < kSteps / 2 || start >= kSteps) return fraction * kSteps;
  if (fraction < kConstantShare) return fraction / kConstantShare * start;
  return start + (fraction - kConstantShare) / (1 - kConstantShare) * (kSteps - start);
}

double field_learning_rate(const FieldOptimizer& optimizer, const RunPosition& position) {
  const bool is_long = !position.end_moves && position.steps_total >= kPublishedSteps;
  const double done = is_long ? static_cast<double>(position.steps_done)
                              : published_steps_at(optimizer, position.fraction);
  return learning_rate_at(optimizer, static_cast<std::uint64_t>(done) + 1);
}

/// All options but the length of the run, its learning rates and the form of its files, which the
/// saved state does not depend on.
std::vector<OptionText> FieldPlan::kept_options() const {
  LoopOptions loop = loop_;
  FieldOptions options = options_;
  OptionTable table, rates;
  loop.describe(table);
  options.describe(table);
  loop.correction_rates.describe(rates);
  std::vector<OptionText> texts;
  for (const Option& option : table.options()) {
    if (option.name == "steps" || option.name == "time-budget") continue;
    if (option.name == "lr-factor") continue;
    if (option.name == "parameter-format" || option.name == "optimizer-state") continue;
    if (option.name == "init-field" && options_.init_field.empty()) continue;
    if (rates.find(option.name) != nullptr) continue;
    texts.push_back({option.name, option_text(option)});
  }
  // The values in the file count too: parameters mean nothing in another encoding.
  const bool has_network = !options_.network.empty();
  if (has_network || !options_.init_field.empty()) {
    const std::string values = field_config_json(chosen_config(options_, application_)).dump();
    Fingerprint fingerprint;
    fingerprint.add_bytes(std::as_bytes(std::span(values)));
    const std::string& file = has_network ? options_.network : options_.init_field;
    texts.push_back({has_network ? "network" : "init-field",
                     fmt::format("{}, with the values {:016x}", file, fingerprint.value())});
  }
  // A resumed run has its parameters in the checkpoint, but its place in the file.
  if (!options_.init_field.empty()) {
    texts.push_back({"init-field", fmt::format("{}, in the place {:016x}", options_.init_field,
                                               start_place(options_, application_))});
  }
  return texts;
}

std::unique_ptr<Learner> FieldPlan::make(const LearnerSite& site) const {
  // A field that no file can hold is refused before it is trained.
  const bool has_floats = options_.parameter_format == "float" || options_.optimizer_state;
  const std::size_t most = std::size_t{0xffffffff} / (has_floats ? 4 : 2);  // bytes have 32 bits
  const std::size_t count = field_parameters(application_, untrained(site.dataset).config);
  if (count > most) {
    throw Error(fmt::format("{} parameters are more than a file can hold, at most {}", count, most),
                "--network",
                has_floats ? "use a smaller grid, or halves without the state of the optimiser"
                           : "use a smaller grid");
  }
  return application_ == FieldApplication::nerf
             ? make_field_learner(site, loop_, options_)
             : make_fitting_learner(site, application_, loop_, options_);
}

std::unique_ptr<LearnerPlan> FieldPlan::at_full_detail(std::optional<std::uint64_t>) const {
  return std::make_unique<FieldPlan>(*this);
}

/// The field that is trained, without its parameters, whose number fits, as does the snapshot that
/// the run starts from.
NeuralField FieldPlan::untrained(const Dataset& dataset) const {
  return with_config_places(options_, [&] {
    NeuralField field = completed(dataset);
    if (!options_.init_field.empty()) place_as_snapshot(options_, field);
    field_parameters(application_, field.config);
    return field;
  });
}

NeuralField FieldPlan::completed(const Dataset& dataset) const {
  const FieldConfig chosen = chosen_config(options_, application_);
  if (application_ != FieldApplication::nerf) {
    return field_target(dataset, application_).untrained(chosen);
  }
  const FieldSite site = place_field(dataset, measure_layout(dataset), options_.cube_side());
  NeuralField field;
  field.application = application_;
  field.aabb_scale = site.aabb_scale;
  field.hdr = dataset.is_linear;
  field.config =
      with_latents_of_run(complete_nerf_config(chosen, site.aabb_scale), options_, dataset);
  if (options_.has_proposals()) field.proposals = empty_proposals(*field.config.optimizer);
  return field;
}

std::uint64_t FieldPlan::last_count(const Dataset& dataset) const {
  const NeuralField field = untrained(dataset);
  const std::size_t proposals = field.proposals ? proposal_parameters(*field.proposals) : 0;
  return field_parameters(application_, field.config) + proposals;
}

/// Fields have no velocities.
std::optional<MemoryEstimate> FieldPlan::device_memory(const Backend& backend,
                                                       const Dataset& dataset,
                                                       bool /*velocities*/) const {
  const bool eikonal = application_ == FieldApplication::sdf && options_.eikonal > 0;
  return backend.memory_for_field(untrained(dataset), samples_per_step(options_, application_),
                                  eikonal);
}

ModelMemory FieldPlan::memory(const LearnerMemory& measured, std::uint64_t, std::uint64_t count,
                              bool) const {
  const std::uint64_t parameters = count * sizeof(float);
  // The averages with their copies in the file, beside the samples of the last step, whose memory
  // is kept.
  const std::uint64_t width =
      options_.parameter_format == "half" ? sizeof(std::uint16_t) : sizeof(float);
  std::uint64_t in_file = width, in_copy = 0;  // bytes of a parameter
  if (options_.optimizer_state) {
    in_file += kOptimizerStateBytes + width;  // with the average
    in_copy = kOptimizerStateBytes;
  }
  const std::uint64_t file = (kSnapshotCopies * in_file + in_copy) * count;
  const std::uint64_t saved = parameters + file + measured.saved + measured.work;
  // Evaluations and fits of poses copy no parameters: they follow rays with those of training.
  return {.held = measured,
          .work_name = "samples",
          .saved = saved,
          .exported = parameters,
          .keeps_work = true};
}

}  // namespace mote
