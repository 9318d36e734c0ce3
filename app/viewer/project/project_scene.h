#pragma once

#include "app/viewer/document/opened.h"
#include "io/projects/project.h"

namespace mote {

/// Opens a scene of a project with its edits. Edits that do not fit the file are left out, with a
/// warning. Throws Error, with the remedy, where the scene cannot be opened.
Opened open_project_scene(const ProjectScene& scene, const ProgressCallback& progress);

}  // namespace mote
