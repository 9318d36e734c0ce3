#pragma once

#include <filesystem>
#include <vector>

#include "train/run/run_folder.h"

namespace mote {

/// The files that a Mote run has written into the folder, found by their exact names. config.json,
/// which marks the folder as a run, comes last. Pictures of evaluations are included if they carry
/// Mote's mark or the run's cameras.json lists their view.
std::vector<std::filesystem::path> files_of_run(const RunFolder& folder);

/// The evaluation folders and their subfolders; a folder comes before its content.
std::vector<std::filesystem::path> evaluation_folders(const RunFolder& folder);

/// All files in the places where a run writes, including files that no run wrote.
std::vector<std::filesystem::path> files_in_the_way(const RunFolder& folder);

/// Whether the file is the config.json of a run.
bool is_run_config(const std::filesystem::path& path);

}  // namespace mote
