#pragma once

// Widgets for the cameras of open datasets.

#include <cstdint>
#include <span>

#include "app/gui/panel.h"
#include "app/viewer/view/view_tools.h"

namespace mote::gui {

/// Lets the user choose one of several open datasets; draws nothing for a single one. `width` in
/// px.
void camera_set_choice(const PanelContext& context, float width);

/// Requests thumbnails of the visible views of the set, by their indices from 0. Skips views that
/// have one or whose thumbnail is already requested.
void request_thumbnails(const PanelContext& context, const CameraSet& set,
                        std::span<const std::uint32_t> seen);

/// Draws a tooltip for the camera under the pointer: its photograph's thumbnail and name.
void draw_mark_tooltip(const PanelContext& context, const ViewTools& tools);

}  // namespace mote::gui
