#pragma once

#include <nlohmann/json.hpp>

#include "fields/field_config.h"

namespace mote {

/// The configuration in the form that read_field_config() reads, with all values written out.
nlohmann::json field_config_json(const FieldConfig& config);

}  // namespace mote
