#pragma once

#include <span>

#include "backend/backend.h"

namespace mote {

/// A picture of a field to draw, see DeviceField::render_parts(). References must outlive a call.
struct PictureRequest {
  const Camera& camera;
  const RenderSettings& settings;
  std::span<Frame> parts;  // one more than sheets
  Dividers dividers = {};

  Frame& first() const { return parts.front(); }
};

}  // namespace mote
