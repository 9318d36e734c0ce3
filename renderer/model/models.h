#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scene/model_kind.h"

namespace mote {

class HostModel;
class LearnerPlan;
class OptionTable;

/// A row of the table of models: the names of a model in files, messages and figures, and functions
/// that make it. The size of a model is the number of its elements.
struct ModelEntry {
  ModelKind kind = {};         // as formats name it
  std::string_view name;       // "splats"
  std::string_view one, many;  // names of its elements: "splat", "splats" (a column of metrics.csv)
  std::string_view file_prefix;  // "splat_" in splat_7000.ply, a file in a run's folder
  std::string_view extension;    // of the file that each run writes, without a dot
  std::string_view size_option;  // limits the number of elements
  std::string_view rate_option;  // an option that messages suggest to lower the learning rate

  /// Reads a file of any format that holds such a model. `progress` gets the finished fraction and
  /// may throw to stop. Throws Error if the file cannot be read.
  std::unique_ptr<HostModel> (*read)(const std::filesystem::path& file,
                                     const std::function<void(double)>& progress) = nullptr;
  /// A plan of training with the values in `options`.
  std::unique_ptr<LearnerPlan> (*plan)(const OptionTable& options) = nullptr;
};

extern const ModelEntry kSplatModel, kNerfModel, kSdfModel, kImageModel, kVolumeModel;

/// All models, the default first. The table is in train/models.cpp, which includes all of them.
std::span<const ModelEntry* const> models();

/// The row of a kind of model.
const ModelEntry& model_of(ModelKind kind);

/// The names of all models.
std::vector<std::string> model_names();
/// The row with a name; null if there is none.
const ModelEntry* find_model(std::string_view name);

}  // namespace mote
