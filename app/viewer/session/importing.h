#pragma once

// Imports photographs without poses, as `mote import` does.

#include <filesystem>

#include "app/viewer/session/session.h"

namespace mote {

/// Chooses the photographs, or a video, proposes a folder for their dataset and checks both. A
/// window opens its panel. Throws UsageError while an import is running.
void choose_photographs(Session& session, const std::filesystem::path& photos);

/// Checks on a worker what an import with the present choices would do.
void check_import(Session& session);

/// Starts the import of the chosen photographs; the dataset is opened at the end. Throws UsageError
/// if none are chosen, or if its folder is that of an open dataset.
void start_import(Session& session);

/// Takes the end of an import.
void end_import(Session& session, const LongTaskEnd& end);

}  // namespace mote
