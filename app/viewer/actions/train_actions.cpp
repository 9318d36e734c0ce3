// Actions of training runs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "app/viewer/actions/action_lists.h"
#include "app/viewer/actions/named_arguments.h"
#include "app/viewer/document/run_facts.h"
#include "app/viewer/session/apply_settings.h"
#include "app/viewer/session/session.h"
#include "app/viewer/training/run_place.h"
#include "app/viewer/view/run_photographs.h"
#include "core/options.h"
#include "model/models.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

nlohmann::json values_of(DatasetOptions& options) {
  OptionTable table;
  options.describe(table);
  return table.to_json();
}

/// Options of `train start` besides those of the run.
struct StartOptions {
  std::string out = {};
  bool replace = false;
  int seed = 42;

  void describe(OptionTable& table) {
    table
        .add({.name = "out",
              .target = &out,
              .help = "folder for the results; default: output in the dataset's folder"})
        .add(
            {.name = "replace", .target = &replace, .help = "replace an earlier run in the folder"})
        .add({.name = "seed", .target = &seed, .help = "seed of random numbers"});
  }
};

/// Adds a document for the model of the new run. Hides the dataset's points, and the models of its
/// other runs, which the view would mix with the new one.
void add_document(Session& session, const fs::path& data, const fs::path& out, bool trains_field) {
  const fs::path folder = whole_path(out);
  for (const Document& document : session.documents.list()) {
    const bool same = document.source == data || document.source == folder ||
                      document.run.folder == folder || document.run.dataset == data;
    if (same && has_model(document)) session.documents.set_shown(document.id, false);
  }
  session.training.document = session.documents.add({.name = run_name(data, folder),
                                                     .format = "under training",
                                                     .training = true,
                                                     .trains_field = trains_field});
  session.training.snapshot_step = 0;
  session.training.counted = counted(*session.documents.find(session.training.document));
}

/// Whether the open dataset has the pixels and cameras of the run. Open photographs are undistorted
/// display values.
bool fits_run(const LoadedDataset& data, const RunConfig& config) {
  const DatasetOptions options = config.photographs();
  return (data.facts.through_lens == 0 || options.lens_mode == "undistort") &&
         (data.facts.linear == 0 || options.light_mode == "display");
}

/// Reuses the run's dataset if it is already open with the same options.
void use_open_dataset(const Session& session, TrainOrder& order) {
  DatasetOptions defaults;
  if (values_of(order.config.dataset) != values_of(defaults)) return;
  const fs::path data = whole_path(order.config.data);
  for (const CameraSet& set : session.cameras) {
    if (set.data && set.source == data && fits_run(*set.data, order.config)) order.data = set.data;
  }
}

void begin(Session& session, TrainOrder order) {
  if (session.trainer.active()) {
    throw UsageError("a run is active already", "train", "stop it first");
  }
  order.device = session.device_name;
  order.version = session.version;
  const fs::path data = whole_path(order.config.data), out = order.out;
  const bool trains_field = find_model(order.config.model)->kind == ModelKind::field;
  session.training.data = data;
  session.trainer.start(std::move(order));
  session.training.end.reset();
  add_document(session, data, out, trains_field);
  // The cameras of an open dataset already face the model.
  session.training.to_be_framed = std::ranges::none_of(
      session.cameras, [&](const CameraSet& set) { return set.source == data; });
  if (session.training.to_be_framed) session.trainer.ask_snapshot();
}

/// The path of the data that the window proposes.
std::string default_data(const Session& session) {
  if (const Document* target = target_to_train(session)) return target->source.string();
  if (const CameraSet* set = dataset_to_train(session)) return set->source.string();
  throw UsageError("no dataset is open", "train start", "open one, or name it by data=PATH");
}

bool is_named(const Arguments& arguments, const std::string& option) {
  return std::ranges::any_of(
      arguments.words(), [&](const std::string& word) { return word.starts_with(option + "="); });
}

void start_run(Session& session, const Arguments& arguments) {
  TrainOrder order;
  StartOptions own{.seed = session.seed};
  OptionTable table;
  order.config.describe(table);
  own.describe(table);
  for (std::size_t i = 0; i < arguments.size(); ++i) set_named(table, arguments.word(i));
  if (order.config.data.empty()) order.config.data = default_data(session);
  order.config.settle_model(is_named(arguments, "model"));
  order.config.check();
  order.config.make_paths_absolute();
  use_open_dataset(session, order);
  order.out = own.out.empty() ? proposed_run_folder(order.config.data) : fs::path(own.out);
  order.replace = own.replace;
  order.seed = own.seed;
  begin(session, std::move(order));
}

/// The order to resume the run in the folder, with the run's options.
TrainOrder resumed(const fs::path& out) {
  TrainOrder order{.out = out, .resume = true};
  const RunFolder folder(out);
  std::error_code ignored;
  if (!fs::exists(folder.config(), ignored)) {
    throw Error("contains no run to resume", out.string(), "start one with: train start");
  }
  order.seed = order.config.read(folder.config(), std::set<std::string>());
  return order;
}

void continue_run(Session& session, const Arguments& arguments) {
  TrainOrder order = resumed(arguments.word(0));
  OptionTable table;
  order.config.describe(table);
  for (std::size_t i = 1; i < arguments.size(); ++i) set_named(table, arguments.word(i));
  use_open_dataset(session, order);
  begin(session, std::move(order));
}

/// Resumes a run, complete or not, for as long again or for some more steps.
void train_further(Session& session, const Arguments& arguments) {
  TrainOrder order = resumed(arguments.word(0));
  const int more = arguments.has(1) ? arguments.whole(1) : 0;
  if (arguments.has(1) && more < 1) arguments.refuse(1, "a number of steps, 1 or more");
  lengthen(order.config.loop(), order.out, more);
  order.config.check();
  use_open_dataset(session, order);
  begin(session, std::move(order));
}

void pause_training(Session& session, const Arguments&) {
  session.trainer.pause();
}

void resume_training(Session& session, const Arguments&) {
  session.trainer.resume();
}

void training_step(Session& session, const Arguments& arguments) {
  const int steps = arguments.has(0) ? arguments.whole(0) : 1;
  if (steps < 1) arguments.refuse(0, "a number of steps, 1 or more");
  session.trainer.step(static_cast<std::uint64_t>(steps));
}

void save_run(Session& session, const Arguments&) {
  session.trainer.save();
}

void stop_training(Session& session, const Arguments&) {
  session.trainer.stop();
}

void view_share(Session& session, const Arguments& arguments) {
  OptionTable table;
  session.file.settings.describe(table);
  set_option(*table.find("view-share"), arguments.word(0));
  apply_settings(session);
}

}  // namespace

std::vector<Action> train_actions() {
  constexpr std::string_view kGroup = "Training";
  return {
      {"train start",
       kGroup,
       "train on the active mesh, picture or volume, or on the chosen dataset",
       "",
       {{"NAME=VALUE", "options of mote train, out, replace, seed", true, true}},
       start_run},
      {"train continue",
       kGroup,
       "continue a run from its newest checkpoint",
       "",
       {{"FOLDER", "of the run", false, false, PathUse::folder},
        {"NAME=VALUE", "changed options", true, true}},
       continue_run},
      {"train further",
       kGroup,
       "train a run for as long again, or for some more steps",
       "",
       {{"FOLDER", "of the run", false, false, PathUse::folder},
        {"STEPS", "default: as many again, or the same time again", true}},
       train_further},
      {"train pause", kGroup, "pause the training", "", {}, pause_training},
      {"train resume", kGroup, "resume the training", "", {}, resume_training},
      {"train step",
       kGroup,
       "train for some steps, then pause",
       "",
       {{"STEPS", "default: 1", true}},
       training_step},
      {"train save", kGroup, "write a checkpoint and the scene now", "", {}, save_run},
      {"train stop",
       kGroup,
       "stop the run; it can continue later from its checkpoint",
       "",
       {},
       stop_training},
      {"train share",
       kGroup,
       "set the view's share of the device's time during training",
       "",
       {{"SHARE", "0 to 0.95"}},
       view_share},
  };
}

}  // namespace mote
