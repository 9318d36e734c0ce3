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

/// Cuts the segment at this distance in front of the camera. False if all of it is nearer.
bool cut_in_front(double nearest, glm::dvec3& a, glm::dvec3& b) {
  // Written so that a NaN fails.
  if (!(a.z >= nearest || b.z >= nearest)) return false;
  if (a.z < nearest) a = glm::mix(a, b, (nearest - a.z) / (b.z - a.z));
  if (b.z < nearest) b = glm::mix(b, a, (nearest - b.z) / (a.z - b.z));
  return true;
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
  if (!cut_in_front(nearest, a, b)) return {};
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
  glm::dvec3 a = in_camera(camera_, from), b = in_camera(camera_, to);
  if (!cut_in_front(nearest_, a, b)) return;
  if (depth_ != nullptr) {
    visible_parts(a, b, pen);
  } else {
    line_px({on_plane(camera_, a), on_plane(camera_, b)}, pen);
  }
}

/// Adds the parts of a line that no surface hides, tested in steps of some pixels.
void StrokeList::visible_parts(const glm::dvec3& from_cam, const glm::dvec3& to_cam,
                               const Pen& pen) {
  constexpr double kStep_px = 5;
  constexpr int kMostSteps = 4096;
  const Segment2 whole{on_plane(camera_, from_cam), on_plane(camera_, to_cam)};
  const auto inside =
      cut(whole, {camera_.width, camera_.height}, static_cast<double>(pen.width_px));
  if (!inside) return;
  const glm::dvec2 way = inside->to - inside->from;
  const double length_px = glm::length(whole.to - whole.from);
  const int steps = std::clamp(static_cast<int>(glm::length(way) / kStep_px) + 1, 1, kMostSteps);
  int open = -1;  // the step at which the visible part begins; -1: there is none
  for (int i = 0; i <= steps; ++i) {
    bool visible = false;
    if (i < steps) {
      const glm::dvec2 px = inside->from + (i + 0.5) / steps * way;
      // The inverse of the depth is linear in the picture.
      const double t = length_px > 0 ? glm::length(px - whole.from) / length_px : 0;
      visible = !depth_->hides(px, 1 / glm::mix(1 / from_cam.z, 1 / to_cam.z, t));
    }
    if (visible && open < 0) open = i;
    if (visible || open < 0) continue;
    const auto at = [&](int step) {
      return inside->from + static_cast<double>(step) / steps * way;
    };
    strokes_.push_back({floats(at(open)), floats(at(i)), pen.width_px, pen.color});
    open = -1;
  }
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
