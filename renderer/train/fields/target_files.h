#pragma once

// The files that fields with one network are trained on.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "train/fields/field_target.h"

namespace mote {

/// The application of the fields that are trained on such a file, by the extension of its name and
/// its first bytes; empty for other files and folders.
std::optional<FieldApplication> target_application(const std::filesystem::path& file);

/// Reads the target. `memory_bytes`: budget for decoded pixels. Throws Error if the file cannot be
/// read.
std::shared_ptr<const FieldTarget> load_target(const std::filesystem::path& file,
                                               std::uint64_t memory_bytes,
                                               const std::function<void(double)>& progress = {});

}  // namespace mote
