#pragma once

#include <optional>

#include "app/viewer/keys.h"

namespace mote::gui {

/// The key of GLFW's number for it, by where it stands on a keyboard of the United States; none for
/// keys that have no name here.
std::optional<Key> key_of_glfw(int glfw_key);

}  // namespace mote::gui
