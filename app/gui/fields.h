#pragma once

// Rows of a panel for numbers and choices. Each returns true only in the frame in which the user
// changes the value, so that no action runs otherwise.

#include <glm/vec3.hpp>
#include <span>
#include <string>
#include <string_view>

#include "app/gui/panel.h"

namespace mote::gui {

struct NumberStyle {
  double speed = 0.01;              // change per pixel of a drag
  double minimum = 0, maximum = 0;  // equal: no limits
  const char* format = "%.3g";
  bool logarithmic = false;  // drags multiply the value
};

/// Draws a name at the left, as option_row() does; the next item takes the rest of the row.
void field_name(const PanelContext& context, std::string_view name, std::string_view help);

bool number_row(const PanelContext& context, std::string_view name, std::string_view help,
                double& value, const NumberStyle& style);
/// A slider between the limits.
bool slider_row(const PanelContext& context, std::string_view name, std::string_view help,
                double& value, const NumberStyle& style);
/// A name above three numbers.
bool vector_row(const PanelContext& context, std::string_view name, std::string_view help,
                glm::dvec3& value, const NumberStyle& style);
/// Buttons in a row, of which one is chosen. Returns the index of the clicked one, or -1.
int choice_row(const PanelContext& context, std::string_view id,
               std::span<const std::string_view> labels, int chosen);

/// A choice_row() of an action's values, capitalised. Requests the action with the clicked value.
void action_choice_row(const PanelContext& context, std::string_view action,
                       std::span<const std::string_view> values, int chosen);

/// One button of a row, of which one or several are chosen; returns true if clicked. `width` in px.
bool choice_button(const PanelContext& context, const char* label, bool chosen, float width);

/// Width of each of `count` buttons that fill the row, with gaps of choice_gap().
float choice_width(const PanelContext& context, std::size_t count);
float choice_gap(const PanelContext& context);

/// Draws rows for some of the viewer's settings; a change takes effect at once.
void setting_rows(const PanelContext& context, std::span<const std::string_view> names);

/// An empty row of a list, with the height of a field and `width` px wide; returns true if clicked.
bool list_row(const PanelContext& context, std::string_view id, bool chosen, float width);

/// Formats 1234567 as "1,234,567".
std::string with_commas(std::size_t number);
/// The text with its first letter capitalised.
std::string capital(std::string_view text);
/// The display mode's title: "Colour" for `color`.
std::string mode_title(const RenderMode& mode);

}  // namespace mote::gui
