#pragma once

// The option --part: the part of a neural image that is shown.

#include <vector>

#include "core/options.h"
#include "io/images/image_files.h"
#include "model/host_model.h"

namespace mote {

/// Adds --part for `part`: x0, y0, x1, y1 in pixels of the image; empty without it.
void describe_image_part(OptionTable& table, std::vector<double>& part);

/// The view in which the part of the option is as large as possible. A `size` of 0: that of the
/// part, scaled down to kMaxImageSide. Throws UsageError for a model of another kind, and for a
/// part that is not inside the image.
View view_of_part(const HostModel& model, const std::vector<double>& part, ImageSize size);

}  // namespace mote
