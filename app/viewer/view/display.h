#pragma once

// Parameters that a window gives to the display pass.

#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <memory>
#include <optional>

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

/// The surface at a point of the newest picture, as fractions of its size, world units. Empty where
/// there is no splat, and while the picture has no depth because the view moves.
std::optional<glm::dvec3> surface_at(const Session& session, const glm::dvec2& part);

/// Display options from the settings, the mode and the comparison.
present::DisplayOptions display_options(const Session& session);

/// The picture's coverage, for ImageUpload::alpha; null if the display does not need it.
const Image* display_alpha(const Session& session);

/// The picture that the display compares with, its second image; null if there is none, and the
/// window then clears the old one. The pointer differs whenever the picture does.
std::shared_ptr<const Image8> compared_picture(const Session& session);

}  // namespace mote
