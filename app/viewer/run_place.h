#pragma once

#include <filesystem>

namespace mote {

/// A folder for a new run of the dataset at `data`: "output" in its folder, "output_2" where that
/// holds a run already, and so on. Where nothing can be written there it is data_folder()/NAME
/// instead, NAME being the dataset's. Nothing is made.
std::filesystem::path proposed_run_folder(const std::filesystem::path& data);

/// $XDG_DATA_HOME/mote, or ~/.local/share/mote.
std::filesystem::path data_folder();

}  // namespace mote
