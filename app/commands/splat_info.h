#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/commands/scene_loading.h"

namespace mote {

/// The JSON of `mote info` for a scene of splats.
nlohmann::json splat_info_json(const LoadedScene& scene);
/// The same facts as a table for the user.
std::string splat_info_text(const LoadedScene& scene);

}  // namespace mote
