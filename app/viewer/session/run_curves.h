#pragma once

#include <cstdint>

#include "app/viewer/session/session.h"

namespace mote {

/// Shows the curves of the run in whose folder the document is, as far as it has some. A run of
/// this session keeps its own.
void show_curves_of(Session& session, std::uint32_t id);

/// Takes the curves away that show_curves_of() showed of the document.
void forget_curves_of(Session& session, std::uint32_t id);

}  // namespace mote
