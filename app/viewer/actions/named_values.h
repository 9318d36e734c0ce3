#pragma once

#include <string>
#include <vector>

#include "core/options.h"
#include "splats/color_adjustment.h"

namespace mote {

/// Sets the option in "NAME=VALUE". Throws UsageError for an unknown name or an invalid value.
void set_named(const OptionTable& table, const std::string& text);

/// Adds the rows of a colour adjustment. The tint is a separate list.
void describe_color(OptionTable& table, ColorAdjustment& adjustment, std::vector<double>& tint);

}  // namespace mote
