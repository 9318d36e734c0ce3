#pragma once

#include <filesystem>
#include <string_view>

#include "fields/field_config.h"
#include "io/fields/config_object.h"

namespace mote {

/// The inputs of a field's encodings, from its application.
struct FieldInputs {
  int position = 3;   // of `encoding`
  int direction = 3;  // of `dir_encoding`
};

/// Reads a configuration of tiny-cuda-nn or instant-ngp. Throws Error, which names the key and its
/// line, for an unknown key, an impossible value, and parts that are not built.
FieldConfig read_field_config(const std::filesystem::path& file, const FieldInputs& inputs);

/// Reads a configuration that is part of a larger object, whose other keys are ignored.
FieldConfig read_field_config_part(const ConfigObject& top, const FieldInputs& inputs);

/// Whether the path of a key, such as "network/n_neurons", is one of a configuration.
bool is_field_config_key(std::string_view path);

}  // namespace mote
