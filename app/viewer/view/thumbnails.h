#pragma once

#include "app/viewer/session/session.h"

namespace mote {

/// Requests the next wanted thumbnail: one at a time, and only while the processor is not needed
/// for other work. Those of panels come first, then those that a window shows in the view. If more
/// than kMostThumbnails exist, those that are not wanted are freed. Called every frame.
void ask_for_thumbnails(Session& session);

/// Some 60 MB.
inline constexpr std::size_t kMostThumbnails = 600;

}  // namespace mote
