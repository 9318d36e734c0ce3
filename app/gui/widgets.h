#pragma once

// Widgets shared by all panels, so that they look and behave alike.

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>

#include "app/gui/panel.h"
#include "core/options.h"

namespace mote::gui {

/// An icon of icons.h, followed by the text.
std::string icon_label(const char* icon, std::string_view text);

/// A button for an action. The tooltip shows the action's help and key. `label` may begin with an
/// icon. Requests the action and returns true if clicked.
bool action_button(const PanelContext& context, std::string_view label, const ActionCall& call,
                   bool enabled = true);
/// An action_button() whose width is the rest of the row divided by `share`.
bool wide_action_button(const PanelContext& context, std::string_view label, const ActionCall& call,
                        bool enabled = true, int share = 1);

/// A square button with an icon only; `chosen` draws it pressed. The tooltip shows `help`, and the
/// action's key. Requests the action, if there is one, and returns true if clicked.
bool icon_button(const PanelContext& context, const char* icon, const ActionCall& call,
                 std::string_view help, bool chosen = false, bool enabled = true);

/// A heading that can be folded; returns whether its content is to be drawn.
bool section(const PanelContext& context, std::string_view title, bool open_at_first = true);
/// Text in the faint colour, wrapped.
void note(const PanelContext& context, std::string_view text);
/// Draws "name    value"; the values of a panel are aligned.
void value_row(const PanelContext& context, std::string_view name, std::string_view value);
/// Distance from the start of a row to its value, the same in every panel; px.
float name_width();
/// Shows a tooltip while the last item is hovered.
void tooltip(const PanelContext& context, std::string_view text);
/// Text that is shortened with "..." to `width` px; the tooltip then shows all of it.
void short_text(const PanelContext& context, std::string_view text, float width);
/// Text for a panel without content, with a button for the next step.
void empty_state(const PanelContext& context, std::string_view text, std::string_view label,
                 const ActionCall& call);

/// A slider with its number beside it, so that its grab never covers the digits. Takes the width of
/// the next item. `value`, `low` and `high`: of the type. Returns true if the user changes it.
bool slider(const PanelContext& context, const char* id, ImGuiDataType type, void* value,
            const void* low, const void* high, const char* format,
            ImGuiSliderFlags flags = ImGuiSliderFlags_None);

/// The option's title for the user: "sh-degree" becomes "SH degree".
std::string option_title(std::string_view name);
/// The row of one option: its name, a widget for its type and range, and a tooltip with help and
/// default. The option's target holds the default and is not changed. `text` is the value in the
/// format of set_option(). Returns true if the user has changed it to a valid value. A value other
/// than the default has a mark that resets it.
bool option_row(const PanelContext& context, const Option& option, std::string& text);

/// A curve of `y` over `x`, with equal lengths; NaN leaves a gap.
struct Curve {
  std::span<const double> x, y;
  ImVec4 color;
  std::string_view name;  // for the legend; empty: no entry
  bool dots = false;      // points without lines
  bool faint = false;     // drawn behind the others, without legend and values
};
struct PlotStyle {
  bool logarithmic = false;  // of the y axis; values <= 0 are left out
  bool from_zero = false;    // the y axis starts at 0
  std::string_view x_name = "step";
};
/// Draws axes with readable numbers, the curves, and the values under the cursor. `size` in px.
void plot(const PanelContext& context, std::string_view name, std::span<const Curve> curves,
          ImVec2 size, const PlotStyle& style = {});

/// Draws a bar across the panel with the text in it; `fraction` is 0 to 1.
void progress_bar(const PanelContext& context, double fraction, const std::string& words);
/// The remaining time, such as "3 min 05 s left", from the elapsed time; empty while too little is
/// done.
std::string time_left(double done, double total, double seconds);

}  // namespace mote::gui
