#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "io/datasets/posed_images.h"
#include "scene/dataset.h"

namespace mote {

/// Whether a transforms.json has the cameras and the axes of Mitsuba.
bool is_from_mitsuba(const nlohmann::json& top);

/// The keys of a transforms.json about the radiance field that instant-ngp trains on it: `scale`,
/// `offset`, `aabb`, `aabb_scale`, `render_aabb`, `from_mitsuba`, `n_extra_learnable_dims`. Adds a
/// warning, which names the key, for a value that is not used since it is impossible.
FieldHints read_field_hints(const nlohmann::json& top, const std::string& file,
                            std::vector<std::string>& warnings);

/// Leaves out images that are less sharp than `threshold` times the mean of their neighbours by
/// name, with a warning. `sharpness`: of each image. Throws Error where none is left.
void leave_out_blurred(const std::vector<double>& sharpness, double threshold,
                       const std::string& file, PosedImages& posed);

}  // namespace mote
