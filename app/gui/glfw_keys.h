#pragma once

#include <optional>

#include "app/viewer/session/keys.h"

namespace mote::gui {

/// The key for GLFW's key number, which is its position on a US keyboard; empty if it has no name
/// in keys.h.
std::optional<Key> key_of_glfw(int glfw_key);

}  // namespace mote::gui
