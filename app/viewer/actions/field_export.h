#pragma once

#include <filesystem>

#include "app/viewer/session/session.h"

namespace mote {

/// Writes the field of the document, or the one in training there, on a worker: as a snapshot, in
/// the format of the path's extension. A move and a scaling of the scene become part of the file.
/// Throws Error if the format or the placement cannot be written.
void export_field(Session& session, const Document& document, const std::filesystem::path& path);

}  // namespace mote
