#pragma once

#include <filesystem>

#include "train/run/run_options.h"

namespace mote {

/// A folder for a new run of the dataset at `data`: "output" in the dataset's folder, or "output_2"
/// and so on if it already holds a run. If that folder is not writable: data_folder()/NAME, with
/// the dataset's name. Creates nothing.
std::filesystem::path proposed_run_folder(const std::filesystem::path& data);

/// Makes the run in the folder longer: twice its number of steps or its time budget, or `more`
/// steps after its newest checkpoint if `more` is above 0.
void lengthen(LoopOptions& options, const std::filesystem::path& out, int more);

/// $XDG_DATA_HOME/mote, or ~/.local/share/mote.
std::filesystem::path data_folder();

}  // namespace mote
