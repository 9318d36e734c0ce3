#pragma once

#include <filesystem>
#include <vector>

#include "train/run/run_folder.h"

namespace mote {

/// The files that a run of Mote has written into the folder, by exactly the names that runs give;
/// config.json, which makes it a run, last. Pictures of evaluations count where they carry Mote's
/// mark or the run's cameras.json lists their view.
std::vector<std::filesystem::path> files_of_run(const RunFolder& folder);

/// The folders of evaluations and those in them, a folder before what is in it.
std::vector<std::filesystem::path> evaluation_folders(const RunFolder& folder);

/// Whatever lies in the folder where a run would write, of a run or not.
std::vector<std::filesystem::path> files_in_the_way(const RunFolder& folder);

/// Whether the file is the config.json of a run.
bool is_run_config(const std::filesystem::path& path);

}  // namespace mote
