#pragma once

#include <string>
#include <vector>

#include "core/options.h"
#include "scene/color_adjustment.h"

namespace mote {

/// Sets the option that "NAME=VALUE" names. Throws UsageError where there is none, or the value is
/// none of its.
void set_named(const OptionTable& table, const std::string& text);

/// Rows of a colour adjustment; the tint stands in a list of its own.
void describe_color(OptionTable& table, ColorAdjustment& adjustment, std::vector<double>& tint);

}  // namespace mote
