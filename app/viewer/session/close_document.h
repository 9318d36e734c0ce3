#pragma once

#include <cstdint>

#include "app/viewer/session/session.h"

namespace mote {

/// Closes a document that is not under training, with its cameras and its crop box.
void close_document(Session& session, std::uint32_t id);

}  // namespace mote
