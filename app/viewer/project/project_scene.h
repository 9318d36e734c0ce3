#pragma once

#include "app/viewer/document/opened.h"
#include "io/projects/project.h"

namespace mote {

/// Opens a scene of a project with its edits. Edits that do not fit the file are left out, with a
/// warning. `splat_memory_gb`: as in open_path(). Throws Error, with the remedy, where the scene
/// cannot be opened.
Opened open_project_scene(const ProjectScene& scene, double splat_memory_gb,
                          const ProgressCallback& progress);

}  // namespace mote
