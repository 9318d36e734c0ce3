#pragma once

// What every panel is made of, so that all of them look and behave alike.

#include <span>
#include <string>
#include <string_view>

#include "app/gui/panel.h"
#include "core/options.h"

namespace mote::gui {

/// The icon, of icons.h, and the text behind it.
std::string icon_label(const char* icon, std::string_view text);

/// A button of the full name of an action and its words. Hovered, it tells the action's help and
/// key. `label` may begin with an icon. Disabled where `enabled` is false. Asks for the action
/// where it is clicked, and says so.
bool action_button(const PanelContext& context, std::string_view label, const std::string& line,
                   bool enabled = true);
/// The same, as wide as what is left of the row divided by `share`.
bool wide_action_button(const PanelContext& context, std::string_view label,
                        const std::string& line, bool enabled = true, int share = 1);

/// A square button with nothing but an icon; `chosen` shows it as held down. Hovered, it tells
/// `help`, and the action's key where the line is one. Asks for the line where it is clicked, and
/// says so.
bool icon_button(const PanelContext& context, const char* icon, const std::string& line,
                 std::string_view help, bool chosen = false, bool enabled = true);

/// A heading that folds what follows; true while that is to be drawn.
bool section(const PanelContext& context, std::string_view title, bool open_at_first = true);
/// Text in the faint colour, wrapped.
void note(const PanelContext& context, std::string_view text);
/// "name    value", the values of one panel below each other.
void value_row(const PanelContext& context, std::string_view name, std::string_view value);
/// How far from the start of a row its value begins, behind its name: the same in every panel; px.
float name_width();
/// Shown while the last item is hovered.
void tooltip(const PanelContext& context, std::string_view text);
/// Text that is cut off with "..." where it would be wider than `width` px, and then shown whole
/// while it is hovered.
void short_text(const PanelContext& context, std::string_view text, float width);
/// What a panel says where there is nothing for it to show, and the button that helps.
void empty_state(const PanelContext& context, std::string_view text, std::string_view label,
                 const std::string& line);

/// "sh-degree" as people read it: "SH degree".
std::string option_title(std::string_view name);
/// The row of one option: its name, a widget by its type and range, its help and default as
/// tooltip. The option's target holds the default, and stays as it is. `text` is the value as
/// set_option() reads it; true where the user has changed it, and it is one that set_option()
/// takes. One that is not the default has a mark, which takes it back to it.
bool option_row(const PanelContext& context, const Option& option, std::string& text);

/// A curve of `y` over `x` of the same length; NaN leaves a gap.
struct Curve {
  std::span<const double> x, y;
  ImVec4 color;
  std::string_view name;  // for the legend; empty: not in it
  bool dots = false;      // points that no line joins
  bool faint = false;     // behind the others: in neither legend nor values
};
struct PlotStyle {
  bool logarithmic = false;  // the y axis; values that are not above 0 are left out
  bool from_zero = false;    // the y axis starts at 0
  std::string_view x_name = "step";
};
/// Axes with readable numbers, the curves, and the values under the cursor. `size` in px.
void plot(const PanelContext& context, std::string_view name, std::span<const Curve> curves,
          ImVec2 size, const PlotStyle& style = {});

}  // namespace mote::gui
