#pragma once

#include <filesystem>

#include "fields/field_config.h"

namespace mote {

/// The inputs of a field's encodings, from its application.
struct FieldInputs {
  int position = 3;   // of `encoding`
  int direction = 3;  // of `dir_encoding`
};

/// Reads a configuration of tiny-cuda-nn or instant-ngp. Throws Error, which names the key and its
/// line, for an unknown key, an impossible value, and parts that are not built.
FieldConfig read_field_config(const std::filesystem::path& file, const FieldInputs& inputs);

}  // namespace mote
