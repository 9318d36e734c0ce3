#pragma once

#include <memory>
#include <string_view>

#include "app/viewer/session/session.h"

namespace mote {

/// The shown scene, held, for a renderer other than the view, such as a video or a benchmark.
/// Throws UsageError, which names `action`, if no splats are shown or a running training changes
/// them.
std::shared_ptr<const ComposedScene> settled_scene(const Session& session, std::string_view action);

/// Whether a shown scene is under training.
bool shows_training(const Documents& documents);
/// Whether the only shown scene with splats is the unchanged scene of the running training. The
/// view then renders the trainer's splats directly.
bool shows_training_alone(const Documents& documents);

}  // namespace mote
