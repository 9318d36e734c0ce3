#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "io/dataset_source.h"

namespace mote {

/// What `mote info` says of a dataset at `path`.
nlohmann::json dataset_info_json(const std::string& path, const LoadedDataset& data);
/// The same as a table for people.
std::string dataset_info_text(const std::string& path, const LoadedDataset& data);

}  // namespace mote
