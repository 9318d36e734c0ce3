#pragma once

// The option --box: the part of a field in a box of the world.

#include <string>
#include <vector>

#include "core/options.h"
#include "model/host_model.h"
#include "scene/oriented_box.h"

namespace mote {

/// Adds --box for `box`: x0, y0, z0, x1, y1, z1; empty without it.
void describe_box(OptionTable& table, std::vector<double>& box, const std::string& help);

/// The box of the option. Throws UsageError if a smallest coordinate is not below the largest.
OrientedBox box_of(const std::vector<double>& box);

/// Crops a field to the box, if the option was given. Throws UsageError for a model of another
/// kind, and for a box without a part of the field.
void crop_to_box(HostModel& model, const std::vector<double>& box);

}  // namespace mote
