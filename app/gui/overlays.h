#pragma once

// Parts of the window other than panels, each in a file of its own.

#include "app/gui/panel.h"
#include "present/display_pass.h"

namespace mote::gui {

/// Returns its height, px. `opens`: opens the first menu, for the keyboard.
float draw_menu_bar(const PanelContext& context, bool opens);
/// Draws the status bar at `top` with `height`, px.
void draw_status_bar(const PanelContext& context, float top, float height);
/// Draws playback controls below the view, between these corners, px; only if a scene moves.
void draw_transport(const PanelContext& context, ImVec2 low, ImVec2 high);
/// Draws the tool bar at the view's upper left.
void draw_tool_bar(const PanelContext& context, const present::Rectangle& view);
/// Draws the welcome text while nothing is open, or the progress of the first path.
void draw_welcome(const PanelContext& context, const present::Rectangle& view);
/// Draws the list of keys and mouse actions, if session.window.help is set.
void draw_help(const PanelContext& context);
/// Draws the question whether to open the project that a crashed program left, while
/// session.project.offered is set.
void draw_recovery_offer(const PanelContext& context);
/// Covers the window while the program ends.
void draw_farewell(const PanelContext& context);

/// Flags of a window that is a fixed part of the layout.
inline constexpr ImGuiWindowFlags kFixedPart =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavFocus;
/// Flags of a child window that the keyboard enters from the window around it.
inline constexpr ImGuiWindowFlags kInnerPart = ImGuiWindowFlags_NavFlattened;
/// Flags of a window that floats over the view and fits its content.
inline constexpr ImGuiWindowFlags kFloatingPart =
    kFixedPart | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing;

}  // namespace mote::gui
