// Procedural scenes: rays hit the right surfaces, and pictures agree with the geometry, also
// through lenses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/common.hpp>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <limits>
#include <memory>
#include <numbers>
#include <set>

#include "cameras/camera_ray.h"
#include "cameras/lens_rays.h"
#include "cameras/shutter_motion.h"
#include "core/options.h"
#include "core/random.h"
#include "synth/boxes.h"
#include "synth/dataset_views.h"
#include "synth/path_tracer.h"
#include "synth/shapes.h"
#include "synth/studio.h"

namespace mote::synth {
namespace {

vec3 random_vector(Random& random) {
  return vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
}

Mesh random_mesh(int triangles, std::uint64_t seed) {
  Random random(seed);
  Mesh mesh;
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(triangles); ++i) {
    const vec3 center = random_vector(random);
    for (int k = 0; k < 3; ++k) mesh.positions.push_back(center + 0.2f * random_vector(random));
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    mesh.materials.push_back(0);
  }
  return mesh;
}

/// Distance to one triangle in double, by Cramer's rule; infinity for a miss.
double distance_to(const Mesh& mesh, std::size_t triangle, const Ray& ray) {
  const auto& corners = mesh.triangles[triangle];
  const glm::dvec3 a(mesh.positions[corners[0]]);
  const glm::dmat3 system(glm::dvec3(mesh.positions[corners[1]]) - a,
                          glm::dvec3(mesh.positions[corners[2]]) - a, -glm::dvec3(ray.direction));
  const glm::dvec3 uvt = glm::inverse(system) * (glm::dvec3(ray.origin) - a);
  const bool inside = uvt.x >= 0 && uvt.y >= 0 && uvt.x + uvt.y <= 1 && uvt.z > 0;
  return inside ? uvt.z : std::numeric_limits<double>::infinity();
}

TEST(Bvh, MatchesATestOfEveryTriangle) {
  for (const int triangles : {1, 3, 4, 5, 17, 400}) {
    const Mesh mesh = random_mesh(triangles, 7);
    const Bvh bvh(mesh);
    Random random(11);
    int met = 0;
    for (int i = 0; i < 500; ++i) {
      Ray ray{1.5f * random_vector(random), random_vector(random)};
      if (i % 2 == 0) {  // towards a triangle
        const std::uint32_t target = random.below(static_cast<std::uint32_t>(triangles));
        const auto& corners = mesh.triangles[target];
        ray.direction =
            (mesh.positions[corners[0]] + mesh.positions[corners[1]] + mesh.positions[corners[2]]) /
                3.0f -
            ray.origin;
      }
      if (i % 10 == 1) ray.direction = {0, 0, i % 20 == 1 ? 1 : -1};
      double nearest = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
        nearest = std::min(nearest, distance_to(mesh, k, ray));
      }
      Hit hit{};
      const bool found = bvh.first_hit(ray, std::numeric_limits<float>::infinity(), hit);
      ASSERT_EQ(found, std::isfinite(nearest)) << triangles << ", ray " << i;
      if (!found) continue;
      ++met;
      EXPECT_NEAR(hit.distance, nearest, 1e-4 * nearest + 1e-5);
      EXPECT_TRUE(bvh.is_blocked(ray, static_cast<float>(nearest) * 1.01f));
      EXPECT_FALSE(bvh.is_blocked(ray, static_cast<float>(nearest) * 0.99f));
    }
    EXPECT_GT(met, 0) << triangles;
  }
}

TEST(Shapes, NormalsHaveLengthOneAndPointOutwards) {
  Mesh mesh;
  const Tessellation cut{24, 16, 0, {}};
  add_blob(mesh, cut, {.center = {1, 2, 3}, .radius = 0.5f, .stretch = 1.4f, .axis = {0, 1, 0}});
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i) {
    EXPECT_NEAR(glm::length(mesh.normals[i]), 1, 1e-5);
    EXPECT_GT(glm::dot(mesh.normals[i], mesh.positions[i] - vec3(1, 2, 3)), 0.2f);
  }
  Mesh tube;
  add_tube(tube, cut,
           {.path = [](float t) { return vec3(t, 0.1f * t * t, 0); },
            .radius = [](float) { return 0.1f; }});
  for (std::size_t i = 0; i < tube.vertex_count(); ++i) {
    const float t = tube.texture[i].y;
    EXPECT_GT(glm::dot(tube.normals[i], tube.positions[i] - vec3(t, 0.1f * t * t, 0)), 0.05f);
  }
  Mesh turned;
  add_turned(turned, cut, vec3(0), {{0.5f, 0}, {0.5f, 0.5f}, {0.5f, 1}});
  for (std::size_t i = 0; i < turned.vertex_count(); ++i) {
    EXPECT_GT(glm::dot(turned.normals[i], vec3(turned.positions[i].x, turned.positions[i].y, 0)),
              0.4f);
  }
}

TEST(Shapes, ClosedSurfacesMeetWithoutASeam) {
  Mesh mesh;
  add_turned(mesh, {12, 4, 0, {}}, vec3(0), {{0.5f, 0}, {0.7f, 0.5f}, {0.5f, 1}});
  for (std::size_t row = 0; row <= 4; ++row) {
    const std::size_t first = row * 13, last = first + 12;
    EXPECT_EQ(mesh.positions[first], mesh.positions[last]);
    EXPECT_EQ(mesh.normals[first], mesh.normals[last]);
    EXPECT_EQ(mesh.twins[last], first);
  }
}

TEST(SamplePoints, FirstSixteenFillAGridOfSixteenCells) {
  for (std::uint32_t number = 0; number < 50; ++number) {
    const SamplePoints points(3, number);
    for (const std::uint32_t pair : {0u, 1u, 5u}) {
      std::set<int> cells;
      for (std::uint32_t i = 0; i < 16; ++i) {
        const vec2 p = points.at(i, pair);
        ASSERT_TRUE(p.x >= 0 && p.x < 1 && p.y >= 0 && p.y < 1);
        cells.insert(static_cast<int>(p.x * 4) + 4 * static_cast<int>(p.y * 4));
      }
      EXPECT_EQ(cells.size(), 16u);
    }
  }
}

/// A ball of radius 0.5 at (0, 0, 0.5) on the studio's floor, with fast light gathering.
struct Ball {
  Scene scene;
  std::unique_ptr<Bvh> bvh;
  LightCache light;
  Camera camera;

  Ball() {
    add_studio(scene, {});
    const auto white = scene.add_material([](vec3) { return Surface{.albedo = vec3(0.7f)}; });
    add_blob(scene.mesh, {128, 96, white, {}}, {.center = {0, 0, 0.5f}, .radius = 0.5f});
    bvh = std::make_unique<Bvh>(scene.mesh);
    ThreadPool threads(1);
    light = gather_light(scene, *bvh, {.key_rays = 1, .soft_rays = {1}}, 1, threads);
    camera.width = 48;
    camera.height = 36;
    camera.focal_px = {50, 50};
    camera.center_px = {24, 18};
    look_at(camera, {0.5, -3, 1.2}, {0, 0, 0.5}, {0, 0, 1});
  }

  template <class Check>
  void each_pixel(bool transparent, const Check& check) const {
    const PathTracer tracer(scene, *bvh, light);
    PixelSettings settings;
    settings.samples = 2;
    settings.transparent = transparent;
    for (int y = 0; y < camera.height; ++y) {
      for (int x = 0; x < camera.width; ++x) {
        check(x, y, tracer.pixel(camera, x, y, settings));
      }
    }
  }
};

TEST(PathTracer, DepthAndNormalsMatchTheGeometry) {
  const Ball ball;
  int seen = 0;
  ball.each_pixel(false, [&](int x, int y, const Pixel& pixel) {
    EXPECT_NEAR(glm::length(pixel.normal), 1, 1e-5);
    EXPECT_GT(pixel.depth, 0);
    const glm::dvec3 in_camera((x + 0.5 - 24) / 50, (y + 0.5 - 18) / 50, 1);
    const glm::dvec3 direction = glm::transpose(ball.camera.cam_from_world) * in_camera;
    const glm::dvec3 origin = ball.camera.position_world(), center(0, 0, 0.5);
    const double a = glm::dot(direction, direction), b = glm::dot(direction, origin - center);
    const double c = glm::dot(origin - center, origin - center) - 0.25;
    const double root = b * b - a * c;
    if (std::abs(root) < 0.05) return;  // at the rim
    EXPECT_EQ(pixel.object, root > 0) << x << ", " << y;
    if (!pixel.object) return;
    ++seen;
    const double depth = (-b - std::sqrt(root)) / a;
    EXPECT_NEAR(pixel.depth, depth, 2e-3);
    const glm::dvec3 normal = glm::normalize(origin + depth * direction - center);
    EXPECT_LT(glm::length(glm::dvec3(pixel.normal) - normal), 0.02);
  });
  EXPECT_GT(seen, 100);
}

TEST(PathTracer, PixelsShowThePointsThatTheLensProjectsThere) {
  Ball ball;
  const Lens lens{LensKind::brown, {-0.25, 0.06, 0.002, -0.003}};
  ball.camera.lens = std::make_shared<const LensRays>(ball.camera, lens, "test");
  double bent = 0;
  ball.each_pixel(false, [&](int x, int y, const Pixel& pixel) {
    const glm::dvec3 p =
        ball.camera.cam_from_world * glm::dvec3(pixel.position) + ball.camera.translation;
    EXPECT_NEAR(p.z, pixel.depth, 1e-5 * p.z);
    const glm::dvec2 plane(p.x / p.z, p.y / p.z);
    const glm::dvec2 at = distort(lens, plane) * 50.0 + glm::dvec2(24, 18);
    EXPECT_NEAR(at.x, x + 0.5, 1e-3);
    EXPECT_NEAR(at.y, y + 0.5, 1e-3);
    bent = std::max(bent, glm::length(plane * 50.0 + glm::dvec2(24, 18) - at));
  });
  EXPECT_GT(bent, 0.5);  // px: straight lines of a pinhole would differ
}

TEST(PathTracer, FisheyesAndPanoramasOfMovingCamerasHaveTheDistancesOfTheirPoints) {
  for (const Lens& lens : {Lens{LensKind::fisheye, {0.02}}, Lens{LensKind::equirectangular, {}}}) {
    Ball ball;
    Camera& camera = ball.camera;
    camera.focal_px =
        is_panorama(lens) ? glm::dvec2(48 / 2.0, 36) / std::numbers::pi : glm::dvec2(14);
    camera.lens = std::make_shared<const LensRays>(camera, lens, "test");
    camera.motion = std::make_shared<const ShutterMotion>(
        ShutterMotion{{0.02, -0.05, 0}, {0.2, 0.1, 0}, 0, 1, 0});
    ball.each_pixel(false, [&](int x, int y, const Pixel& pixel) {
      if (pixel.depth == 0 || x < 6 || x > 41 || y < 6 || y > 29) return;
      const auto px = pixel_of(camera, glm::dvec3(pixel.position));
      ASSERT_TRUE(px) << x << ' ' << y;
      EXPECT_LT(glm::distance(*px, glm::dvec2(x + 0.5, y + 0.5)), 1e-3) << x << ' ' << y;
      const glm::dvec3 cam =
          camera.cam_from_world * glm::dvec3(pixel.position) + camera.translation;
      EXPECT_NEAR(glm::distance(cam, ray_through(camera, *px)->origin_cam), pixel.depth, 1e-4);
    });
  }
}

TEST(PathTracer, WithoutBackdropOnlyTheObjectIsVisible) {
  const Ball ball;
  int full = 0, none = 0;
  ball.each_pixel(true, [&](int, int, const Pixel& pixel) {
    EXPECT_EQ(pixel.object, pixel.depth > 0);
    EXPECT_EQ(pixel.object, glm::length(pixel.normal) > 0.5f);
    EXPECT_TRUE(pixel.alpha >= 0 && pixel.alpha <= 1);
    full += pixel.alpha == 1;
    none += pixel.alpha == 0;
    for (int c = 0; c < 3; ++c) EXPECT_TRUE(pixel.color[c] >= 0 && pixel.color[c] <= 1);
  });
  EXPECT_GT(full, 100);
  EXPECT_GT(none, 100);
}

TEST(Scenes, AreValidAtEveryTime) {
  for (const SceneEntry* entry : scenes()) {
    EXPECT_EQ(&scene_named(entry->name), entry);
    for (const double time : {0.0, 0.37, 1.0}) {
      SCOPED_TRACE(std::string(entry->name) + " at " + std::to_string(time));
      const Scene scene = entry->make(time);
      const Mesh& mesh = scene.mesh;
      ASSERT_EQ(mesh.normals.size(), mesh.vertex_count());
      ASSERT_EQ(mesh.texture.size(), mesh.vertex_count());
      ASSERT_EQ(mesh.twins.size(), mesh.vertex_count());
      ASSERT_EQ(mesh.materials.size(), mesh.triangles.size());
      for (std::size_t i = 0; i < mesh.vertex_count(); ++i) {
        ASSERT_NEAR(glm::length(mesh.normals[i]), 1, 1e-4) << i;
        ASSERT_LT(glm::length(mesh.positions[i]), 20) << i;
        ASSERT_LE(mesh.twins[i], i);
      }
      for (const std::uint16_t material : mesh.materials) {
        ASSERT_LT(material, scene.materials.size());
      }
    }
  }
  EXPECT_THROW(scene_named("none"), UsageError);
}

TEST(Scenes, OnlyMovingPartsDependOnTheTime) {
  for (const SceneEntry* entry : scenes()) {
    const Scene start = entry->make(0), later = entry->make(0.5), again = entry->make(0.5);
    EXPECT_EQ(later.mesh.positions, again.mesh.positions);
    ASSERT_EQ(start.mesh.triangles, later.mesh.triangles) << entry->name;
    std::vector<bool> moves(start.mesh.vertex_count());
    for (std::size_t i = 0; i < moves.size(); ++i) {
      moves[i] = start.mesh.positions[i] != later.mesh.positions[i];
    }
    std::size_t moving = 0, still_objects = 0;
    for (std::uint32_t i = 0; i < start.mesh.triangles.size(); ++i) {
      const auto& corners = start.mesh.triangles[i];
      const bool is_moving = std::ranges::any_of(corners, [&](auto k) { return moves[k]; });
      moving += is_moving ? 1 : 0;
      if (!start.is_object(i)) {
        EXPECT_FALSE(is_moving) << entry->name;
      } else if (!is_moving) {
        ++still_objects;
      }
    }
    EXPECT_EQ(moving > 0, entry->moves) << entry->name;
    EXPECT_GT(still_objects, 1000u) << entry->name;
  }
}

TEST(Scenes, ARoomIsClosedButForItsWindows) {
  const Scene scene = scene_named("study").make(0);
  const Bvh bvh(scene.mesh);
  Random random(5);
  int outdoors = 0;
  for (int i = 0; i < 4000; ++i) {
    const Ray ray{scene.target + 0.3f * random_vector(random), random_vector(random)};
    Hit hit{};
    ASSERT_TRUE(bvh.first_hit(ray, kInfinity, hit)) << i;
    const SurfacePoint point = surface_point(scene.mesh, hit);
    const bool is_inside = std::abs(point.position.x) < 2.61f && point.position.y > -2.11f &&
                           point.position.y < 2.35f && point.position.z < 2.61f;
    EXPECT_EQ(scene.is_object(hit.triangle), is_inside) << i;
    if (!is_inside) {
      ++outdoors;
      EXPECT_GT(ray.direction.y, 0) << i;
    }
  }
  EXPECT_GT(outdoors, 40);
  EXPECT_LT(outdoors, 1000);
}

TEST(PathTracer, EmissionIsVisibleAndLightsItsSurroundings) {
  Scene scene;
  const auto lamp = scene.add_material(
      [](vec3) { return Surface{.albedo = vec3(0), .emission = vec3(2, 1, 0.5f)}; });
  const auto floor = scene.add_material([](vec3) { return Surface{.albedo = vec3(0.5f)}; });
  scene.dome = [](vec3, float) { return vec3(0); };
  add_blob(scene.mesh, {48, 32, lamp, {}}, {.center = {0, 0, 1}, .radius = 0.5f});
  add_panel(scene.mesh, {floor, 0.1f}, {-2, -2, 0}, {4, 0, 0}, {0, 4, 0});
  scene.key.radiance = vec3(0);
  const Bvh bvh(scene.mesh);
  ThreadPool threads(1);
  const LightCache light =
      gather_light(scene, bvh, {.key_rays = 1, .soft_rays = {1024}}, 1, threads);
  std::size_t below = 0;
  for (std::size_t i = 0; i < scene.mesh.vertex_count(); ++i) {
    const vec3 p = scene.mesh.positions[i];
    if (p.z == 0 && glm::length(p) < glm::length(scene.mesh.positions[below])) below = i;
  }
  // A ball of radius r and radiance L at the distance d straight above gives the irradiance
  // pi L (r / d)^2.
  ASSERT_LT(glm::length(scene.mesh.positions[below]), 0.05f);
  EXPECT_NEAR(light.soft[below].x, kPi * 2 * 0.25f, 0.08f);
  EXPECT_NEAR(light.soft[below].y / light.soft[below].x, 0.5f, 1e-3f);
  Camera camera;
  camera.width = camera.height = 9;
  camera.focal_px = {20, 20};
  camera.center_px = {4.5, 4.5};
  look_at(camera, {0, -3, 1}, {0, 0, 1}, {0, 0, 1});
  const Pixel pixel = PathTracer(scene, bvh, light).pixel(camera, 4, 4, {.samples = 2});
  EXPECT_NEAR(pixel.radiance.x, 2, 1e-5);
  EXPECT_NEAR(pixel.radiance.z, 0.5f, 1e-5);
}

}  // namespace
}  // namespace mote::synth
