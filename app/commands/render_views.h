#pragma once

#include <vector>

#include "app/commands/render_setup.h"

// Views that files describe: the cameras of a dataset or of a run, and paths.

namespace mote {

/// The views of --cameras at the times of their photographs, or --orbit views on their circle.
/// Throws Error where the cameras cannot be read, or surround no common centre.
std::vector<View> camera_views(const RenderOptions& options);

/// The orbit of the cameras of the run that contains the scene. Empty if the scene is not in a
/// run's folder, or if the cameras do not surround a center.
std::vector<View> run_orbit(const RenderOptions& options);

/// Sets the views along --path and their frame rate. `size`: of a path without one.
void follow_path(const RenderOptions& options, ImageSize size, RenderSetup& setup);

}  // namespace mote
