#pragma once

#include <filesystem>
#include <optional>

#include "core/file.h"
#include "core/input_files.h"
#include "io/splats/splat_sequence.h"
#include "scene/dataset.h"

namespace mote {

/// Adds the files of photographs and masks.
void add_photographs(const Dataset& dataset, InputFiles& inputs);

/// Adds the file of a scene: the newest one of a run, or all frames of a folder.
void add_scene(const std::filesystem::path& path, InputFiles& inputs);

/// Adds the camera files at the path, the existing photographs that they name, and the folders of
/// these photographs. Throws Error as locate_cameras() does.
void add_cameras(const std::filesystem::path& path, InputFiles& inputs);

/// Throws Error that the path is an input and cannot be an output.
[[noreturn]] void refuse_input(const std::filesystem::path& path);

/// The folder of a file; "." for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// Decides about an existing file at the user's output path. An existing file needs `replace`; an
/// input is never replaced. Throws Error if the file may not be written.
Existing named_output(const std::filesystem::path& path, bool replace, const InputFiles& inputs);

/// Removes temporary files for this file that killed processes left in its folder.
void clear_leftovers(const std::filesystem::path& file);

/// The moving scene at the path, as find_sequence() finds it, unless the folder is a training run
/// or contains cameras (a dataset); of a file, as sequence_in_file() does. Empty for a missing
/// path. Throws Error as find_sequence() does.
std::optional<SplatSequence> sequence_at(const std::filesystem::path& path);

/// The scene installed with the program; empty if its file is missing.
std::optional<std::filesystem::path> bundled_scene();

}  // namespace mote
