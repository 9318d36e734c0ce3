#pragma once

#include <memory>
#include <string_view>

#include "app/viewer/session.h"

namespace mote {

/// The scene that is shown, for what renders it apart from the view: a video, a benchmark. Throws
/// UsageError, naming `action`, where no splat is shown, or where a run at work changes them.
std::shared_ptr<const ComposedScene> settled_scene(const Session& session, std::string_view action);

/// Whether any scene shown is under training.
bool shows_training(const Documents& documents);
/// Whether the only scene with splats that is shown, and as it is, is the one that the trainer at
/// work holds: the view draws its splats from there.
bool shows_training_alone(const Documents& documents);

}  // namespace mote
