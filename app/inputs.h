#pragma once

#include <filesystem>

#include "core/file.h"
#include "core/input_files.h"
#include "scene/dataset.h"

namespace mote {

/// Adds the files of photographs and masks.
void add_photographs(const Dataset& dataset, InputFiles& inputs);

/// Adds the file of a scene, the newest one of a run, or those of a folder of frames.
void add_scene(const std::filesystem::path& path, InputFiles& inputs);

/// Adds what the cameras at the path are read from, the photographs that they name as far as they
/// are there, and the folders that those lie in. Throws Error as locate_cameras() does.
void add_cameras(const std::filesystem::path& path, InputFiles& inputs);

/// Throws Error: an input is never an output.
[[noreturn]] void refuse_input(const std::filesystem::path& path);

/// The folder that a file lies in, "." for a bare name.
std::filesystem::path folder_of(const std::filesystem::path& file);

/// How the one file that a user names as output may be written: in place of one that exists with
/// `replace` only, and of an input never. Throws Error where it may not be.
Existing named_output(const std::filesystem::path& path, bool replace, const InputFiles& inputs);

/// Removes what killed processes left of files like this one, in its folder.
void clear_leftovers(const std::filesystem::path& file);

}  // namespace mote
