#pragma once

#include <string>

#include "app/viewer/session/session.h"

namespace mote {

/// The session's state as JSON for scripts: scenes, cameras, the picture, training, notices.
std::string session_json(const Session& session);

}  // namespace mote
