#pragma once

#include <memory>
#include <string_view>

#include "app/viewer/session.h"

namespace mote {

/// The scene that is shown, for what renders it apart from the view: a video, a benchmark. Throws
/// UsageError, naming `action`, where no splat is shown, or where a run at work changes them.
std::shared_ptr<const ComposedScene> settled_scene(const Session& session, std::string_view action);

}  // namespace mote
