// The gizmo's handles, what is under the pointer, and the changes of drags.
#include "app/viewer/view/gizmo.h"

#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>
#include <random>

#include "app/viewer/view/view_lines.h"

namespace mote {
namespace {

using Kind = GizmoPart::Kind;

constexpr double kRadians = std::numbers::pi / 180;

Camera camera_from(const glm::dvec3& eye, double focal_px = 500, double distance_factor = 1) {
  Camera camera;
  camera.width = 800;
  camera.height = 600;
  camera.focal_px = glm::dvec2(focal_px * distance_factor);
  camera.center_px = {400, 300};
  look_at(camera, distance_factor * eye, {0, 0, 0}, {0, -1, 0});
  return camera;
}

bool finite(const GizmoChange& change) {
  return std::isfinite(change.moved.x + change.moved.y + change.moved.z) &&
         std::isfinite(change.angle) && std::isfinite(change.factor) && change.factor > 0;
}

glm::dvec2 px_of(const Camera& camera, const glm::dvec3& point) {
  return *projected(camera, point, 1e-9);
}

/// A place on the handle that no other handle covers, in the middle of its line.
glm::dvec2 place_on(const GizmoShape& shape, const GizmoPart& part) {
  for (const GizmoHandle& handle : shape.handles) {
    if (handle.part != part || !handle.is_front) continue;
    for (std::size_t i = 1; i < handle.line_px.size(); ++i) {
      for (const double t : {0.5, 0.8, 0.95}) {
        const glm::dvec2 px = glm::mix(handle.line_px[i - 1], handle.line_px[i], t);
        if (part_under(shape, px, 1) == part) return px;
      }
    }
    glm::dvec2 sum(0);
    for (const glm::dvec2& px : handle.line_px) sum += px;
    const glm::dvec2 middle = sum / static_cast<double>(handle.line_px.size());
    if (part_under(shape, middle, 1) == part) return middle;
  }
  ADD_FAILURE() << "no place on the handle";
  return {};
}

const std::vector<std::pair<GizmoKind, std::vector<GizmoPart>>> kParts{
    {GizmoKind::move,
     {{Kind::axis, 0},
      {Kind::axis, 1},
      {Kind::axis, 2},
      {Kind::plane, 0},
      {Kind::plane, 1},
      {Kind::plane, 2},
      {Kind::screen}}},
    {GizmoKind::rotate, {{Kind::ring, 0}, {Kind::ring, 1}, {Kind::ring, 2}, {Kind::screen_ring}}},
    {GizmoKind::scale, {{Kind::size}, {Kind::size_center}}}};

TEST(GizmoHandles, EachCanBeFoundByThePointer) {
  const Camera camera = camera_from({3, -2.5, -4});
  for (const auto& [kind, parts] : kParts) {
    const auto shape = shape_of({.kind = kind}, camera, 1);
    ASSERT_TRUE(shape);
    for (const GizmoPart& part : parts) {
      EXPECT_EQ(part_under(*shape, place_on(*shape, part), 1), part);
    }
    EXPECT_FALSE(part_under(*shape, {5, 5}, 1));
  }
}

TEST(GizmoHandles, KeepTheirSizeOnTheScreen) {
  for (const double distance : {0.01, 1.0, 500.0}) {
    const auto shape =
        shape_of({.kind = GizmoKind::scale}, camera_from(distance * glm::dvec3(0, 0, -1)), 2);
    ASSERT_TRUE(shape);
    EXPECT_NEAR(glm::length(shape->handles[0].line_px[0] - shape->origin_px), 2 * kGizmoArmPx,
                1e-6);
  }
}

TEST(GizmoHandles, ThatPointAtTheCameraAreLeftOut) {
  const auto shape = shape_of({.kind = GizmoKind::move}, camera_from({0, 0, -4}), 1);
  ASSERT_TRUE(shape);
  for (const GizmoHandle& handle : shape->handles) {
    EXPECT_FALSE(handle.part == (GizmoPart{Kind::axis, 2}));
    const bool edge_on =
        handle.part == GizmoPart{Kind::plane, 0} || handle.part == GizmoPart{Kind::plane, 1};
    EXPECT_FALSE(edge_on);
  }
}

TEST(GizmoHandles, AreNotThereBehindTheCamera) {
  const Camera camera = camera_from({0, 0, -4});
  for (const auto& [kind, parts] : kParts) {
    EXPECT_FALSE(shape_of({.kind = kind, .origin = {0, 0, -5}}, camera, 1));
    EXPECT_FALSE(shape_of({.kind = kind, .origin = {0, 0, -4}}, camera, 1));
    EXPECT_FALSE(shape_of({.kind = kind, .origin = glm::dvec3(NAN)}, camera, 1));
    for (const GizmoPart& part : parts) {
      EXPECT_FALSE(grabbed({.kind = kind, .origin = {0, 0, -5}}, part, camera, {400, 300}, 1));
    }
  }
}

TEST(GizmoMoves, AlongAnAxisFollowThePointer) {
  const Camera camera = camera_from({3, -2.5, -4});
  const glm::dmat3 turned = rotation_about_axes({0.3, 0.5, -0.2});
  for (const glm::dmat3& axes : {glm::dmat3(1), turned}) {
    for (int i = 0; i < 3; ++i) {
      const Gizmo gizmo{.origin = {0.2, 0.1, -0.3}, .axes = axes};
      const glm::dvec3 from = gizmo.origin + 0.4 * axes[i];
      const auto grab = grabbed(gizmo, {Kind::axis, i}, camera, px_of(camera, from), 1);
      ASSERT_TRUE(grab);
      const auto change = change_at(*grab, camera, px_of(camera, from + 0.7 * axes[i]), {}, 0);
      ASSERT_TRUE(change);
      glm::dvec3 expected(0);
      expected[i] = 0.7;
      EXPECT_LT(glm::length(change->moved - expected), 1e-9);
      const Similarity map = similarity_of(*change, gizmo);
      EXPECT_LT(glm::length(map.translation - 0.7 * axes[i]), 1e-9);
      EXPECT_EQ(map.scale, 1);
    }
  }
}

TEST(GizmoMoves, InAPlaneFollowThePointer) {
  const Camera camera = camera_from({3, -2.5, -4});
  const Gizmo gizmo{.origin = {0.2, 0.1, -0.3}};
  for (int i = 0; i < 3; ++i) {
    glm::dvec3 way(0.5, -0.4, 0.3), from = gizmo.origin + glm::dvec3(0.1);
    way[i] = 0;
    from[i] = gizmo.origin[i];
    const auto grab = grabbed(gizmo, {Kind::plane, i}, camera, px_of(camera, from), 1);
    ASSERT_TRUE(grab);
    const auto change = change_at(*grab, camera, px_of(camera, from + way), {}, 0);
    ASSERT_TRUE(change);
    EXPECT_LT(glm::length(change->moved - way), 1e-9);
  }
}

TEST(GizmoMoves, OnTheScreenStayAtTheirDepth) {
  const Camera camera = camera_from({3, -2.5, -4});
  const auto grab = grabbed({}, {Kind::screen}, camera, px_of(camera, {0, 0, 0}), 1);
  ASSERT_TRUE(grab);
  const auto change = change_at(*grab, camera, {500, 210}, {}, 0);
  ASSERT_TRUE(change);
  EXPECT_LT(glm::length(px_of(camera, change->moved) - glm::dvec2(500, 210)), 1e-6);
  const auto depth = [&](const glm::dvec3& p) {
    return (camera.cam_from_world * p + camera.translation).z;
  };
  EXPECT_NEAR(depth(change->moved), depth({0, 0, 0}), 1e-9);
}

TEST(GizmoMoves, SnapToSteps) {
  const Camera camera = camera_from({3, -2.5, -4});
  const auto grab = grabbed({}, {Kind::axis, 0}, camera, px_of(camera, {0.4, 0, 0}), 1);
  const auto change =
      change_at(*grab, camera, px_of(camera, {0.4 + 0.67, 0, 0}), {.move = 0.25}, 0);
  EXPECT_DOUBLE_EQ(change->moved.x, 0.75);
}

TEST(GizmoTurns, FollowThePointerOnTheRing) {
  const Camera camera = camera_from({3, -2.5, -4});
  for (int i = 0; i < 3; ++i) {
    const Gizmo gizmo{.kind = GizmoKind::rotate, .origin = {0.2, 0.1, -0.3}};
    const auto at = [&](double angle) {
      glm::dvec3 point(0);
      point[(i + 1) % 3] = std::cos(angle);
      point[(i + 2) % 3] = std::sin(angle);
      return px_of(camera, gizmo.origin + 0.6 * point);
    };
    const auto grab = grabbed(gizmo, {Kind::ring, i}, camera, at(0.3), 1);
    ASSERT_TRUE(grab);
    const auto change = change_at(*grab, camera, at(1.1), {}, 0);
    ASSERT_TRUE(change);
    EXPECT_NEAR(change->angle, 0.8, 1e-9);
    const Similarity map = similarity_of(*change, gizmo);
    glm::dvec3 axis(0);
    axis[i] = 0.8;
    EXPECT_LT(glm::length(map.rotation[0] - rotation_about_axes(axis)[0]), 1e-9);
    EXPECT_LT(glm::length(map.rotation * gizmo.origin + map.translation - gizmo.origin), 1e-12)
        << "the origin stays";
  }
}

TEST(GizmoTurns, GoOnBeyondAWholeTurn) {
  const Camera camera = camera_from({0, 0, -4});
  const Gizmo gizmo{.kind = GizmoKind::rotate};
  for (const GizmoPart part : {GizmoPart{Kind::ring, 2}, GizmoPart{Kind::screen_ring}}) {
    const auto at = [](double angle) {
      return glm::dvec2(400 + 90 * std::cos(angle), 300 + 90 * std::sin(angle));
    };
    const auto grab = grabbed(gizmo, part, camera, at(0), 1);
    ASSERT_TRUE(grab);
    double angle = 0;
    for (int i = 0; i <= 39; ++i) {
      angle = change_at(*grab, camera, at(20 * kRadians * i), {}, angle)->free_angle;
    }
    EXPECT_NEAR(angle, 780 * kRadians, 1e-6);
  }
}

TEST(GizmoTurns, SnapToStepsOfTheAngle) {
  const Camera camera = camera_from({0, 0, -4});
  const auto grab =
      grabbed({.kind = GizmoKind::rotate}, {Kind::screen_ring}, camera, {500, 300}, 1);
  const auto change =
      change_at(*grab, camera, {400 + 100 * std::cos(0.7), 300 + 100 * std::sin(0.7)},
                {.rotate_rad = 15 * kRadians}, 0);
  EXPECT_NEAR(change->angle, 45 * kRadians, 1e-12);
  EXPECT_NEAR(change->free_angle, 0.7, 1e-9);
}

TEST(GizmoTurns, OfARingSeenFromTheSideFollowItsTangent) {
  const Camera camera = camera_from({0, 0, -4});
  const Gizmo gizmo{.kind = GizmoKind::rotate};
  const auto grab = grabbed(gizmo, {Kind::ring, 0}, camera, {400, 300}, 1);
  ASSERT_TRUE(grab);
  ASSERT_TRUE(grab->tangent);
  const double step = change_at(*grab, camera, {400, 340}, {}, 0)->angle;
  EXPECT_GT(std::abs(step), 0.2);
  // The point of the ring that is nearest to the eye follows the pointer.
  const Similarity map = similarity_of(*change_at(*grab, camera, {400, 301}, {}, 0), gizmo);
  const double arm = kGizmoArmPx / 500 * 4;
  const glm::dvec2 moved =
      px_of(camera, map.rotation * glm::dvec3(0, 0, -arm)) - px_of(camera, {0, 0, -arm});
  EXPECT_NEAR(moved.y, 1, 0.05);
}

TEST(GizmoScales, AreRatiosOfDistancesAndUniform) {
  const Camera camera = camera_from({3, -2.5, -4});
  const Gizmo gizmo{.kind = GizmoKind::scale, .origin = {0.2, 0.1, -0.3}};
  const glm::dvec2 origin = px_of(camera, gizmo.origin);
  const auto grab = grabbed(gizmo, {Kind::size}, camera, origin + glm::dvec2(80, 0), 1);
  const auto change = change_at(*grab, camera, origin + glm::dvec2(0, -120), {}, 0);
  EXPECT_NEAR(change->factor, 1.5, 1e-9);
  const Similarity map = similarity_of(*change, gizmo);
  EXPECT_LT(glm::length(map.scale * gizmo.origin + map.translation - gizmo.origin), 1e-12);
  EXPECT_DOUBLE_EQ(
      change_at(*grab, camera, origin + glm::dvec2(0, -121), {.scale = 0.25}, 0)->factor, 1.5);
  const auto center = grabbed(gizmo, {Kind::size_center}, camera, origin, 1);
  EXPECT_NEAR(change_at(*center, camera, origin + glm::dvec2(100, 0), {}, 0)->factor, 2, 1e-9);
  EXPECT_NEAR(change_at(*center, camera, origin + glm::dvec2(0, 100), {}, 0)->factor, 0.5, 1e-9);
}

/// Cameras that see a gizmo at the origin from anywhere: also along its axes and planes, from
/// close by, with wide lenses, and as the long lens of an orthographic view.
std::vector<Camera> cameras() {
  std::vector<Camera> all;
  for (const glm::dvec3& eye : {glm::dvec3(3, -2.5, -4), glm::dvec3(0, 0, -4), glm::dvec3(4, 0, 0),
                                glm::dvec3(0, -4, 0), glm::dvec3(0, 1e-6, 4), glm::dvec3(3, 3, 0),
                                glm::dvec3(1e-4, 2e-4, 1e-4), glm::dvec3(3, 1e-9, -4)}) {
    all.push_back(camera_from(eye));
    all.push_back(camera_from(eye, 40));
    all.push_back(camera_from(eye, 500, 1024));
  }
  return all;
}

TEST(GizmoDrags, GiveFiniteValuesOrNoneForAnyPointer) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere(-3000, 3000);
  for (const Camera& camera : cameras()) {
    for (const auto& [kind, parts] : kParts) {
      const auto shape = shape_of({.kind = kind}, camera, 1);
      ASSERT_TRUE(shape);
      for (const GizmoHandle& handle : shape->handles) {
        for (const glm::dvec2& px : handle.line_px) ASSERT_TRUE(std::isfinite(px.x + px.y));
        const auto grab = grabbed({.kind = kind}, handle.part, camera, handle.line_px[0], 1);
        if (!grab) continue;
        for (int i = 0; i < 200; ++i) {
          const glm::dvec2 px =
              i == 0 ? shape->origin_px : glm::dvec2(anywhere(random), anywhere(random));
          const auto change = change_at(*grab, camera, px, {}, 0);
          if (change) {
            ASSERT_TRUE(finite(*change)) << static_cast<int>(handle.part.kind);
          }
        }
        const auto still = change_at(*grab, camera, handle.line_px[0], {}, 0);
        ASSERT_TRUE(still);
        EXPECT_LT(glm::length(still->moved) + std::abs(still->angle), 1e-6)
            << "a drag begins without a jump";
        EXPECT_NEAR(still->factor, 1, 1e-9);
      }
    }
  }
}

TEST(GizmoDrags, MoveAtMostToAFarPlaceNearTheHorizon) {
  // The plane y = 0 from slightly above: pixels near the horizon are far away.
  const Camera camera = camera_from({0.1, -1, -4});
  const auto grab = grabbed({}, {Kind::plane, 1}, camera, {400, 330}, 1);
  ASSERT_TRUE(grab);
  for (double y = 300; y > 0; y -= 0.5) {
    const auto change = change_at(*grab, camera, {400, y}, {}, 0);
    if (change) {
      EXPECT_LT(glm::length(change->moved), 60 * 4.2);
    }
  }
  EXPECT_FALSE(change_at(*grab, camera, {400, 0}, {}, 0)) << "above the horizon";
}

}  // namespace
}  // namespace mote
