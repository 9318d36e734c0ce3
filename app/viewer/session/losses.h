#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/session/session.h"

namespace mote {

/// Unsaved work that the line would discard now: one phrase each, for the user. Scripts run the
/// line anyway; the window asks first. Replaced files are not listed, except the file from which
/// the path was opened.
std::vector<std::string> losses(const Session& session, std::string_view line);

/// The scene with unsaved edits that the line would close; null if there is none or more than one.
const Document* scene_lost(const Session& session, std::string_view line);

}  // namespace mote
