#pragma once

// Rows in which a panel lets numbers and choices be changed. Each says true only in the frame in
// which the user has changed something, so that no action is asked for while nothing happens.

#include <glm/vec3.hpp>
#include <span>
#include <string>
#include <string_view>

#include "app/gui/panel.h"

namespace mote::gui {

struct NumberStyle {
  double speed = 0.01;              // of a drag, a pixel
  double minimum = 0, maximum = 0;  // no limits where they are the same
  const char* format = "%.3g";
  bool logarithmic = false;  // drags multiply
};

/// A name at the left, as option_row() has it; the next item takes the rest of the row.
void field_name(const PanelContext& context, std::string_view name, std::string_view help);

bool number_row(const PanelContext& context, std::string_view name, std::string_view help,
                double& value, const NumberStyle& style);
/// A slider between the limits.
bool slider_row(const PanelContext& context, std::string_view name, std::string_view help,
                double& value, const NumberStyle& style);
/// The name above three numbers.
bool vector_row(const PanelContext& context, std::string_view name, std::string_view help,
                glm::dvec3& value, const NumberStyle& style);
/// Buttons side by side, of which one is chosen. Gives the one that was clicked, or -1.
int choice_row(const PanelContext& context, std::string_view id,
               std::span<const std::string_view> labels, int chosen);

/// The same for the values that an action takes, capitalised. Asks for the action with the one that
/// is clicked.
void action_choice_row(const PanelContext& context, std::string_view action,
                       std::span<const std::string_view> values, int chosen);

/// A row of a list, as high as a field and `width` wide, with nothing on it yet; true where it was
/// clicked.
bool list_row(const PanelContext& context, std::string_view id, bool chosen, float width);

/// "1234567" as "1,234,567".
std::string with_commas(std::size_t number);
/// The first letter made large.
std::string capital(std::string_view text);

}  // namespace mote::gui
