#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "scene/model_kind.h"

namespace mote {

class HostModel;
class LearnerPlan;
class OptionTable;

/// A row of the table of models: the names of a model in files, messages and figures, and functions
/// that make it. Each model counts the elements that it consists of, which say how large it is.
struct ModelEntry {
  ModelKind kind = {};           // as formats name it
  std::string_view name;         // "splats"
  std::string_view one, many;    // elements: "splat", "splats"; a column of metrics.csv
  std::string_view file_prefix;  // of its files in a run's folder: "splat_" in splat_7000.ply
  std::string_view extension;    // of the file that each run writes, without a dot
  std::string_view size_option;  // the option that limits the number of elements
  std::string_view rate_option;  // a lower learning rate, as an example

  /// Reads a file of any format that holds such a model. `progress` gets the finished fraction and
  /// may throw to stop. Throws Error where the file cannot be read.
  std::unique_ptr<HostModel> (*read)(const std::filesystem::path& file,
                                     const std::function<void(double)>& progress) = nullptr;
  /// A plan of training with the values that `options` has for the options of this model.
  std::unique_ptr<LearnerPlan> (*plan)(const OptionTable& options) = nullptr;
};

extern const ModelEntry kSplatModel;

/// All models, the usual one first. The table stands in train/models.cpp, which knows all of them.
std::span<const ModelEntry* const> models();

/// The row of a kind of model.
const ModelEntry& model_of(ModelKind kind);

}  // namespace mote
