#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/options.h"
#include "io/datasets/dataset_source.h"
#include "model/learner.h"
#include "train/fields/field_options.h"
#include "train/run/run_options.h"
#include "train/splats/train_options.h"

namespace mote {

/// The options with modes of lens and light that are not "auto": rays of fields follow lenses, and
/// fields are trained on unbounded light. Throws UsageError if splats should.
DatasetOptions with_modes_of(DatasetOptions options, ModelKind model);

/// All options of a training run: the tables of dataset, training and output in one. config.json
/// stores this table, and --config passes it to another run.
struct RunConfig {
  std::string data;              // path of the dataset, or of a target's file
  std::string model = "splats";  // a name of model_names()
  DatasetOptions dataset;
  TrainOptions splats;  // with the options that every model has, see loop()
  FieldOptions fields;
  RunOptions run;
  int threads = 0;
  std::string isa;

  /// The options of the dataset, with those that follow from the model.
  DatasetOptions photographs() const;

  LoopOptions& loop() { return splats; }
  const LoopOptions& loop() const { return splats; }

  void describe(OptionTable& table);
  /// The text of config.json.
  std::string text(int seed, const std::string& device, const std::string& version);
  /// Sets the options of a config.json except those named in `except`; returns its seed. Throws
  /// Error for a damaged file, and UsageError for a file of a version with other options.
  int read(const std::filesystem::path& path, const std::set<std::string>& except);
  /// The options of the run in a folder, from its config.json; empty if Mote did not write one.
  /// Throws as read() does.
  static std::optional<RunConfig> of_run(const std::filesystem::path& config_file);
  /// Whether a path is that of the data of the run.
  bool is_trained_on(const std::filesystem::path& path) const;
  /// Sets the model of data that only one model is trained on. Throws UsageError if the user
  /// chose (`is_chosen`) another one.
  void settle_model(bool is_chosen);
  /// Replaces options that mean "as the dataset needs" by what it needs, see settled(). Returns a
  /// phrase for the user if the model moves, else an empty text. Warns of a still model of a moving
  /// scene.
  std::string settle_motion(const Dataset& dataset);
  /// Sets the memory for splats if they do not fit into that of the machine, and returns a phrase
  /// for the user then. Call it after settle_motion().
  std::string settle_splat_memory(const LoadedDataset& data);
  /// The times of the model after settle_motion(); a duration of 0 if it stands still.
  SceneTimes model_times(const Dataset& dataset) const;
  /// Throws UsageError for values that are wrong for any dataset.
  void check() const;
  /// Paths that the run reads; some are empty or name no file.
  std::vector<std::string> inputs() const {
    return {data, splats.init, fields.network, fields.init_field};
  }
  /// The plan of the model that the options describe. Later changes of the options do not reach it.
  std::unique_ptr<LearnerPlan> plan() const;
  /// Allows the run to be resumed from another working directory.
  void make_paths_absolute();
};

}  // namespace mote
