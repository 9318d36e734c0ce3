#pragma once

#include <functional>

#include "app/viewer/session.h"

namespace mote {

/// The scene that edits act on. Throws UsageError where nothing is open.
const Document& active_scene(const Session& session);

/// Has the worker for edits do this to the active scene; the document tells of it at a later
/// update. Throws UsageError where there is no scene with splats.
void edit(Session& session, std::function<void(SplatEditor&)> change);

}  // namespace mote
