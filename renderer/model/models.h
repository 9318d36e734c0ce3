#pragma once

#include <span>
#include <string_view>

namespace mote {

/// A kind of model, as files, messages and figures name it. Each model counts the elements that it
/// consists of, which say how large it is.
struct ModelEntry {
  std::string_view name;         // "splats"
  std::string_view one, many;    // elements: "splat", "splats"; a column of metrics.csv
  std::string_view file_prefix;  // of its files in a run's folder: "splat_" in splat_7000.ply
  std::string_view extension;    // of the file that each run writes, without a dot
  std::string_view size_option;  // the option that limits the number of elements
  std::string_view rate_option;  // a lower learning rate, as an example
};

extern const ModelEntry kSplatModel;

/// All models that can be trained.
std::span<const ModelEntry* const> models();

}  // namespace mote
