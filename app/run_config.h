#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "core/options.h"
#include "io/dataset_source.h"
#include "train/run_options.h"
#include "train/train_options.h"

namespace mote {

/// All options of a training run: the tables of dataset, training and output as one. config.json
/// is this table, and may be given to another run by --config.
struct RunConfig {
  std::string data;  // the dataset's path
  DatasetOptions dataset;
  TrainOptions train;
  RunOptions run;
  int threads = 0;
  std::string isa;

  void describe(OptionTable& table);
  /// Text of config.json.
  std::string text(int seed, const std::string& device, const std::string& version);
  /// Sets the options of a config.json but for those named by `except`, and gives its seed. Throws
  /// Error where it is damaged, and UsageError where it is of a version with other options.
  int read(const std::filesystem::path& path, const std::set<std::string>& except);
  /// The options of the run in a folder, where there is one: of a config.json that Mote wrote.
  /// Throws as read() does.
  static std::optional<RunConfig> of_run(const std::filesystem::path& config_file);
  /// So that the run can be resumed from another folder.
  void make_paths_absolute();
};

}  // namespace mote
