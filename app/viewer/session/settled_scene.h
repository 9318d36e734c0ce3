#pragma once

#include <memory>
#include <string_view>

#include "app/viewer/session/session.h"

namespace mote {

/// The shown scene, held, for a renderer other than the view, such as a video or a benchmark.
/// Throws UsageError, which names `action`, if no model is shown or a running training changes
/// it.
std::shared_ptr<const ComposedScene> settled_scene(const Session& session, std::string_view action);

/// Whether a shown scene is under training.
bool shows_training(const Documents& documents);
/// Whether the only shown model is the one of the running training, where it was trained. The view
/// then renders the trainer's model directly.
bool shows_training_alone(const Documents& documents);

/// Whether splats are shown that the device moves. Frames of a folder are scenes of their own.
bool shows_motion(const Documents& documents);
/// Whether the view draws a neural field.
bool shows_field(const Session& session);
/// Why a display mode has no meaning for the shown models, as a phrase; empty if it has one.
std::string_view mode_fault(const Session& session, const RenderMode& mode);

}  // namespace mote
