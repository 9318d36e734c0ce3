#pragma once

// The moving scenes of a session.

#include <vector>

#include "app/viewer/session/session.h"

namespace mote {

/// Advances the clock by `dt_s` and updates every moving scene to its time. Sets Session::in_time
/// and reports faults.
void move_time(Session& session, double dt_s);

/// The moving scene that panels describe, preferably the active one; null if none moves.
const Document* moving_document(const Session& session);

/// The number of different pictures of a moving scene per second, 0 for continuous motion; the
/// number of frames, 0 for continuous motion; the index of the frame at a time.
double picture_rate(const Document& document);
std::size_t picture_count(const Document& document);
std::size_t picture_at(const Document& document, double time_s);
/// A label of the time, or an empty text.
std::string picture_name(const Document& document, double time_s);

/// Whether time runs fast enough that the frame rate matters more than the picture's size.
bool flows(const Session& session);

/// The shown scenes. The sources are in the order of the combination's items.
struct ShownParts {
  Combination combination;
  std::vector<PlacedSource> sources;
};
ShownParts shown_parts(const Session& session);

}  // namespace mote
