#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "io/datasets/dataset_source.h"

namespace mote {

/// The JSON of `mote info` for a dataset at `path`.
nlohmann::json dataset_info_json(const std::string& path, const LoadedDataset& data);
/// The same facts as a table for the user.
std::string dataset_info_text(const std::string& path, const LoadedDataset& data);

}  // namespace mote
