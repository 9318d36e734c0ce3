#pragma once

// The current photograph: the view stands at its camera, and its pixels can be laid over the view.

#include <array>
#include <vector>

#include "app/viewer/session/action.h"
#include "app/viewer/session/session.h"

namespace mote {

/// Chooses the set that photograph actions refer to. The view leaves a photograph of another set.
void choose_cameras(Session& session, std::uint32_t set);

/// Moves the view to the camera of photograph `index`, with its lens, and starts decoding the
/// image. CHECKs that the photograph exists.
void stand_at(Session& session, std::uint32_t set, std::size_t index);

/// Actions that move the view to this photograph, independent of the chosen set and of the
/// photographs' names.
std::vector<ActionCall> calls_to_photograph(const Session& session, const CameraSet& set,
                                            std::size_t index);

/// Whether the view is at the photograph's camera, with its lens, or moves there.
bool at_photograph(const Session& session);
/// Whether the photograph is compared: comparison is on and the view is at its camera.
bool comparing(const Session& session);

/// Sets the picture's size. During a comparison it has the photograph's shape, as large as the area
/// allows; else it fills the area.
void fit_picture(Session& session);

/// Starts to prepare the photograph at the view's size, if a comparison needs it. Called every
/// frame.
void ask_for_photograph(Session& session);

/// The photograph over a background, averaged down to the size. A side that is already small enough
/// keeps its size.
Image8 photograph_at_size(const PhotoPixels& pixels, int width, int height,
                          const std::array<float, 3>& background);

}  // namespace mote
