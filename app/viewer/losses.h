#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/session.h"

namespace mote {

/// What no file holds and would be gone if the line were done now: a phrase each, for a person.
/// Scripts do what they say all the same; whoever serves hands asks first. Files that would be
/// replaced are not among them, but for the one that a path was opened from.
std::vector<std::string> losses(const Session& session, std::string_view line);

/// The scene that the line would close, with edits that no file holds; null where that is none, or
/// more than one.
const Document* scene_lost(const Session& session, std::string_view line);

}  // namespace mote
