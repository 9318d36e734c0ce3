// Values of fields on a plane.
#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>
#include <optional>

#include "backend/field_trainer.h"
#include "devices/devices.h"
#include "fields/applications/volume_shading.h"
#include "fields/drawn_part.h"
#include "fields/field_camera.h"
#include "scene/camera_path.h"
#include "support/constant_field.h"
#include "support/random_cloud.h"
#include "support/thrown_by.h"
#include "support/tiny_proposals.h"

namespace mote {
namespace {

constexpr int kSliceWidth = 36, kSliceHeight = 28;

Camera slice_camera() {
  return oblique_camera(kSliceWidth, kSliceHeight, 30);
}

/// An oblique plane through the cube around 0 with sides of 2.
const Plane kSlicePlane{.normal = glm::normalize(glm::dvec3(0.3, 0.2, 1)), .offset = 0.15};

RenderSettings slice_settings() {
  RenderSettings settings;
  settings.background = {0.25f, 0.5f, 1};
  settings.outputs = {.alpha = true, .depth = true, .slice = true};
  settings.slice = kSlicePlane;
  return settings;
}

/// Where a pixel's ray meets the plane: in the world, and its depth.
struct Meeting {
  glm::dvec3 place;
  double depth;
};
Meeting meeting_of(int x, int y) {
  const Camera camera = slice_camera();
  const glm::dvec3 cam((x + 0.5 - camera.center_px.x) / camera.focal_px.x,
                       (y + 0.5 - camera.center_px.y) / camera.focal_px.y, 1);
  const glm::dvec3 direction = glm::transpose(camera.cam_from_world) * cam;
  const double depth =
      (kSlicePlane.offset - glm::dot(kSlicePlane.normal, camera.position_world())) /
      glm::dot(kSlicePlane.normal, direction);
  return {camera.position_world() + depth * direction, depth};
}

class Slices : public testing::Test {
 protected:
  Frame drawn(const NeuralField& field) {
    device_ = backend_->upload_field(field);
    Frame frame;
    device_->render(slice_camera(), slice_settings(), frame);
    return frame;
  }
  /// Checks the values, and that other pixels are background. `expected`: of a meeting.
  template <class Expected>
  void expect_values(const Frame& frame, double half_side, const Expected& expected) {
    int met = 0;
    for (int y = 0; y < kSliceHeight; ++y) {
      for (int x = 0; x < kSliceWidth; ++x) {
        const Meeting meeting = meeting_of(x, y);
        const glm::dvec3 far = glm::abs(meeting.place) - half_side;
        const double beyond = std::max({far.x, far.y, far.z});
        if (std::abs(beyond) < 1e-5) continue;
        const bool inside = beyond < 0 && meeting.depth > 0;
        met += inside;
        ASSERT_EQ(std::isnan(frame.slice.row(y)[x]), !inside) << x << ' ' << y;
        EXPECT_EQ(frame.alpha.row(y)[x], inside ? 1 : 0);
        EXPECT_EQ(frame.rgb.row(y)[3 * x], 0.25f);
        if (!inside) continue;
        const double value = expected(meeting.place);
        EXPECT_NEAR(frame.slice.row(y)[x], value, 1e-3 * std::abs(value) + 1e-4) << x << ' ' << y;
        EXPECT_NEAR(frame.depth_expected.row(y)[x], meeting.depth, 1e-4);
      }
    }
    EXPECT_GT(met, 100);
    EXPECT_LT(met, kSliceWidth * kSliceHeight - 100);
  }

  const std::unique_ptr<Backend> backend_ = make_backend("cpu", {.threads = 2, .isa = {}});
  std::unique_ptr<DeviceField> device_;
};

TEST_F(Slices, ShowTheDensityOfANerf) {
  const float log_density[] = {0.5f};
  const Frame frame = drawn(constant_field(FieldApplication::nerf, log_density));
  EXPECT_FALSE(frame.slice_is_distance);
  expect_values(frame, 1, [](const glm::dvec3&) { return std::exp(0.5); });
}

TEST_F(Slices, ShowNothingInEmptyCells) {
  const float log_density[] = {0.5f};
  NeuralField field = constant_field(FieldApplication::nerf, log_density);
  for (std::uint32_t cell = 0; cell < kOccupancyCells; ++cell) {
    if (cell_of(cell).x < 64) field.occupancy.values[cell] = 0;
  }
  // The field's x axis is the y axis of the world.
  expect_values(drawn(field), 1,
                [](const glm::dvec3& place) { return place.y < 0 ? 0 : std::exp(0.5); });
}

TEST_F(Slices, ShowTheDensityOfAVolume) {
  const float values[] = {0.5f, 0.25f, 0.125f, 1.0f / 64};
  expect_values(drawn(constant_field(FieldApplication::volume, values)), 1,
                [](const glm::dvec3&) { return kVolumeExtinction / 64; });
}

TEST_F(Slices, ShowTheDistanceWhereThePlaneIs) {
  NeuralField field = tiny_field(FieldApplication::sdf, 3);
  field.placement = {.scale = 0.5, .offset = {0.5, 0.5, 0.5}};
  field.render_box = field_cube(1);
  const Frame frame = drawn(field);
  EXPECT_TRUE(frame.slice_is_distance);
  float low = 0, high = 0;
  expect_values(frame, 1, [&](const glm::dvec3& place) {
    const glm::dvec3 own = field_from_world(field.placement, place);
    float position[3 * 16] = {}, value[16] = {};
    for (int axis = 0; axis < 3; ++axis) position[16 * axis] = static_cast<float>(own[axis]);
    device_->evaluate(position, 1, 16, value);
    low = std::min(low, value[0]);
    high = std::max(high, value[0]);
    return double{value[0]};
  });
  EXPECT_GT(high - low, 0.01f) << "the values differ";
}

TEST_F(Slices, ShowContractedSpaceInTheCubeOfAFieldWithProposals) {
  constexpr int kSide = 4;
  constexpr double kReach = 0.25 * kSide, kHalfInWorld = 1.5;
  NeuralField field = tiny_field(FieldApplication::nerf, 3, kSide);
  field.proposals = tiny_proposals();
  field.placement = {.scale = 0.5 * kSide / kHalfInWorld, .offset = {0.5, 0.5, 0.5}};
  field.render_box = field_cube(kSide);
  int beyond = 0;
  float low = 1e9f, high = 0;
  expect_values(drawn(field), kHalfInWorld, [&](const glm::dvec3& place) {
    glm::dvec3 own = (field_from_world(field.placement, place) - 0.5) / kReach;
    const glm::dvec3 far = glm::abs(own);
    const double norm = std::max({far.x, far.y, far.z});
    beyond += norm > 1;
    if (norm > 1) own *= (2 - 1 / norm) / norm;
    float position[3 * 16] = {}, value[16] = {};
    for (int axis = 0; axis < 3; ++axis) {
      position[16 * axis] = static_cast<float>(0.5 + own[axis] * kReach / kSide);
    }
    device_->evaluate(position, 1, 16, value);
    low = std::min(low, std::exp(value[0]));
    high = std::max(high, std::exp(value[0]));
    return double{std::exp(value[0])};
  });
  EXPECT_GT(beyond, 50);
  EXPECT_GT(high, 1.5f * low) << "the values differ";
}

TEST_F(Slices, EndAtTheCrop) {
  const float log_density[] = {0};
  NeuralField field = constant_field(FieldApplication::nerf, log_density);
  ASSERT_TRUE(crop_field(field, {.half_size = glm::dvec3(0.75)}));
  expect_values(drawn(field), 0.75, [](const glm::dvec3&) { return 1.0; });
}

TEST_F(Slices, AreRefusedForImagesAndSplats) {
  const auto image = backend_->upload_field(tiny_field(FieldApplication::image, 1));
  const auto splats = backend_->upload(random_cloud(5, 0, 1));
  Frame frame;
  EXPECT_NE(thrown_by([&] { image->render(slice_camera(), slice_settings(), frame); }).remedy(),
            "");
  EXPECT_NE(thrown_by([&] {
              backend_->render(*splats, slice_camera(), slice_settings(), frame);
            }).remedy(),
            "");
}

TEST(APlane, IsMappedWithItsPoints) {
  const Similarity map{.scale = 2.5,
                       .rotation = rotation_about_axes({0.3, -0.2, 1.1}),
                       .translation = {0.4, -0.1, 0.7}};
  const glm::dvec3 point =
      kSlicePlane.offset * kSlicePlane.normal +
      2.0 * glm::normalize(glm::cross(kSlicePlane.normal, glm::dvec3(0, 1, 0)));
  const Plane mapped = after(map, kSlicePlane);
  const glm::dvec3 to = map.scale * (map.rotation * point) + map.translation;
  EXPECT_NEAR(glm::dot(mapped.normal, to), mapped.offset, 1e-12);
  const Plane back = before(map, mapped);
  EXPECT_NEAR(glm::length(back.normal - kSlicePlane.normal), 0, 1e-12);
  EXPECT_NEAR(back.offset, kSlicePlane.offset, 1e-12);
}

}  // namespace
}  // namespace mote
