#pragma once

// The photograph that the view stands at, as a picture to lay over the view.

#include <array>
#include <string>
#include <vector>

#include "app/viewer/session.h"

namespace mote {

/// Makes these the photographs that are meant. The view leaves the photograph of another set.
void choose_cameras(Session& session, std::uint32_t set);

/// Goes to where photograph `index` of the set was taken, with its lens, and has it decoded. CHECKs
/// that there is one.
void stand_at(Session& session, std::uint32_t set, std::size_t index);

/// Lines of the script language that stand at it, whatever is meant now and however photographs are
/// called.
std::vector<std::string> lines_to_photograph(const Session& session, const CameraSet& set,
                                             std::size_t index);

/// Whether the view stands where the photograph was taken, with its lens, or is on the way there.
bool at_photograph(const Session& session);
/// Whether it is compared with: asked for, and the view stands there.
bool comparing(const Session& session);

/// Gives the picture the photograph's shape while they are compared, as large as the area allows,
/// and all of the area else.
void fit_picture(Session& session);

/// Has the photograph made ready for the view's size where it is compared with and is not. To be
/// called for every frame.
void ask_for_photograph(Session& session);

/// The photograph over a background, averaged down to the size. A side that is not larger than
/// asked for stays as it is.
Image8 photograph_at_size(const PhotoPixels& pixels, int width, int height,
                          const std::array<float, 3>& background);

}  // namespace mote
