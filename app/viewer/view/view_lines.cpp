#include "app/viewer/view/view_lines.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>

#include "app/viewer/session/session.h"

namespace mote {
namespace {

glm::dvec3 in_camera(const Camera& camera, const glm::dvec3& point) {
  return camera.cam_from_world * point + camera.translation;
}

glm::dvec2 on_plane(const Camera& camera, const glm::dvec3& p) {
  return camera.center_px + camera.focal_px * glm::dvec2(p.x, p.y) / p.z;
}

std::array<float, 2> floats(const glm::dvec2& v) {
  return {static_cast<float>(v.x), static_cast<float>(v.y)};
}

}  // namespace

Camera shown_camera(const Session& session) {
  const FinishedFrame* frame = session.frame;
  const int width = session.view.width, height = session.view.height;
  if (frame == nullptr || frame->full_width != width || frame->full_height != height) {
    return session.camera();
  }
  return resized(frame->camera, width, height);
}

std::optional<Segment2> projected(const Camera& camera, const glm::dvec3& from,
                                  const glm::dvec3& to, double nearest) {
  glm::dvec3 a = in_camera(camera, from), b = in_camera(camera, to);
  // Written so that a NaN fails.
  if (!(a.z >= nearest || b.z >= nearest)) return {};
  if (a.z < nearest) a = glm::mix(a, b, (nearest - a.z) / (b.z - a.z));
  if (b.z < nearest) b = glm::mix(b, a, (nearest - b.z) / (a.z - b.z));
  return Segment2{on_plane(camera, a), on_plane(camera, b)};
}

std::optional<glm::dvec2> projected(const Camera& camera, const glm::dvec3& point, double nearest) {
  const glm::dvec3 p = in_camera(camera, point);
  if (!(p.z >= nearest)) return {};
  return on_plane(camera, p);
}

// Liang-Barsky clipping (1984).
std::optional<Segment2> cut(const Segment2& segment, const glm::dvec2& size, double margin) {
  const glm::dvec2 way = segment.to - segment.from;
  double first = 0, last = 1;
  for (int i = 0; i < 2; ++i) {
    const double low = -margin - segment.from[i], high = size[i] + margin - segment.from[i];
    if (way[i] == 0) {
      if (low > 0 || high < 0) return {};
      continue;
    }
    first = std::max(first, std::min(low / way[i], high / way[i]));
    last = std::min(last, std::max(low / way[i], high / way[i]));
  }
  if (!(first <= last)) return {};
  return Segment2{segment.from + first * way, segment.from + last * way};
}

double distance_to(const Segment2& segment, const glm::dvec2& px) {
  const glm::dvec2 way = segment.to - segment.from;
  const double length2 = glm::dot(way, way);
  const double t =
      length2 > 0 ? std::clamp(glm::dot(px - segment.from, way) / length2, 0.0, 1.0) : 0.0;
  return glm::length(px - segment.from - t * way);
}

void StrokeList::line(const glm::dvec3& from, const glm::dvec3& to, const Pen& pen) {
  if (const auto seen = projected(camera_, from, to, nearest_)) line_px(*seen, pen);
}

void StrokeList::dot(const glm::dvec3& point, const Pen& pen) {
  if (const auto seen = projected(camera_, point, nearest_)) dot_px(*seen, pen);
}

void StrokeList::line_px(const Segment2& segment, const Pen& pen) {
  const auto inside =
      cut(segment, {camera_.width, camera_.height}, static_cast<double>(pen.width_px));
  if (!inside) return;
  strokes_.push_back({floats(inside->from), floats(inside->to), pen.width_px, pen.color});
}

void StrokeList::append(std::vector<present::OverlayStroke> strokes) {
  strokes_.insert(strokes_.end(), strokes.begin(), strokes.end());
}

void StrokeList::dot_px(const glm::dvec2& px, const Pen& pen) {
  line_px({px, px}, pen);
}

void StrokeList::circle_px(const glm::dvec2& middle, double radius, const Pen& pen) {
  // Enough corners to stay within 0.1 px of the circle, within visible limits.
  const double step = 2 * std::acos(1 - std::min(0.1 / std::max(radius, 0.2), 1.0));
  const int corners = std::clamp(static_cast<int>(2 * std::numbers::pi / step) + 1, 8, 128);
  const auto corner = [&](int i) {
    const double angle = 2 * std::numbers::pi * i / corners;
    return middle + radius * glm::dvec2(std::cos(angle), std::sin(angle));
  };
  for (int i = 0; i < corners; ++i) line_px({corner(i), corner(i + 1)}, pen);
}

}  // namespace mote
