#pragma once

#include <string>

#include "backend/backend.h"

namespace mote {

/// Renders a small scene and describes how the picture differs from the CPU's. `--device auto`
/// requires this before it uses a GPU. Empty if the two agree. Throws the errors of rendering.
std::string self_check(Backend& backend);

}  // namespace mote
