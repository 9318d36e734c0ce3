#pragma once

#include <filesystem>

namespace mote {

/// A folder for a new run of the dataset at `data`: "output" in the dataset's folder, or "output_2"
/// and so on if it already holds a run. If that folder is not writable: data_folder()/NAME, with
/// the dataset's name. Creates nothing.
std::filesystem::path proposed_run_folder(const std::filesystem::path& data);

/// $XDG_DATA_HOME/mote, or ~/.local/share/mote.
std::filesystem::path data_folder();

}  // namespace mote
