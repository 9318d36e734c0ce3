#pragma once

#include <span>
#include <string_view>

#include "backend/backend.h"

namespace mote {

/// One way of looking at a scene: what the backend is asked for, and how that becomes a picture.
struct RenderMode {
  std::string_view name, help;
  RenderOutputs outputs;
  /// Makes the picture, [h][w][3] in 0..1, of the frame; null where it is the frame's colour.
  void (*paint)(const Frame& frame, const Camera& camera, Image& picture);
};

/// All of them; the first one is colour.
std::span<const RenderMode> render_modes();
/// Throws UsageError where there is none of that name.
const RenderMode& find_render_mode(std::string_view name);

}  // namespace mote
