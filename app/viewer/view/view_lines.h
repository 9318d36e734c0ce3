#pragma once

// World-space segments projected into the view.

#include <array>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <optional>
#include <vector>

#include "app/viewer/view/picture_depth.h"
#include "cameras/camera.h"
#include "present/display_options.h"

namespace mote {

/// The camera of the picture on screen, at the size of the view. Overlays must match this picture,
/// not the camera's current motion.
Camera shown_camera(const Session& session);

struct Segment2 {
  glm::dvec2 from{0}, to{0};
};

/// The projected segment, in pixels, clipped at distance `nearest` in front of the camera. Empty if
/// all of it is nearer.
std::optional<Segment2> projected(const Camera& camera, const glm::dvec3& from,
                                  const glm::dvec3& to, double nearest);
std::optional<glm::dvec2> projected(const Camera& camera, const glm::dvec3& point, double nearest);

/// The part of the segment inside the rectangle from (0, 0) to `size`, widened by `margin`.
std::optional<Segment2> cut(const Segment2& segment, const glm::dvec2& size, double margin);

double distance_to(const Segment2& segment, const glm::dvec2& px);

/// Display values, not premultiplied; width in pixels.
struct Pen {
  float width_px = 1;
  std::array<std::uint8_t, 4> color{255, 255, 255, 255};
};

/// The strokes over one view.
class StrokeList {
 public:
  StrokeList(const Camera& camera, double nearest) : camera_(camera), nearest_(nearest) {}

  /// Lines added from now on are not drawn where a surface hides them; null: they are.
  void hide_behind(const PictureDepth* depth) { depth_ = depth; }

  void line(const glm::dvec3& from, const glm::dvec3& to, const Pen& pen);
  void dot(const glm::dvec3& point, const Pen& pen);
  // Coordinates in pixels of the view.
  void line_px(const Segment2& segment, const Pen& pen);
  void dot_px(const glm::dvec2& px, const Pen& pen);
  void circle_px(const glm::dvec2& middle, double radius, const Pen& pen);

  void append(std::vector<present::OverlayStroke> strokes);

  std::vector<present::OverlayStroke> take() { return std::move(strokes_); }

 private:
  void visible_parts(const glm::dvec3& from_cam, const glm::dvec3& to_cam, const Pen& pen);

  Camera camera_;
  double nearest_;
  const PictureDepth* depth_ = nullptr;
  std::vector<present::OverlayStroke> strokes_;
};

}  // namespace mote
