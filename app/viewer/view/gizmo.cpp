#include "app/viewer/view/gizmo.h"

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <glm/gtc/quaternion.hpp>
#include <limits>
#include <numbers>

#include "app/viewer/view/crop_box.h"
#include "app/viewer/view/view_lines.h"

namespace mote {
namespace {

using PartKind = GizmoPart::Kind;

constexpr double kTwoPi = 2 * std::numbers::pi;
// Sizes as fractions of the arm.
constexpr double kPlaneNear = 0.26, kPlaneFar = 0.46, kScreenRing = 1.18, kSizeRing = 1.0;
constexpr double kCenterPx = 9;
/// An axis within 8 degrees of the view direction is left out, and a plane within 7 of its side.
constexpr double kEndOn = 0.99, kEdgeOn = 0.12;
/// Rings seen more from the side than this (sine of the angle) are turned along their tangent.
constexpr double kFromTheSide = 0.2;
constexpr int kRingSteps = 64;

glm::dvec3 ray_of(const Camera& camera, const glm::dvec2& px) {
  const glm::dvec2 slope = (px - camera.center_px) / camera.focal_px;
  return glm::normalize(glm::transpose(camera.cam_from_world) * glm::dvec3(slope, 1));
}

glm::dvec3 way_to(const Camera& camera, const glm::dvec3& point) {
  return glm::normalize(point - camera.position_world());
}

/// Forwards along the view.
glm::dvec3 view_axis(const Camera& camera) {
  return glm::transpose(camera.cam_from_world) * glm::dvec3(0, 0, 1);
}

/// The handles of one gizmo under construction.
class ShapeBuilder {
 public:
  ShapeBuilder(const Gizmo& gizmo, const Camera& camera, double unit, double z)
      : gizmo_(gizmo), camera_(camera), unit_(unit), nearest_(1e-3 * z) {
    // An arm never reaches the camera, however wide its lens is.
    const double focal = 0.5 * (camera.focal_px.x + camera.focal_px.y);
    arm_ = std::min(kGizmoArmPx * unit / focal, 0.5) * z;
    shape_.origin_px = *projected(camera, gizmo.origin, nearest_);
  }

  void add_line(const GizmoPart& part, const std::vector<glm::dvec3>& points, bool is_area,
                bool is_front = true) {
    GizmoHandle handle{.part = part, .is_area = is_area, .is_front = is_front};
    for (const glm::dvec3& point : points) {
      const auto px = projected(camera_, gizmo_.origin + point, nearest_);
      if (!px) return;
      handle.line_px.push_back(*px);
    }
    shape_.handles.push_back(std::move(handle));
  }

  void add_arrows() {
    const glm::dvec3 way = way_to(camera_, gizmo_.origin);
    for (int i = 0; i < 3; ++i) {
      if (std::abs(glm::dot(gizmo_.axes[i], way)) < kEdgeOn) continue;
      const glm::dvec3 a = gizmo_.axes[(i + 1) % 3], b = gizmo_.axes[(i + 2) % 3];
      const double low = kPlaneNear * arm_, high = kPlaneFar * arm_;
      add_line({PartKind::plane, i},
               {low * a + low * b, high * a + low * b, high * a + high * b, low * a + high * b},
               true);
    }
    for (int i = 0; i < 3; ++i) {
      if (std::abs(glm::dot(gizmo_.axes[i], way)) > kEndOn) continue;
      add_line({PartKind::axis, i}, {glm::dvec3(0), arm_ * gizmo_.axes[i]}, false);
    }
    add_circle_px({PartKind::screen}, kCenterPx * unit_, true);
  }

  void add_rings() {
    for (int i = 0; i < 3; ++i) add_ring(i, false);
    add_circle_px({PartKind::screen_ring}, kScreenRing * kGizmoArmPx * unit_, false);
    for (int i = 0; i < 3; ++i) add_ring(i, true);
  }

  void add_sizes() {
    add_circle_px({PartKind::size}, kSizeRing * kGizmoArmPx * unit_, false);
    const double half = 0.8 * kCenterPx * unit_;
    const glm::dvec2 o = shape_.origin_px;
    shape_.handles.push_back({.part = {PartKind::size_center},
                              .line_px = {o + glm::dvec2(-half, -half), o + glm::dvec2(half, -half),
                                          o + glm::dvec2(half, half), o + glm::dvec2(-half, half)},
                              .is_area = true});
  }

  GizmoShape take() { return std::move(shape_); }

 private:
  /// The part of the ring in front of the centre, or the part behind it, as runs of points.
  void add_ring(int axis, bool front) {
    // A ring that faces the camera lies at the depth of the centre, and is all in front.
    constexpr double kBehind = 0.05;
    const glm::dvec3 way = way_to(camera_, gizmo_.origin);
    const glm::dvec3 a = gizmo_.axes[(axis + 1) % 3], b = gizmo_.axes[(axis + 2) % 3];
    std::vector<glm::dvec3> run;
    const auto end_run = [&] {
      if (run.size() > 1) add_line({PartKind::ring, axis}, run, false, front);
      run.clear();
    };
    for (int i = 0; i <= kRingSteps; ++i) {
      const double angle = kTwoPi * i / kRingSteps;
      const glm::dvec3 point = std::cos(angle) * a + std::sin(angle) * b;
      const bool is_front = glm::dot(point, way) <= kBehind;
      // Both halves share the points at their ends.
      if (is_front == front) {
        run.push_back(arm_ * point);
      } else {
        if (!run.empty()) run.push_back(arm_ * point);
        end_run();
      }
    }
    end_run();
  }

  void add_circle_px(const GizmoPart& part, double radius_px, bool is_area) {
    GizmoHandle handle{.part = part, .is_area = is_area};
    const int last = is_area ? kRingSteps - 1 : kRingSteps;
    for (int i = 0; i <= last; ++i) {
      const double angle = kTwoPi * i / kRingSteps;
      handle.line_px.push_back(shape_.origin_px +
                               radius_px * glm::dvec2(std::cos(angle), std::sin(angle)));
    }
    shape_.handles.push_back(std::move(handle));
  }

  const Gizmo& gizmo_;
  const Camera& camera_;
  double unit_, nearest_, arm_ = 1;
  GizmoShape shape_;
};

bool inside(const std::vector<glm::dvec2>& outline, const glm::dvec2& px) {
  bool in = false;
  for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++) {
    const glm::dvec2 &a = outline[i], &b = outline[j];
    if ((a.y > px.y) == (b.y > px.y)) continue;
    if (px.x < a.x + (px.y - a.y) / (b.y - a.y) * (b.x - a.x)) in = !in;
  }
  return in;
}

double distance_to_line(const std::vector<glm::dvec2>& line, const glm::dvec2& px) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < line.size(); ++i) {
    nearest = std::min(nearest, distance_to({line[i - 1], line[i]}, px));
  }
  return nearest;
}

double snapped(double value, double step) {
  return step > 0 ? step * std::round(value / step) : value;
}

/// Adds whole turns, so that the angle is nearest to the other.
double unwrapped(double angle, double near_angle) {
  return angle + kTwoPi * std::round((near_angle - angle) / kTwoPi);
}

double angle_of(const glm::dvec2& way) {
  return std::atan2(way.y, way.x);
}

/// Where the pixel meets the plane of a ring, as an angle about its axis.
std::optional<double> angle_on_ring(const GizmoGrab& grab, const Camera& camera,
                                    const glm::dvec2& px) {
  const Gizmo& gizmo = grab.gizmo;
  const auto point = nearest_on_plane(camera, px, gizmo.origin, grab.axis_world);
  if (!point) return {};
  const glm::dvec3 way = *point - gizmo.origin;
  const glm::dvec2 in_plane(glm::dot(way, gizmo.axes[(grab.part.axis + 1) % 3]),
                            glm::dot(way, gizmo.axes[(grab.part.axis + 2) % 3]));
  if (!(glm::length(in_plane) > 0)) return {};
  return angle_of(in_plane);
}

/// The direction in the image in which the ring's nearest point moves, px per radian.
glm::dvec2 tangent_at(const Gizmo& gizmo, int axis, const Camera& camera, const glm::dvec2& px,
                      double unit) {
  const glm::dvec3 a = gizmo.axes[(axis + 1) % 3], b = gizmo.axes[(axis + 2) % 3];
  const double z = (camera.cam_from_world * gizmo.origin + camera.translation).z;
  const double focal = 0.5 * (camera.focal_px.x + camera.focal_px.y);
  const double arm = std::min(kGizmoArmPx * unit / focal, 0.5) * z;
  const glm::dvec3 way = way_to(camera, gizmo.origin);
  const auto at = [&](double angle) {
    return projected(camera, gizmo.origin + arm * (std::cos(angle) * a + std::sin(angle) * b),
                     1e-3 * z);
  };
  double best = std::numeric_limits<double>::infinity(), found = 0;
  for (int i = 0; i < kRingSteps; ++i) {
    const double angle = kTwoPi * i / kRingSteps;
    if (glm::dot(std::cos(angle) * a + std::sin(angle) * b, way) > 0.05) continue;
    const auto place = at(angle);
    if (!place || !(glm::length(*place - px) < best)) continue;
    best = glm::length(*place - px);
    found = angle;
  }
  constexpr double kStep = 1e-3;
  const auto before = at(found - kStep), after = at(found + kStep);
  glm::dvec2 tangent = before && after ? (*after - *before) / (2 * kStep) : glm::dvec2(0);
  // At the ends of a ring seen from its side, the tangent points into the image.
  const double least = 0.4 * kGizmoArmPx * unit, length = glm::length(tangent);
  if (!(length > 1e-9)) return {least, 0};
  return tangent * (std::max(length, least) / length);
}

}  // namespace

std::optional<glm::dvec3> nearest_on_plane(const Camera& camera, const glm::dvec2& px,
                                           const glm::dvec3& point, const glm::dvec3& normal) {
  constexpr double kLeastSine = 0.02, kFarthest = 50;
  const glm::dvec3 eye = camera.position_world(), ray = ray_of(camera, px);
  const double facing = glm::dot(ray, normal);
  if (!(std::abs(facing) > kLeastSine)) return {};
  const double t = glm::dot(point - eye, normal) / facing;
  if (!(t > 0 && t < kFarthest * glm::length(point - eye))) return {};
  return eye + t * ray;
}

std::optional<GizmoShape> shape_of(const Gizmo& gizmo, const Camera& camera, double unit) {
  const double z = (camera.cam_from_world * gizmo.origin + camera.translation).z;
  if (!(z > 0) || !std::isfinite(z)) return {};
  ShapeBuilder builder(gizmo, camera, unit, z);
  if (gizmo.kind == GizmoKind::move) builder.add_arrows();
  if (gizmo.kind == GizmoKind::rotate) builder.add_rings();
  if (gizmo.kind == GizmoKind::scale) builder.add_sizes();
  return builder.take();
}

std::optional<GizmoPart> part_under(const GizmoShape& shape, const glm::dvec2& px, double unit) {
  // The last one is drawn on top.
  for (auto handle = shape.handles.rbegin(); handle != shape.handles.rend(); ++handle) {
    if (handle->is_area && inside(handle->line_px, px)) return handle->part;
  }
  std::optional<GizmoPart> found;
  double found_px = kGizmoReachPx * unit;
  for (const GizmoHandle& handle : shape.handles) {
    if (handle.is_area || !handle.is_front) continue;
    const double distance = distance_to_line(handle.line_px, px);
    if (!(distance < found_px)) continue;
    found_px = distance;
    found = handle.part;
  }
  return found;
}

std::optional<GizmoGrab> grabbed(const Gizmo& gizmo, const GizmoPart& part, const Camera& camera,
                                 const glm::dvec2& px, double unit) {
  const auto origin = projected(camera, gizmo.origin, std::numeric_limits<double>::min());
  if (!origin) return {};
  GizmoGrab grab{.gizmo = gizmo, .part = part, .px = px, .unit = unit, .origin_px = *origin};
  std::optional<double> start = 0;
  switch (part.kind) {
    case PartKind::axis:
      start = nearest_on_axis(camera, px, gizmo.origin, gizmo.axes[part.axis]);
      break;
    case PartKind::plane:
    case PartKind::screen: {
      const glm::dvec3 normal =
          part.kind == PartKind::plane ? gizmo.axes[part.axis] : view_axis(camera);
      const auto point = nearest_on_plane(camera, px, gizmo.origin, normal);
      if (!point) return {};
      grab.point = *point;
      grab.axis_world = normal;
      break;
    }
    case PartKind::ring:
      grab.axis_world = gizmo.axes[part.axis];
      if (std::abs(glm::dot(way_to(camera, gizmo.origin), grab.axis_world)) < kFromTheSide) {
        grab.tangent = tangent_at(gizmo, part.axis, camera, px, unit);
      } else {
        start = angle_on_ring(grab, camera, px);
      }
      break;
    case PartKind::screen_ring:
      grab.axis_world = way_to(camera, gizmo.origin);
      start = angle_of(px - *origin);
      break;
    case PartKind::size:
      start = std::max(glm::length(px - *origin), unit);
      break;
    case PartKind::size_center:
      break;
  }
  if (!start) return {};
  grab.start = *start;
  return grab;
}

std::optional<GizmoChange> change_at(const GizmoGrab& grab, const Camera& camera,
                                     const glm::dvec2& px, const GizmoSnap& snap,
                                     double near_angle) {
  constexpr double kLeast = 1e-3, kMost = 1e3, kDoublingPx = 100;
  const Gizmo& gizmo = grab.gizmo;
  GizmoChange change{.axis_world = grab.axis_world};
  const auto turn_by = [&](double angle) {
    change.free_angle = unwrapped(angle, near_angle);
    change.angle = snapped(change.free_angle, snap.rotate_rad);
  };
  const auto scale_by = [&](double factor) {
    if (snap.scale > 0) factor = std::max(snap.scale, snapped(factor, snap.scale));
    change.factor = std::clamp(factor, kLeast, kMost);
  };
  switch (grab.part.kind) {
    case PartKind::axis: {
      const auto place = nearest_on_axis(camera, px, gizmo.origin, gizmo.axes[grab.part.axis]);
      if (!place) return {};
      change.moved[grab.part.axis] = snapped(*place - grab.start, snap.move);
      break;
    }
    case PartKind::plane:
    case PartKind::screen: {
      const auto point = nearest_on_plane(camera, px, grab.point, grab.axis_world);
      if (!point) return {};
      change.moved = (*point - grab.point) * gizmo.axes;
      for (int i = 0; i < 3; ++i) change.moved[i] = snapped(change.moved[i], snap.move);
      break;
    }
    case PartKind::ring: {
      if (grab.tangent) {
        const glm::dvec2 t = *grab.tangent;
        change.free_angle = glm::dot(px - grab.px, t) / glm::dot(t, t);
        change.angle = snapped(change.free_angle, snap.rotate_rad);
        break;
      }
      const auto angle = angle_on_ring(grab, camera, px);
      if (!angle) return {};
      turn_by(*angle - grab.start);
      break;
    }
    case PartKind::screen_ring:
      turn_by(angle_of(px - grab.origin_px) - grab.start);
      break;
    case PartKind::size:
      scale_by(glm::length(px - grab.origin_px) / grab.start);
      break;
    case PartKind::size_center: {
      const glm::dvec2 moved = px - grab.px;
      scale_by(std::exp2((moved.x - moved.y) / (kDoublingPx * grab.unit)));
      break;
    }
  }
  return change;
}

Similarity similarity_of(const GizmoChange& change, const Gizmo& gizmo) {
  Similarity result{.scale = change.factor, .translation = gizmo.axes * change.moved};
  if (change.angle != 0) {
    result.rotation = glm::mat3_cast(glm::angleAxis(change.angle, change.axis_world));
  }
  return about(result, gizmo.origin);
}

}  // namespace mote
