#pragma once

// How the picture is brought to the screen: what a window tells the display pass.

#include <memory>

#include "app/viewer/session.h"
#include "present/display_options.h"

namespace mote {

/// A rectangle of framebuffer pixels.
struct PicturePlace {
  int x = 0, y = 0, width = 0, height = 0;
};

/// Where the picture stands in the area that was given to Viewer::resize(): all of it, or what the
/// shape of a photograph leaves while the two are compared.
PicturePlace picture_place(const Session& session);

/// By the settings, the mode and the comparison.
present::DisplayOptions display_options(const Session& session);

/// The picture's coverage, for ImageUpload::alpha; null where the display does without.
const Image* display_alpha(const Session& session);

/// What the display compares with, for its second image; null: nothing, and what was there before
/// is to be cleared. Another pointer whenever it is another picture.
std::shared_ptr<const Image8> compared_picture(const Session& session);

}  // namespace mote
