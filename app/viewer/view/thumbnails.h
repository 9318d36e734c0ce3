#pragma once

#include "app/viewer/session/session.h"

namespace mote {

/// Requests the next wanted thumbnail: one at a time, and only while the processor is not needed
/// for other work. Called every frame.
void ask_for_thumbnails(Session& session);

}  // namespace mote
