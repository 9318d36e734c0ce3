#pragma once

// Parts of the window that are no panels, each in a file of its own.

#include "app/gui/panel.h"
#include "present/display_pass.h"

namespace mote::gui {

/// Its height, px.
float draw_menu_bar(const PanelContext& context);
/// Between these, px.
void draw_status_bar(const PanelContext& context, float top, float height);
/// Under the view, between these corners, px; only where a scene moves.
void draw_transport(const PanelContext& context, ImVec2 low, ImVec2 high);
/// At the view's upper left.
void draw_tool_bar(const PanelContext& context, const present::Rectangle& view);
/// While nothing is open.
void draw_welcome(const PanelContext& context, const present::Rectangle& view);
/// What keys and mouse do, where session.window.help says so.
void draw_help(const PanelContext& context);
/// Over everything, while the program ends.
void draw_farewell(const PanelContext& context);

/// The flags of a window that is a fixed part of the layout.
inline constexpr ImGuiWindowFlags kFixedPart =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav;
/// Of one that floats over the view and is as large as what it holds.
inline constexpr ImGuiWindowFlags kFloatingPart =
    kFixedPart | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing;

}  // namespace mote::gui
