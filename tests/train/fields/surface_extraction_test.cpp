// Surfaces of fields whose values are known.
#include "train/fields/surface_extraction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <numbers>
#include <stdexcept>

#include "core/error.h"
#include "fields/field_camera.h"
#include "support/mesh_volume.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

const glm::vec3 kCenter{0.5f, 0.4f, 0.6f};
constexpr float kRadius = 0.25f;

/// A ball in the field's frame: its distance, or 100 as its density.
class Ball : public DeviceField {
 public:
  explicit Ball(const NeuralField& facts) : facts_(facts) {}

  FrameStats render(const Camera&, const RenderSettings&, Frame&) override {
    throw std::logic_error("is not drawn");
  }
  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    evaluated += count;
    most_at_once = std::max(most_at_once, count);
    const FieldBox cube = field_cube(facts_.aabb_scale);
    for (std::size_t i = 0; i < count; ++i) {
      const glm::vec3 place{positions[i], positions[stride + i], positions[2 * stride + i]};
      const float distance =
          glm::distance(cube.min + place * (cube.max - cube.min), kCenter) - kRadius;
      values[i] = facts_.application == FieldApplication::sdf
                      ? distance
                      : std::log(100.0f) - 50 * std::max(distance, -0.1f);
    }
  }

  std::size_t evaluated = 0, most_at_once = 0;

 private:
  const NeuralField& facts_;
};

NeuralField facts_of(FieldApplication application) {
  NeuralField facts;
  facts.application = application;
  facts.placement = {.scale = 0.5, .offset = {0.1, 0.2, 0.3}};
  return facts;
}

TEST(SurfaceExtraction, PlacesTheSurfaceOfADistanceInTheWorld) {
  const NeuralField facts = facts_of(FieldApplication::sdf);
  Ball ball(facts);
  const TriangleMesh mesh =
      extract_surface({.field = ball, .facts = facts, .box = {}, .resolution = 64});
  const glm::dvec3 center = world_from_field(facts.placement, glm::dvec3(kCenter));
  for (const glm::vec3& p : mesh.positions) {
    EXPECT_NEAR(glm::distance(glm::dvec3(p), center), kRadius / 0.5, 1e-3);
  }
  EXPECT_NEAR(volume(mesh), 4 * std::numbers::pi / 3 / 8, 0.005) << "with the outside outside";
  EXPECT_EQ(ball.most_at_once, 65u * 65u) << "memory is that of a plane";
}

TEST(SurfaceExtraction, CutsTheSurfaceAtTheBox) {
  const NeuralField facts = facts_of(FieldApplication::sdf);
  Ball ball(facts);
  const FieldBox half{{0, 0, 0}, {kCenter.x, 1, 1}};
  const TriangleMesh mesh =
      extract_surface({.field = ball, .facts = facts, .box = half, .resolution = 64});
  EXPECT_NEAR(volume(mesh), 2 * std::numbers::pi / 3 / 8, 0.02) << "closed by a disc";
}

TEST(SurfaceExtraction, CutsTheSurfaceAtTurnedBoxes) {
  NeuralField facts = facts_of(FieldApplication::sdf);
  // A side of the box goes through the centre of the ball.
  OrientedBox box{.half_size = glm::dvec3(2), .rotation = rotation_about_axes({0.3, 0.5, -0.2})};
  box.center = glm::dvec3(kCenter) + 2.0 * box.rotation[0];
  facts.crops = {box};
  Ball ball(facts);
  const TriangleMesh mesh =
      extract_surface({.field = ball, .facts = facts, .box = {}, .resolution = 64});
  EXPECT_NEAR(volume(mesh), 2 * std::numbers::pi / 3 / 8, 0.02) << "closed by a disc";
}

TEST(SurfaceExtraction, FindsTheDensityOfANerf) {
  NeuralField facts = facts_of(FieldApplication::nerf);
  facts.aabb_scale = 2;
  Ball ball(facts);
  const TriangleMesh mesh = extract_surface(
      {.field = ball, .facts = facts, .box = field_cube(2), .resolution = 64, .density = 100});
  const glm::dvec3 center = world_from_field(facts.placement, glm::dvec3(kCenter));
  for (const glm::vec3& p : mesh.positions) {
    EXPECT_NEAR(glm::distance(glm::dvec3(p), center), kRadius / 0.5, 2e-3);
  }
  EXPECT_NEAR(volume(mesh), 4 * std::numbers::pi / 3 / 8, 0.02) << "with the outside outside";
}

TEST(SurfaceExtraction, LeavesOutContractedSpace) {
  NeuralField facts = facts_of(FieldApplication::nerf);
  facts.proposals.emplace();
  Ball ball(facts);
  const TriangleMesh mesh =
      extract_surface({.field = ball, .facts = facts, .box = {}, .resolution = 64, .density = 100});
  // The inner cube reaches from 0.25 to 0.75, and cuts the ball off at two sides.
  glm::dvec3 low(1), high(0);
  for (const glm::vec3& p : mesh.positions) {
    const glm::dvec3 own = field_from_world(facts.placement, glm::dvec3(p));
    low = glm::min(low, own);
    high = glm::max(high, own);
  }
  const double top = double{kCenter.y} + double{kRadius},
               bottom = double{kCenter.z} - double{kRadius};
  EXPECT_NEAR(low.y, 0.25, 1e-3);
  EXPECT_NEAR(high.y, top, 5e-3);
  EXPECT_NEAR(low.z, bottom, 5e-3);
  EXPECT_NEAR(high.z, 0.75, 1e-3);
  // A cap of height h of a ball of radius r has the volume pi h^2 (r - h / 3). They nearly touch.
  const double radius = double{kRadius} / 0.5, cap = 0.2;
  const double caps = 2 * std::numbers::pi * cap * cap * (radius - cap / 3);
  EXPECT_NEAR(volume(mesh), 4 * std::numbers::pi / 3 / 8 - caps, 0.005);
}

TEST(SurfaceExtraction, EvaluatesOccupiedCellsOnly) {
  NeuralField facts = facts_of(FieldApplication::nerf);
  facts.occupancy.values.assign(kOccupancyCells, 0.0f);
  for (std::uint32_t cell = 0; cell < kOccupancyCells; ++cell) {
    if (cell_of(cell).x < kOccupancySide / 2) facts.occupancy.values[cell] = 1;
  }
  Ball ball(facts);
  const TriangleMesh mesh =
      extract_surface({.field = ball, .facts = facts, .box = {}, .resolution = 64, .density = 100});
  EXPECT_EQ(ball.evaluated, 32u * 64u * 64u) << "the last points are in no cell";
  EXPECT_NEAR(volume(mesh), 2 * std::numbers::pi / 3 / 8, 0.02);
}

TEST(SurfaceExtraction, RefusesFieldsAndBoxesWithoutASurface) {
  NeuralField facts = facts_of(FieldApplication::sdf);
  Ball ball(facts);
  const auto fault = [&](const FieldBox& box) {
    return thrown_by([&] {
      extract_surface(
          {.field = ball, .facts = facts, .box = box, .resolution = 8, .name = "a.ingp"});
    });
  };
  const Error empty = fault({{0, 0, 0}, {0.1f, 0.1f, 0.1f}});
  EXPECT_EQ(empty.where(), "a.ingp");
  EXPECT_NE(empty.remedy(), "");
  EXPECT_NE(fault({{0, 0, 0}, {1, 0, 1}}).remedy(), "") << "flat";
  facts.application = FieldApplication::image;
  const Error image = fault({});
  EXPECT_EQ(image.where(), "a.ingp");
  EXPECT_NE(image.problem().find("--model image"), std::string::npos) << image.what();
}

TEST(SurfaceExtraction, StopsWhereItsProgressThrows) {
  const NeuralField facts = facts_of(FieldApplication::sdf);
  Ball ball(facts);
  struct Stop {};
  EXPECT_THROW(extract_surface({.field = ball,
                                .facts = facts,
                                .box = {},
                                .resolution = 8,
                                .progress = [](double) { throw Stop(); }}),
               Stop);
}

}  // namespace
}  // namespace mote
