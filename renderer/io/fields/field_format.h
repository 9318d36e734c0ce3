#pragma once

#include <filesystem>

#include "core/file.h"
#include "fields/neural_field.h"
#include "io/fields/field_snapshot.h"

namespace mote {

/// Writes a snapshot, completely or not at all: .msgpack is not compressed, whatever the options
/// say. Throws Error if the extension is another one, or the file cannot be written.
void save_field(const NeuralField& field, const std::filesystem::path& path,
                Existing existing = Existing::replace, SnapshotOptions options = {});

}  // namespace mote
