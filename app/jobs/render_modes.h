#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/jobs/heat_map.h"
#include "backend/backend.h"

namespace mote {

/// Meaning of a mode's colours.
struct Legend {
  std::string_view values;       // quantity, for example "splats blended into a pixel"
  glm::vec3 (*color)(float t);   // colour at t: 0 is the low end of the range, 1 the high end
  std::string_view title, unit;  // in the view: "depth", "world units"
  bool logarithmic = false;      // t is the logarithm of 1 + value
};

/// A way to show a scene: the backend's outputs, and how they become a picture.
struct RenderMode {
  std::string_view name, help;
  SplatShape shape = SplatShape::blended;
  RenderOutputs outputs = {};
  /// Paints the picture, [h][w][3] in 0..1, from the frame; null if the frame's colour is the
  /// picture. Returns the legend's range, if the mode has one.
  std::optional<LegendRange> (*paint)(const Frame& frame, const Camera& camera,
                                      Image& picture) = nullptr;
  std::optional<Legend> legend = {};
  PaintedMotion painted = PaintedMotion::none;

  /// Whether the mode shows neural fields only, splats only, or splats that move only.
  bool is_of_fields() const { return outputs.slice; }
  bool is_of_splats() const { return outputs.tile_cost || shape != SplatShape::blended; }
  bool is_of_motion() const { return painted != PaintedMotion::none; }
  /// Adds what the mode needs to the settings, all but the scales of painted motion.
  void ask(RenderSettings& settings) const;
};

/// All modes; the first one is colour.
std::span<const RenderMode> render_modes();
std::vector<std::string> render_mode_names();
/// Throws UsageError if no mode has that name.
const RenderMode& find_render_mode(std::string_view name);

/// The scales of painted motion for a scene: `duration_s`, 0 if it stands still, and `radius` in
/// world units. A splat that crosses the radius in the duration has half of the full saturation.
void scale_paint(double duration_s, double radius, RenderSettings& settings);

/// Replaces the frame's colour by the mode's picture; the old colour image becomes `scratch`.
std::optional<LegendRange> paint_over(const RenderMode& mode, const Camera& camera, Frame& frame,
                                      Image& scratch);

}  // namespace mote
