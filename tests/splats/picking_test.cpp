// Splats picked by a gesture, a shape or a range, compared with a test of each splat in double
// precision.
#include "splats/picking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <glm/geometric.hpp>
#include <limits>

#include "backend/backend.h"
#include "devices/devices.h"
#include "scene/similarity.h"
#include "splats/moment.h"
#include "splats/selection_growth.h"
#include "support/random_cloud.h"
#include "support/random_field.h"
#include "support/reference/render_checks.h"

namespace mote {
namespace {

constexpr std::size_t kPickingCount = 20000;

glm::dvec3 mean_of(const SplatCloud& cloud, std::size_t i) {
  return {cloud.at(i, Field::mean_x), cloud.at(i, Field::mean_y), cloud.at(i, Field::mean_z)};
}

double opacity_of(const SplatCloud& cloud, std::size_t i) {
  return 1 / (1 + std::exp(-double{cloud.at(i, Field::logit_opacity)}));
}

/// Expects the mask to match `inside`, the signed distance of a splat to the border (positive
/// inside). Within the tolerance of 0 either result is right.
void expect_mask(const SplatMask& mask, double tolerance,
                 const std::function<double(std::size_t)>& inside) {
  std::size_t held = 0;
  for (std::size_t i = 0; i < mask.size(); ++i) {
    const double depth = inside(i);
    held += depth > 0;
    if (std::abs(depth) > tolerance) {
      ASSERT_EQ(mask.test(i), depth > 0) << i << " " << depth;
    }
  }
  EXPECT_GT(held, 0u);
  EXPECT_LT(held, mask.size());
}

struct SeenMean {
  glm::dvec2 px;
  double z;
};

SeenMean seen_from(const Camera& camera, const glm::dvec3& mean) {
  const glm::dvec3 p = camera.cam_from_world * mean + camera.translation;
  return {glm::dvec2(p) / p.z * camera.focal_px + camera.center_px, p.z};
}

/// Inside a unit cube of splats, so that half of them are behind the camera.
Camera camera_inside() {
  Camera camera = camera_at(2, 400, 300);
  look_at(camera, {0, 0, 0}, {0.3, 0.1, 1}, {0, -1, 0});
  return camera;
}

TEST(PickInImage, ARectanglePicksTheSplatsThatProjectIntoIt) {
  const SplatCloud cloud = random_cloud(kPickingCount, 0, 1);
  const Camera camera = camera_inside();
  const SplatMask mask =
      pick_in_image(cloud, {.camera = camera, .region = RectangleRegion{{50, 60}, {250, 200}}});
  expect_mask(mask, 0.01, [&](std::size_t i) {
    const SeenMean seen = seen_from(camera, mean_of(cloud, i));
    if (seen.z < 0.01) return -1.0;
    return std::min({seen.px.x - 50, 250 - seen.px.x, seen.px.y - 60, 200 - seen.px.y});
  });
}

TEST(PickInImage, ABrushPicksSplatsWithinItsRadiusOfTheStroke) {
  const SplatCloud cloud = random_cloud(kPickingCount, 0, 2);
  const Camera camera = camera_at(4, 400, 300);
  const std::vector<glm::dvec2> points{{100, 80}, {220, 150}, {220, 150}, {180, 240}};
  const SplatMask mask =
      pick_in_image(cloud, {.camera = camera, .region = BrushRegion{points, 20}});
  expect_mask(mask, 0.01, [&](std::size_t i) {
    const glm::dvec2 px = seen_from(camera, mean_of(cloud, i)).px;
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k + 1 < points.size(); ++k) {
      for (double t = 0; t <= 1; t += 0.001) {
        nearest = std::min(nearest, glm::length(px - glm::mix(points[k], points[k + 1], t)));
      }
    }
    return 20 - nearest;
  });
}

TEST(PickInImage, ADabOfTheBrushIsADisc) {
  const SplatCloud cloud = random_cloud(kPickingCount, 0, 3);
  const Camera camera = camera_at(4, 400, 300);
  const SplatMask mask =
      pick_in_image(cloud, {.camera = camera, .region = BrushRegion{{{200, 150}}, 50}});
  expect_mask(mask, 0.01, [&](std::size_t i) {
    return 50 - glm::length(seen_from(camera, mean_of(cloud, i)).px - glm::dvec2(200, 150));
  });
}

/// Twice the number of windings by which the polygon's edges turn around the point is odd for the
/// inside of the even-odd rule. Returns the distance to the border, negative outside.
double inside_polygon(const std::vector<glm::dvec2>& points, const glm::dvec2& px) {
  double nearest = std::numeric_limits<double>::infinity();
  double turned = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const glm::dvec2 a = points[i] - px, b = points[(i + 1) % points.size()] - px;
    turned += std::atan2(a.x * b.y - a.y * b.x, glm::dot(a, b));
    const double along = std::clamp(-glm::dot(a, b - a) / glm::dot(b - a, b - a), 0.0, 1.0);
    nearest = std::min(nearest, glm::length(glm::mix(a, b, along)));
  }
  const auto windings = std::lround(turned / (2 * 3.14159265358979));
  return windings % 2 != 0 ? nearest : -nearest;
}

TEST(PickInImage, APolygonPicksSplatsByTheEvenOddRule) {
  const SplatCloud cloud = random_cloud(kPickingCount, 0, 7);
  const Camera camera = camera_at(4, 400, 300);
  const std::vector<glm::dvec2> star{{200, 40}, {262, 230}, {100, 112}, {300, 112}, {138, 230}};
  const SplatMask mask = pick_in_image(cloud, {.camera = camera, .region = PolygonRegion{star}});
  expect_mask(mask, 0.01, [&](std::size_t i) {
    return inside_polygon(star, seen_from(camera, mean_of(cloud, i)).px);
  });
}

TEST(PickInImage, ALassoOfManyPointsPicksWhatItEncloses) {
  const SplatCloud cloud = random_cloud(kPickingCount, 0, 8);
  const Camera camera = camera_at(4, 400, 300);
  constexpr int kPoints = 600;
  std::vector<glm::dvec2> lasso;
  for (int i = 0; i < kPoints; ++i) {
    const double angle = i * 2 * 3.14159265358979 / kPoints;
    const double radius = 80 + 40 * std::sin(5 * angle);
    lasso.emplace_back(200 + radius * std::cos(angle), 150 + radius * std::sin(angle));
  }
  const SplatMask mask = pick_in_image(cloud, {.camera = camera, .region = PolygonRegion{lasso}});
  expect_mask(mask, 0.02, [&](std::size_t i) {
    return inside_polygon(lasso, seen_from(camera, mean_of(cloud, i)).px);
  });
}

TEST(PickInImage, APolygonWithoutAreaPicksNothing) {
  const SplatCloud cloud = random_cloud(kPickingCount, 0, 9);
  const Camera camera = camera_at(4, 400, 300);
  for (const std::vector<glm::dvec2>& points :
       {std::vector<glm::dvec2>{}, {{100, 100}, {300, 200}}, {{0, 150}, {400, 150}, {200, 150}}}) {
    EXPECT_FALSE(pick_in_image(cloud, {.camera = camera, .region = PolygonRegion{points}}).any());
  }
}

/// Two walls of opaque splats, one behind the other.
SplatCloud two_walls() {
  SplatCloud cloud(2 * 41 * 41, 0);
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const std::size_t wall = i / (41 * 41), column = i % 41, row = i / 41 % 41;
    for (int f = 0; f < kGaussianFields; ++f) cloud.at(i, static_cast<Field>(f)) = 0;
    cloud.at(i, Field::rotation_w) = 1;
    cloud.at(i, Field::mean_x) = (static_cast<float>(column) - 20) * 0.05f;
    cloud.at(i, Field::mean_y) = (static_cast<float>(row) - 20) * 0.05f;
    cloud.at(i, Field::mean_z) = static_cast<float>(wall);
    for (const Field f : {Field::log_scale_x, Field::log_scale_y}) {
      cloud.at(i, f) = std::log(0.04f);
    }
    cloud.at(i, Field::log_scale_z) = std::log(0.001f);
    cloud.at(i, Field::logit_opacity) = 4;
    for (int c = 0; c < 3; ++c) cloud.sh(i, 0, c) = 0;
  }
  return cloud;
}

TEST(PickInImage, NoVisibleSplatIsBehindTheSurface) {
  const SplatCloud cloud = two_walls();
  Camera camera = camera_at(4, 200, 160);
  look_at(camera, {0, 0, -4}, {0, 0, 0}, {0, -1, 0});
  const auto backend = make_backend("cpu", {});
  const Frame frame = render(*backend, cloud, camera, {.outputs = {.depth = true}});
  const RectangleRegion everything{{0, 0}, {200, 160}};
  const SplatMask both = pick_in_image(cloud, {.camera = camera, .region = everything});
  const SplatMask seen = pick_in_image(
      cloud, {.camera = camera, .region = everything, .depth_median = &frame.depth_median});
  std::size_t front = 0, behind = 0;
  for (const std::uint32_t i : both.indices()) (i < 41 * 41 ? front : behind) += 1;
  EXPECT_GT(front, 1000u);
  EXPECT_GT(behind, 1000u);
  for (const std::uint32_t i : seen.indices()) EXPECT_LT(i, 41u * 41u);
  EXPECT_EQ(seen.count(), front);
}

TEST(PickInImage, ADepthImageOfAnotherSizeGivesTheSameResult) {
  const SplatCloud cloud = two_walls();
  Camera camera = camera_at(4, 200, 160);
  look_at(camera, {0, 0, -4}, {0, 0, 0}, {0, -1, 0});
  Image depth;
  depth.resize_discard(50, 40, 1);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 50; ++x) depth.row(y)[x] = x < 25 ? 4.0f : 0.0f;
  }
  const SplatMask seen = pick_in_image(
      cloud,
      {.camera = camera, .region = RectangleRegion{{0, 0}, {200, 160}}, .depth_median = &depth});
  for (std::size_t i = 41 * 41; i < cloud.count(); ++i) {
    const double x = seen_from(camera, mean_of(cloud, i)).px.x;
    if (std::abs(x - 100) > 0.01) {
      EXPECT_EQ(seen.test(i), x > 100) << x;
    }
  }
}

TEST(PickInImage, FaintSplatsAreLeftOutOnRequest) {
  const SplatCloud cloud = random_cloud(kPickingCount, 0, 4);
  const SplatMask mask = pick_in_image(cloud, {.camera = camera_at(4, 400, 300),
                                               .region = RectangleRegion{{0, 0}, {400, 300}},
                                               .min_opacity = 0.5});
  for (const std::uint32_t i : mask.indices()) EXPECT_GE(opacity_of(cloud, i), 0.4999);
  EXPECT_GT(mask.count(), 100u);
}

/// A splat of the motion `life` or `poly` at a time, by the formulas of docs/moving.md.
struct AtTime {
  glm::dvec3 mean;
  double seen;  // at least 1: its opacity is at least the smallest alpha that is drawn
};

AtTime at_time_of(const SplatCloud& cloud, std::size_t i, double time_s) {
  const auto value = [&](Field field) { return double{cloud.at(i, field)}; };
  const auto vector = [&](Field x) {
    const int first = static_cast<int>(x);
    return glm::dvec3(value(x), value(static_cast<Field>(first + 1)),
                      value(static_cast<Field>(first + 2)));
  };
  const double d = time_s - value(Field::time_mean);
  AtTime at{mean_of(cloud, i) + d * vector(Field::velocity_x), 0};
  if (cloud.motion() == SplatMotion::poly) {
    at.mean += d * d * vector(Field::quadratic_x) + d * d * d * vector(Field::cubic_x);
  }
  const double outside = std::max(std::abs(d) - std::exp(value(Field::log_time_plateau)), 0.0);
  const double sigmas = outside / std::exp(value(Field::log_time_sigma));
  at.seen = 255 * opacity_of(cloud, i) * std::exp(-0.5 * sigmas * sigmas);
  return at;
}

/// The mask of pick_in_image() for the splats that stand still as those of the cloud at the time.
SplatMask picked_of_moment(const SplatCloud& cloud, const Camera& camera, const ImageRegion& region,
                           double time_s) {
  std::vector<std::uint32_t> source;
  const SplatCloud moment = moment_of(cloud, time_s, &source);
  SplatMask mask(cloud.count());
  for (const std::uint32_t i :
       pick_in_image(moment, {.camera = camera, .region = region}).indices()) {
    mask.set(source[i], true);
  }
  return mask;
}

TEST(PickInImage, SplatsThatMoveArePickedWhereTheyAreAtTheTime) {
  const Camera camera = camera_at(4, 400, 300);
  const RectangleRegion region{{150, 100}, {260, 220}};
  for (const SplatMotion motion : {SplatMotion::life, SplatMotion::poly}) {
    const SplatCloud cloud = random_moving_cloud(5000, 0, 3, motion);
    for (const double time_s : {0.4, 1.3}) {
      const SplatMask mask =
          pick_in_image(cloud, {.camera = camera, .region = region, .time_s = time_s});
      expect_mask(mask, 0.02, [&](std::size_t i) {
        const AtTime at = at_time_of(cloud, i, time_s);
        if (std::abs(at.seen - 1) < 1e-3) return 0.0;  // either is right
        if (at.seen < 1) return -1.0;
        const glm::dvec2 px = seen_from(camera, at.mean).px;
        return std::min({px.x - 150, 260 - px.x, px.y - 100, 220 - px.y});
      });
      EXPECT_EQ(mask, picked_of_moment(cloud, camera, region, time_s));
    }
  }
}

TEST(PickInImage, SplatsThatAFieldMovesArePickedWhereTheyAreAtTheTime) {
  const Camera camera = camera_at(4, 400, 300);
  const RectangleRegion region{{150, 100}, {260, 220}};
  const SplatCloud cloud = random_deformed_cloud(2000, 0, 5);
  SplatMask masks[2];
  for (const int second : {0, 1}) {
    SplatMask& mask = masks[second] = pick_in_image(
        cloud, {.camera = camera, .region = region, .time_s = static_cast<double>(second)});
    const SplatCloud moment = moment_of(cloud, second);
    expect_mask(mask, 0.02, [&](std::size_t i) {
      const glm::dvec2 px = seen_from(camera, mean_of(moment, i)).px;
      return std::min({px.x - 150, 260 - px.x, px.y - 100, 220 - px.y});
    });
    EXPECT_EQ(mask, picked_of_moment(cloud, camera, region, second));
  }
  EXPECT_FALSE(masks[0] == masks[1]);
}

TEST(PickInWorld, SplatsThatMoveArePickedWhereTheyAreAtTheTime) {
  const SplatCloud cloud = random_moving_cloud(2000, 0, 3, SplatMotion::poly);
  const StillPick pick = [](const auto& slice, auto) { return pick_in_sphere(slice, {}, 0.6); };
  expect_mask(pick_in_slice(cloud, {.time_s = 1.3}, pick), 1e-4, [&](std::size_t i) {
    const AtTime at = at_time_of(cloud, i, 1.3);
    return std::abs(at.seen - 1) < 1e-3 ? 0.0 : at.seen < 1 ? -1.0 : 0.6 - glm::length(at.mean);
  });
}

TEST(PickInWorld, ASpherePicksSplatsWithinItsRadius) {
  const SplatCloud cloud = random_cloud(kPickingCount, 0, 5);
  const glm::dvec3 center(0.2, -0.3, 0.1);
  expect_mask(pick_in_sphere(cloud, center, 0.6), 1e-6,
              [&](std::size_t i) { return 0.6 - glm::length(mean_of(cloud, i) - center); });
}

TEST(PickInWorld, ABoxMayBeRotated) {
  const SplatCloud cloud = random_cloud(kPickingCount, 0, 6);
  const OrientedBox box{{0.1, 0.2, -0.1}, {0.3, 0.6, 0.4}, rotation_about_axes({0.3, -0.5, 0.9})};
  expect_mask(pick_in_box(cloud, box), 1e-6, [&](std::size_t i) {
    const glm::dvec3 offset = mean_of(cloud, i) - box.center;
    double inside = 1;
    for (int axis = 0; axis < 3; ++axis) {
      inside =
          std::min(inside, box.half_size[axis] - std::abs(glm::dot(offset, box.rotation[axis])));
    }
    return inside;
  });
}

TEST(PickInRange, OpacityAndSizeBothLimitIt) {
  const SplatCloud cloud = random_cloud(kPickingCount, 0, 7);
  const RangePick range{.min_opacity = 0.2, .max_opacity = 0.7, .min_size = 0.02, .max_size = 0.15};
  expect_mask(pick_in_range(cloud, range), 1e-6, [&](std::size_t i) {
    const double opacity = opacity_of(cloud, i);
    const double size =
        std::exp(std::max({cloud.at(i, Field::log_scale_x), cloud.at(i, Field::log_scale_y),
                           cloud.at(i, Field::log_scale_z)}));
    return std::min({opacity - 0.2, 0.7 - opacity, size - 0.02, 0.15 - size});
  });
}

TEST(PickInRange, TheWholeRangeIncludesSplatsOfInfiniteOpacity) {
  SplatCloud cloud = random_cloud(100, 0, 8);
  cloud.at(3, Field::logit_opacity) = std::numeric_limits<float>::infinity();
  cloud.at(4, Field::logit_opacity) = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(pick_in_range(cloud, {}).count(), 100u);
}

TEST(Picking, NonFiniteMeansAreInNoShape) {
  SplatCloud cloud = random_cloud(64, 0, 9);
  cloud.at(5, Field::mean_x) = std::numeric_limits<float>::quiet_NaN();
  cloud.at(6, Field::mean_z) = std::numeric_limits<float>::infinity();
  const Camera camera = camera_at(9, 400, 300);
  for (const SplatMask& mask :
       {pick_in_sphere(cloud, {0, 0, 0}, 100), pick_in_box(cloud, {{0, 0, 0}, {100, 100, 100}}),
        pick_in_image(cloud,
                      {.camera = camera, .region = RectangleRegion{{-1e6, -1e6}, {1e6, 1e6}}}),
        grown(cloud, pick_in_sphere(cloud, {0, 0, 0}, 100), SplatMask(64, true), 1e9)}) {
    EXPECT_EQ(mask.count(), 62u);
    EXPECT_FALSE(mask.test(5));
  }
}

TEST(Picking, AnEmptyCloudGivesAnEmptyMask) {
  const SplatCloud cloud;
  EXPECT_EQ(pick_in_sphere(cloud, {0, 0, 0}, 1).size(), 0u);
  EXPECT_EQ(grown(cloud, SplatMask(), SplatMask(), 1).size(), 0u);
}

class Growth : public ::testing::Test {
 protected:
  double distance_to(const SplatMask& mask, std::size_t i) const {
    double nearest = std::numeric_limits<double>::infinity();
    for (const std::uint32_t k : mask.indices()) {
      nearest = std::min(nearest, glm::length(mean_of(cloud_, i) - mean_of(cloud_, k)));
    }
    return nearest;
  }

  SplatCloud cloud_ = random_cloud(1500, 0, 10);
  SplatMask all_{1500, true};
  SplatMask ball_ = pick_in_sphere(cloud_, {0, 0, 0}, 0.5);
};

TEST_F(Growth, AddsSplatsWithinTheDistanceOfTheSelection) {
  const SplatMask mask = grown(cloud_, ball_, all_, 0.1);
  expect_mask(mask, 1e-6, [&](std::size_t i) { return 0.1 - distance_to(ball_, i); });
  SplatMask among = ball_;
  EXPECT_EQ(grown(cloud_, ball_, among, 0.1), ball_);
}

TEST_F(Growth, ShrinkingRemovesSplatsWithinTheDistanceOfTheRest) {
  SplatMask rest = ball_;
  rest.invert();
  const SplatMask mask = shrunk(cloud_, ball_, all_, 0.1);
  expect_mask(mask, 1e-6,
              [&](std::size_t i) { return ball_.test(i) ? distance_to(rest, i) - 0.1 : -1.0; });
}

}  // namespace
}  // namespace mote
