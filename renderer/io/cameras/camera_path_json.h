#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "io/json_object.h"
#include "scene/keyframe_path.h"

namespace mote {

/// A camera path as a JSON object in Mote's own format (docs/camera_paths.md).
nlohmann::json camera_path_json(const KeyframePath& path);
/// Reads such an object. `where`: file and key, for messages. Throws Error, which names the
/// keyframe and the key, for missing and wrong values.
KeyframePath camera_path_of(const JsonObject& object, const std::string& where);

/// Width or height of pictures at the key, px; 0 where the key is missing.
int picture_side(const JsonObject& object, const char* key);
/// Frames per second at the key; 0 where it is missing.
double picture_rate(const JsonObject& object, const char* key);
/// The field of view at the key, which holds degrees.
double radians_at(const JsonObject& object, const char* key);

}  // namespace mote
