#pragma once

#include <string>

#include "app/cli/command.h"
#include "app/commands/scene_loading.h"
#include "app/jobs/field_mesh.h"

namespace mote {

/// Writes the surface of a field to a file for which is_writable_mesh() holds, and prints a
/// summary. `existing`: for the file. Throws Error if the model is no field with a surface.
void convert_to_mesh(const LoadedModel& loaded, const std::string& out, Existing existing,
                     const MeshConversion& conversion, const GlobalOptions& globals);

}  // namespace mote
