// Fields that are cropped to boxes of the world.
#include "fields/drawn_part.h"

#include <gtest/gtest.h>

#include "fields/field_camera.h"
#include "support/tiny_field.h"

namespace mote {
namespace {

NeuralField whole_field() {
  NeuralField field = tiny_field(FieldApplication::sdf, 1);
  field.render_box = field_cube(1);
  return field;
}

/// A box of the world around a part of the field's cube.
OrientedBox box_around(const NeuralField& field, const glm::dvec3& low, const glm::dvec3& high) {
  const glm::dvec3 a = world_from_field(field.placement, low),
                   b = world_from_field(field.placement, high);
  return {.center = 0.5 * (a + b), .half_size = 0.5 * (b - a)};
}

void expect_near(const glm::vec3& found, const glm::vec3& expected) {
  for (int axis = 0; axis < 3; ++axis) EXPECT_NEAR(found[axis], expected[axis], 1e-6) << axis;
}

TEST(CropField, ABoxAlongTheAxesBecomesTheRenderBox) {
  NeuralField field = whole_field();
  ASSERT_TRUE(crop_field(field, box_around(field, {0.25, -3, 0.5}, {0.5, 0.75, 9})));
  expect_near(field.render_box.min, {0.25f, 0, 0.5f});
  expect_near(field.render_box.max, {0.5f, 0.75f, 1});
  ASSERT_TRUE(crop_field(field, box_around(field, {0, 0.5, 0}, {0.375, 1, 1})));
  expect_near(field.render_box.min, {0.25f, 0.5f, 0.5f});
  expect_near(field.render_box.max, {0.375f, 0.75f, 1});
  EXPECT_TRUE(field.crops.empty());
}

TEST(CropField, ABoxThatIsTurnedByAQuarterIsAlongTheAxes) {
  NeuralField field = whole_field();
  OrientedBox box = box_around(field, {0.25, 0.125, 0.375}, {0.5, 0.75, 0.5});
  const double quarter = 0.5 * 3.14159265358979323846;
  box.rotation = rotation_about_axes({0, 0, quarter});
  std::swap(box.half_size.x, box.half_size.y);
  ASSERT_TRUE(crop_field(field, box));
  EXPECT_TRUE(field.crops.empty());
  expect_near(field.render_box.min, {0.25f, 0.125f, 0.375f});
  expect_near(field.render_box.max, {0.5f, 0.75f, 0.5f});
}

TEST(CropField, ATurnedBoxIsKeptInTheFieldsFrame) {
  NeuralField field = whole_field();
  OrientedBox box = box_around(field, {0.25, 0.25, 0.25}, {0.75, 0.5, 0.625});
  box.rotation = rotation_about_axes({0.3, -0.2, 0.5});
  ASSERT_TRUE(crop_field(field, box));
  EXPECT_EQ(field.render_box, field_cube(1));
  ASSERT_EQ(field.crops.size(), 1u);
  int inside = 0;
  for (int i = 0; i < 9 * 9 * 9; ++i) {
    const glm::vec3 point = glm::vec3(i % 9, i / 9 % 9, i / 81) / 8.0f;
    const glm::dvec3 own =
        (world_from_field(field.placement, glm::dvec3(point)) - box.center) * box.rotation;
    const bool expected = glm::all(glm::lessThanEqual(glm::abs(own), box.half_size));
    EXPECT_EQ(is_drawn(field, point), expected) << i;
    inside += expected;
  }
  EXPECT_GT(inside, 10);
}

TEST(CropField, ABoxBesideTheFieldChangesNothing) {
  NeuralField field = whole_field();
  OrientedBox box = box_around(field, {1.25, 0, 0}, {2, 1, 1});
  EXPECT_FALSE(crop_field(field, box));
  box.rotation = rotation_about_axes({0, 0.1, 0});
  EXPECT_FALSE(crop_field(field, box));
  EXPECT_EQ(field.render_box, field_cube(1));
  EXPECT_TRUE(field.crops.empty());
}

TEST(CropField, OnlyPointsInTheRenderBoxAreDrawn) {
  NeuralField field = whole_field();
  field.render_box = {glm::vec3(0.25f), glm::vec3(0.5f)};
  EXPECT_TRUE(is_drawn(field, glm::vec3(0.25f)));
  EXPECT_FALSE(is_drawn(field, {0.3f, 0.3f, 0.51f}));
  EXPECT_FALSE(is_drawn(field, {0.3f, 0.24f, 0.3f}));
}

}  // namespace
}  // namespace mote
