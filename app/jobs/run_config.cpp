#include "app/jobs/run_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/jobs/shared_options.h"
#include "core/file.h"
#include "core/log.h"
#include "core/machine.h"
#include "core/spelling.h"
#include "io/splats/scene_format.h"
#include "model/models.h"
#include "train/fields/field_plan.h"
#include "train/fields/target_files.h"
#include "train/splats/initial_motion.h"
#include "train/splats/pages/page_pool.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uint64_t kMaxConfigBytes = 1 << 20;

/// Throws UsageError for an extension of files that hold another model.
void check_exports(const std::vector<std::string>& extensions, const ModelEntry& model) {
  std::vector<std::string> own;  // without dots
  for (const SceneFormat& format : scene_formats()) {
    if (format.model != model.kind || !format.can_be_written()) continue;
    for (const std::string_view extension : format.extensions)
      own.emplace_back(extension.substr(1));
  }
  for (const std::string& extension : extensions) {
    if (std::ranges::find(own, extension) != own.end()) continue;
    throw UsageError(
        fmt::format("files of the format '{}' hold no {}", extension, model_name(model.kind)),
        "--export", "give " + listed(own));
  }
}

}  // namespace

DatasetOptions with_modes_of(DatasetOptions options, ModelKind model) {
  if (options.lens_mode == "rays" && model == ModelKind::splats) {
    throw UsageError("splats are not drawn through a lens", "--lens-mode",
                     "leave it out, or take a neural field");
  }
  if (options.lens_mode == "auto") {
    options.lens_mode = model == ModelKind::field ? "rays" : "undistort";
  }
  if (options.light_mode == "unbounded" && model == ModelKind::splats) {
    throw UsageError("splats have no colours brighter than white", "--light-mode",
                     "leave it out, or take a neural field");
  }
  if (options.light_mode == "auto") {
    options.light_mode = model == ModelKind::field ? "unbounded" : "display";
  }
  return options;
}

DatasetOptions RunConfig::photographs() const {
  return with_modes_of(dataset, find_model(model)->kind);
}

void RunConfig::describe(OptionTable& table) {
  table.add(
      {.name = "data",
       .target = &data,
       .help =
           R"(photographs with poses: a folder with a COLMAP model or a transforms.json; or a mesh, an image or a volume)",
       .aliases = {"-d", "--data-path"},
       .placeholder = "DATA",
       .positional = true});
  table.add(
      {.name = "model",
       .target = &model,
       .help =
           R"(what is trained: on photographs 3D Gaussian splats or a neural radiance field; the models of meshes, images and volumes follow from DATA)",
       .choices = model_names()});
  dataset.describe(table);
  splats.describe(table);
  fields.describe(table);
  run.describe(table);
  describe_cpu_options(table, threads, isa);
}

std::string RunConfig::text(int seed, const std::string& device, const std::string& version) {
  OptionTable table;
  describe(table);
  json values = table.to_json();
  values["seed"] = seed;
  values["device"] = device;
  values["#version"] = version;
  return values.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

int RunConfig::read(const fs::path& path, const std::set<std::string>& except) {
  json values = json::parse(read_text_file(path, kMaxConfigBytes), nullptr, false);
  if (!values.is_object()) {
    throw Error("is not a JSON object", path.string(),
                "restore it from a copy, or start a new run in another folder with -o; the scenes "
                "and checkpoints beside it are intact");
  }
  const auto found = values.find("seed");
  const int seed = found != values.end() && found->is_number_integer() ? found->get<int>() : 0;
  // Runs before the introduction of that option chose by name. A file written by hand has no
  // version.
  if (values.contains("#version") && !values.contains("test-choice")) {
    values["test-choice"] = "name";
  }
  // Earlier versions had only splats, and "model" was the file of the poses.
  const auto model_value = values.find("model");
  if (model_value != values.end() && model_value->is_string() &&
      find_model(model_value->get<std::string>()) == nullptr) {
    values["poses"] = *model_value;
    values.erase("model");
  }
  for (const char* global : {"seed", "device"}) values.erase(global);
  for (const std::string& name : except) values.erase(name);
  OptionTable table;
  describe(table);
  table.from_json(values, path.string());
  return seed;
}

std::optional<RunConfig> RunConfig::of_run(const fs::path& config_file) {
  std::error_code ignored;
  if (!fs::is_regular_file(config_file, ignored)) return {};
  const json values = json::parse(read_text_file(config_file, kMaxConfigBytes), nullptr, false);
  if (!values.is_object() || !values.contains("#version")) return {};
  RunConfig config;
  config.read(config_file, {});
  return config;
}

bool RunConfig::is_trained_on(const fs::path& path) const {
  std::error_code fault;
  const bool is_same = fs::equivalent(data, path, fault);
  return is_same && !fault;
}

void RunConfig::settle_model(bool is_chosen) {
  const auto application = target_application(data);
  if (!application) {
    std::error_code ignored;
    const bool on_photographs = model == kSplatModel.name || model == kNerfModel.name;
    if (is_chosen && !on_photographs && fs::is_directory(data, ignored)) {
      throw UsageError(fmt::format("'{}' is not trained on photographs", model), "--model",
                       fmt::format("give {} or {}", kSplatModel.name, kNerfModel.name));
    }
    return;
  }
  const std::string_view own = field_model(*application).name;
  if (is_chosen && model != own) {
    throw UsageError(fmt::format("'{}' is not trained on {}", model, data), "--model",
                     fmt::format("leave it out: this file trains --model {}", own));
  }
  model = own;
}

std::string RunConfig::settle_motion(const Dataset& dataset) {
  const std::string before = splats.strategy;
  if (model == kSplatModel.name) {
    splats = settled(splats, dataset);
    const SplatForm form = splat_form(splats);
    for (const std::string& extension : run.exports) {
      check_holds(writable_scene_format("scene." + extension), kind_info(form.kind, form.motion),
                  "--export " + extension);
      if (is_deformed(splats)) {
        check_holds_deformations(writable_scene_format("scene." + extension),
                                 "--export " + extension);
      }
    }
  }
  if (model != kSplatModel.name || !moves(splats)) {
    const bool deformed = model == kSplatModel.name && is_deformed(splats);
    if (dataset.time.moves() && !deformed) {
      log_warning(
          "the photographs show different times; they are trained as one still scene, in which "
          "moving objects are blurred");
    }
    return {};
  }
  return before == splats.strategy ? "the splats move"
                                   : fmt::format("the splats move; --strategy is {} instead of {}",
                                                 splats.strategy, before);
}

std::string RunConfig::settle_splat_memory(const LoadedDataset& data) {
  if (model != kSplatModel.name) return {};
  const double before = splats.splat_memory_gb;
  const std::uint64_t photographs =
      std::min(data.photos->bytes_needed(), data.photos->bytes_budget());
  splats.splat_memory_gb =
      settled_splat_memory_gb(splats, data.dataset, photographs, this_machine().available_bytes);
  if (splats.splat_memory_gb == before) return {};
  return fmt::format("the splats may not fit into the memory that is free; --splat-memory is {}",
                     splats.splat_memory_gb);
}

SceneTimes RunConfig::model_times(const Dataset& dataset) const {
  const bool changes = model == kSplatModel.name && (moves(splats) || is_deformed(splats));
  return changes ? scene_times(dataset) : SceneTimes();
}

void RunConfig::check() const {
  splats.check();
  fields.check();
  run.check();
  photographs();
  check_exports(run.exports, *find_model(model));
}

std::unique_ptr<LearnerPlan> RunConfig::plan() const {
  RunConfig copy = *this;
  OptionTable table;
  copy.describe(table);
  return find_model(model)->plan(table);
}

void RunConfig::make_paths_absolute() {
  data = fs::absolute(data).lexically_normal().string();
  std::error_code ignored;
  for (std::string* file : {&splats.init, &fields.network, &fields.init_field}) {
    if (fs::is_regular_file(*file, ignored)) *file = fs::absolute(*file).string();
  }
}

}  // namespace mote
