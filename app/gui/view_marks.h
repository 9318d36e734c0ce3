#pragma once

// Marks over the picture that ImGui draws: the gizmo, the axis cross, legends and pixel values.
// overlay.h has the lines that Vulkan draws.

#include <array>

#include "app/gui/panel.h"
#include "app/viewer/view/view_tools.h"
#include "present/display_pass.h"

namespace mote::gui {

/// Draws the gizmo of the tools move, rotate and scale, with the numbers of a drag. `picture`: the
/// picture's rectangle in the window, px.
void draw_gizmo(const PanelContext& context, const ViewTools& tools,
                const present::Rectangle& picture);

/// Draws photographs inside the pyramids of their cameras.
void draw_frustum_photographs(const PanelContext& context, const present::Rectangle& picture);

/// Draws the axis cross at the view's lower left; a click on an end looks from there.
void draw_axis_cross(const PanelContext& context, const present::Rectangle& view);

/// Draws the colour scale of the mode at the view's right side.
void draw_legend_in_view(const PanelContext& context, const present::Rectangle& view);

/// Draws the values of the pixel under the pointer at the view's lower left.
void draw_pixel_values(const PanelContext& context, const ViewTools& tools,
                       const present::Rectangle& view);

/// Colours of the world's axes, as in the overlay.
inline const std::array<ImVec4, 3> kAxisColors{
    ImVec4{0.92f, 0.36f, 0.31f, 1}, ImVec4{0.44f, 0.75f, 0.36f, 1}, ImVec4{0.34f, 0.57f, 0.94f, 1}};

/// Text on a dark or light ground that is readable over any picture. `low`: its upper left corner,
/// px.
void draw_label(const PanelContext& context, ImVec2 low, const std::string& text);

}  // namespace mote::gui
