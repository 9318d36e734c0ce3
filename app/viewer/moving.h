#pragma once

// What of a session's scenes moves.

#include <vector>

#include "app/viewer/session.h"

namespace mote {

/// Moves the clock on by `dt_s` and looks at every moving scene at its time. Sets
/// Session::in_time, and tells what went wrong.
void move_time(Session& session, double dt_s);

/// The scene that moves and that panels tell of, the active one first; null where none moves.
const Document* moving_document(const Session& session);

/// Whether time runs, and so fast that the rate of the pictures counts more than their size.
bool flows(const Session& session);

/// What is shown: the parts, in the order of the combination's items.
struct ShownParts {
  Combination combination;
  std::vector<MergePart> parts;
};
ShownParts shown_parts(const Session& session);

}  // namespace mote
