#pragma once

#include "app/viewer/session.h"

namespace mote {

/// Has the next of the thumbnails that are wanted made: one at a time, and only while nobody needs
/// the processor more. To be called for every frame.
void ask_for_thumbnails(Session& session);

}  // namespace mote
