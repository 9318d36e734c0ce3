#pragma once

// Parameters that a window gives to the display pass.

#include <memory>

#include "app/viewer/session/session.h"
#include "present/display_options.h"

namespace mote {

/// A rectangle of framebuffer pixels.
struct PicturePlace {
  int x = 0, y = 0, width = 0, height = 0;
};

/// Rectangle of the picture within the area given to Viewer::resize(). It is the whole area, or a
/// part of it with the shape of the photograph during a comparison.
PicturePlace picture_place(const Session& session);

/// Display options from the settings, the mode and the comparison.
present::DisplayOptions display_options(const Session& session);

/// The picture's coverage, for ImageUpload::alpha; null if the display does not need it.
const Image* display_alpha(const Session& session);

/// The picture that the display compares with, its second image; null if there is none, and the
/// window then clears the old one. The pointer differs whenever the picture does.
std::shared_ptr<const Image8> compared_picture(const Session& session);

}  // namespace mote
