#pragma once

#include <string>

#include "backend/backend.h"

namespace mote {

/// How a backend's picture of a small scene of splats differs from the CPU's: what `--device auto`
/// asks before it trusts a GPU, its driver and the code for it. Empty where the two are alike.
/// Throws what rendering throws.
std::string self_check(Backend& backend);

}  // namespace mote
