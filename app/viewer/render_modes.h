#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/viewer/heat_map.h"
#include "backend/backend.h"

namespace mote {

/// What a mode's colours mean.
struct Legend {
  std::string_view values;      // what they stand for: "splats blended into a pixel"
  glm::vec3 (*color)(float t);  // from the range's low end, 0, to its high end, 1
};

/// One way of looking at a scene: what the backend is asked for, and how that becomes a picture.
struct RenderMode {
  std::string_view name, help;
  SplatShape shape = SplatShape::gaussian;
  RenderOutputs outputs = {};
  /// Makes the picture, [h][w][3] in 0..1, of the frame; null where it is the frame's colour. Gives
  /// the range that the legend has, if there is one.
  std::optional<LegendRange> (*paint)(const Frame& frame, const Camera& camera,
                                      Image& picture) = nullptr;
  std::optional<Legend> legend = {};

  /// Asks for what the mode is made of, besides what is asked for already.
  void ask(RenderSettings& settings) const;
};

/// All of them; the first one is colour.
std::span<const RenderMode> render_modes();
std::vector<std::string> render_mode_names();
/// Throws UsageError where there is none of that name.
const RenderMode& find_render_mode(std::string_view name);

/// Puts the mode's picture in the place of the frame's colour, whose image becomes `scratch`.
std::optional<LegendRange> paint_over(const RenderMode& mode, const Camera& camera, Frame& frame,
                                      Image& scratch);

}  // namespace mote
