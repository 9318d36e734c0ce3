// Pictures of cropped fields of constant values against the lengths of rays in the boxes.
#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "backend/field_trainer.h"
#include "devices/devices.h"
#include "fields/applications/volume_shading.h"
#include "fields/drawn_part.h"
#include "fields/field_camera.h"
#include "scene/camera_path.h"
#include "support/constant_field.h"

namespace mote {
namespace {

constexpr int kCropWidth = 40, kCropHeight = 30;

Camera crop_camera() {
  return oblique_camera(kCropWidth, kCropHeight, 45);
}

/// A straight box of the world, and a turned one.
const OrientedBox kBoxes[] = {{.center = {0.2, -0.1, 0.1}, .half_size = {0.5, 0.3, 0.6}},
                              {.center = {0.1, 0.1, -0.1},
                               .half_size = {0.4, 0.6, 0.3},
                               .rotation = rotation_about_axes({0.5, -0.3, 0.8})}};

Frame drawn(const NeuralField& field, float field_step = 1) {
  const auto backend = make_backend("cpu", {.threads = 2, .isa = {}});
  const auto device = backend->upload_field(field);
  RenderSettings settings;
  settings.outputs.alpha = settings.outputs.depth = true;
  settings.field_step = field_step;
  Frame frame;
  device->render(crop_camera(), settings, frame);
  return frame;
}

/// The part of a pixel's ray in all boxes, world units; direction of length 1.
struct Chord {
  double t = 0, t_end = 100, depth_per_length = 0;
};
Chord chord_of(std::span<const OrientedBox> boxes, int x, int y) {
  const Camera camera = crop_camera();
  const glm::dvec3 cam((x + 0.5 - camera.center_px.x) / camera.focal_px.x,
                       (y + 0.5 - camera.center_px.y) / camera.focal_px.y, 1);
  const glm::dvec3 direction = glm::transpose(camera.cam_from_world) * glm::normalize(cam);
  Chord chord{.depth_per_length = 1 / glm::length(cam)};
  for (const OrientedBox& box : boxes) {
    cut_to_box(box, camera.position_world(), direction, chord.t, chord.t_end);
  }
  return chord;
}

/// Checks the alphas of a fog of `extinction` per length of the world.
void expect_fog(const Frame& frame, std::span<const OrientedBox> boxes, double extinction,
                double step) {
  int seen = 0, empty = 0;
  for (int y = 0; y < kCropHeight; ++y) {
    for (int x = 0; x < kCropWidth; ++x) {
      const Chord chord = chord_of(boxes, x, y);
      const double length = std::max(chord.t_end - chord.t, 0.0);
      // The first and the last step may be cut.
      EXPECT_NEAR(frame.alpha.row(y)[x], 1 - std::exp(-extinction * length),
                  extinction * step + 1e-4)
          << x << ' ' << y;
      (length > 0.05 ? seen : empty) += 1;
    }
  }
  EXPECT_GT(seen, 50);
  EXPECT_GT(empty, 50);
}

constexpr double kStep_world = 2 * kSmallestStep;  // the cube has side 2 in the world

TEST(CroppedFields, ANerfIsAFogInItsBoxes) {
  const float log_density[] = {0.5f};
  NeuralField field = constant_field(FieldApplication::nerf, log_density);
  std::vector<OrientedBox> boxes;
  for (const OrientedBox& box : kBoxes) {
    ASSERT_TRUE(crop_field(field, box));
    boxes.push_back(box);
    expect_fog(drawn(field), boxes, std::exp(0.5) / 2, kStep_world);
  }
  expect_fog(drawn(field, 4), boxes, std::exp(0.5) / 2, 4 * kStep_world);
}

TEST(CroppedFields, AVolumeIsAFogInItsBoxes) {
  const float values[] = {0.5f, 0.25f, 0.125f, 1.0f / 64};
  NeuralField field = constant_field(FieldApplication::volume, values);
  std::vector<OrientedBox> boxes;
  for (const OrientedBox& box : kBoxes) {
    ASSERT_TRUE(crop_field(field, box));
    boxes.push_back(box);
    expect_fog(drawn(field), boxes, kVolumeExtinction / 64 / 2, kStep_world);
  }
}

TEST(CroppedFields, ASolidShowsTheCutAsASurface) {
  const float distance[] = {-0.5f};
  NeuralField field = constant_field(FieldApplication::sdf, distance);
  std::vector<OrientedBox> boxes;
  for (const OrientedBox& box : kBoxes) {
    ASSERT_TRUE(crop_field(field, box));
    boxes.push_back(box);
    const Frame frame = drawn(field);
    int seen = 0, lit = 0;
    for (int y = 0; y < kCropHeight; ++y) {
      for (int x = 0; x < kCropWidth; ++x) {
        const Chord chord = chord_of(boxes, x, y);
        const double length = chord.t_end - chord.t;
        if (std::abs(length) < 0.08) continue;  // at the silhouette
        EXPECT_EQ(frame.alpha.row(y)[x], length > 0) << x << ' ' << y;
        if (length < 0) continue;
        ++seen;
        EXPECT_NEAR(frame.depth_median.row(y)[x], chord.t * chord.depth_per_length, 0.01);
        lit += frame.rgb.row(y)[3 * x] > 0.3f;
      }
    }
    EXPECT_GT(seen, 50);
    EXPECT_EQ(lit, seen) << "light reaches the cut from outside";
  }
}

}  // namespace
}  // namespace mote
