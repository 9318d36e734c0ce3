#pragma once

// Lines and marks over the picture, from the session and the tools.

#include <vector>

#include "app/viewer/view/view_tools.h"
#include "present/display_options.h"

namespace mote {

/// Returns camera frusta, marks of the selection, the crop box, the line of a split comparison, the
/// current drag and the focus. Strokes are in drawing order, in pixels of the shown picture.
std::vector<present::OverlayStroke> overlay_strokes(const Session& session, const ViewTools& tools);

}  // namespace mote
