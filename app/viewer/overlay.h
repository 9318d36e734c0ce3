#pragma once

// What is drawn over the picture from the session and the tools.

#include <vector>

#include "app/viewer/view_tools.h"
#include "present/display_options.h"

namespace mote {

/// Frusta of the dataset's cameras, marks of what is selected, the crop box, the line
/// of a split comparison, what is being dragged and the focus: to be drawn in this order over the
/// picture as it is on screen, in its pixels.
std::vector<present::OverlayStroke> overlay_strokes(const Session& session, const ViewTools& tools);

}  // namespace mote
