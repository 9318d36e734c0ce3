// Pictures of neural volumes against a march in double over the field's own values.
#include <gtest/gtest.h>

#include <cmath>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "backend/field_trainer.h"
#include "devices/devices.h"
#include "fields/applications/volume_shading.h"
#include "fields/field_camera.h"
#include "fields/marching.h"
#include "math/display_curve.h"
#include "scene/camera_path.h"
#include "support/thrown_by.h"
#include "support/tiny_field.h"

namespace mote {
namespace {

constexpr int kWidth = 40, kHeight = 30;

/// A field whose densities are above 0 in a part of the box, and occupied in half of the cells.
NeuralField fog(unsigned seed) {
  NeuralField field = tiny_field(FieldApplication::volume, seed);
  for (std::size_t i = 0; i < field.occupancy.values.size(); ++i) {
    field.occupancy.values[i] = (i >> 15 & 1) != 0 ? 1.0f : 0.0f;
  }
  // Densities of a few percent, so that rays pass through.
  for (float& value : field.parameters) value *= 0.35f;
  return field;
}

Camera camera_of(const NeuralField& field) {
  Camera camera;
  camera.width = kWidth;
  camera.height = kHeight;
  camera.focal_px = {45, 44};
  camera.center_px = {20.5, 14};
  const glm::dvec3 center = world_from_field(
      field.placement, 0.5 * glm::dvec3(field.render_box.min + field.render_box.max));
  look_at(camera, center + glm::dvec3(1.1, -0.7, 1.9), center, {0, -1, 0});
  return camera;
}

struct Pixel {
  std::array<double, 3> rgb;
  double alpha, expected, median;
  int samples;
};

/// The values of the field at a place, in [0, 1] each.
std::array<double, 4> values_at(DeviceField& field, const glm::dvec3& at) {
  Buffer<float> position(3 * 16), value(4 * 16);
  for (int axis = 0; axis < 3; ++axis) {
    position[static_cast<std::size_t>(axis) * 16] =
        std::min(std::max(static_cast<float>(at[axis]), 0.0f), 1.0f);
  }
  field.evaluate(position.data(), 1, 16, value.data());
  std::array<double, 4> values{};
  for (std::size_t i = 0; i < 4; ++i) {
    values[i] = std::max(static_cast<double>(value[i * 16]), 0.0);
  }
  return values;
}

Pixel plain_march(const NeuralField& field, DeviceField& device, const Camera& camera, int x, int y,
                  const std::array<float, 3>& background) {
  const OccupancyBits bits(field.occupancy);
  const FieldCamera own = field_camera(field.placement, camera);
  const glm::dvec3 in_cam{(x + 0.5 - camera.center_px.x) / camera.focal_px.x,
                          (y + 0.5 - camera.center_px.y) / camera.focal_px.y, 1};
  const glm::dvec3 direction = glm::normalize(own.field_from_cam * in_cam);
  double enter = 0, leave = 1e9;
  for (int axis = 0; axis < 3; ++axis) {
    const double a = (double{field.render_box.min[axis]} - own.origin[axis]) / direction[axis];
    const double b = (double{field.render_box.max[axis]} - own.origin[axis]) / direction[axis];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  Pixel pixel{};
  double left = 1, depth = 0;
  std::array<double, 3> sum{};
  const double step = static_cast<double>(kSmallestStep);
  const double depth_per_length = 1 / (field.placement.scale * glm::length(in_cam));
  for (double t = enter + 0.5 * step; t < leave && left >= 0.01; t += step) {
    const glm::dvec3 at = own.origin + t * direction;
    if (!bits.occupied({float(at.x), float(at.y), float(at.z)}, 0)) continue;
    const auto values = values_at(device, at);
    const double opacity = 1 - std::exp(-double{kVolumeExtinction} * values[3] * step);
    for (std::size_t c = 0; c < 3; ++c) sum[c] += left * opacity * values[c];
    depth += left * opacity * t * depth_per_length;
    if (left > 0.5 && left * (1 - opacity) <= 0.5) pixel.median = t * depth_per_length;
    left *= 1 - opacity;
    ++pixel.samples;
  }
  const double covered = 1 - left;
  pixel.alpha = left < 0.01 ? 1 : covered;
  pixel.expected = covered > 0 ? depth / covered : 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double shown =
        covered > 0 ? double{display_from_linear(static_cast<float>(sum[c] / covered))} : 0;
    pixel.rgb[c] = pixel.alpha * shown + (1 - pixel.alpha) * double{background[c]};
  }
  return pixel;
}

TEST(VolumeDrawing, IsTheMarchOfPlainLoops) {
  const NeuralField field = fog(4);
  const auto backend = make_backend("cpu", {.threads = 2, .isa = ""});
  const auto device = backend->upload_field(field);
  RenderSettings settings;
  settings.background = {0.1f, 0.7f, 0.4f};
  settings.outputs.alpha = settings.outputs.depth = settings.outputs.overdraw = true;
  const Camera camera = camera_of(field);
  Frame frame;
  const FrameStats stats = device->render(camera, settings, frame);
  EXPECT_GT(stats.evaluations, 1000u);
  EXPECT_GT(stats.network_ms, 0);
  int partly = 0, empty = 0, wrong = 0;
  for (int y = 1; y < kHeight; y += 4) {
    for (int x = 1; x < kWidth; x += 4) {
      const Pixel wanted = plain_march(field, *device, camera, x, y, settings.background);
      const auto alpha = static_cast<double>(frame.alpha.row(y)[x]);
      partly += wanted.alpha > 0.05 && wanted.alpha < 0.95 ? 1 : 0;
      empty += wanted.alpha == 0 ? 1 : 0;
      // A sample at the border of a cell may be on the other side of it there.
      bool is_near = std::abs(alpha - wanted.alpha) < 0.02;
      for (std::size_t c = 0; c < 3; ++c) {
        const auto own = static_cast<double>(frame.rgb.row(y)[3 * static_cast<std::size_t>(x) + c]);
        is_near = is_near && std::abs(own - wanted.rgb[c]) < 0.02;
      }
      is_near = is_near && std::abs(frame.depth_expected.row(y)[x] - wanted.expected) < 0.03 &&
                std::abs(static_cast<int>(frame.overdraw.row(y)[x]) - wanted.samples) <= 12;
      wrong += is_near ? 0 : 1;
    }
  }
  EXPECT_GT(partly, 5);
  EXPECT_GT(empty, 2);
  EXPECT_LE(wrong, 1);
}

TEST(VolumeDrawing, IsTheSameForAnyNumberOfThreads) {
  const NeuralField field = fog(4);
  Frame one, three;
  for (const int threads : {1, 3}) {
    const auto backend = make_backend("cpu", {.threads = threads, .isa = ""});
    backend->upload_field(field)->render(camera_of(field), {}, threads == 1 ? one : three);
  }
  for (std::size_t i = 0; i < one.rgb.pixels.size(); ++i) {
    ASSERT_EQ(one.rgb.pixels[i], three.rgb.pixels[i]);
  }
}

TEST(VolumeDrawing, WithoutOccupancyDrawsTheWholeBox) {
  NeuralField field = fog(4);
  const auto backend = make_backend("cpu", {.threads = 2, .isa = ""});
  Frame frame;
  const auto some = backend->upload_field(field)->render(camera_of(field), {}, frame).evaluations;
  field.occupancy.values.clear();
  const auto all = backend->upload_field(field)->render(camera_of(field), {}, frame).evaluations;
  EXPECT_GT(all, some + some / 2);
}

TEST(VolumeDrawing, RefusesNormals) {
  const NeuralField field = fog(4);
  const auto backend = make_backend("cpu", {.threads = 2, .isa = ""});
  const auto device = backend->upload_field(field);
  RenderSettings settings;
  settings.outputs.normal = true;
  Frame frame;
  EXPECT_NE(thrown_by([&] { device->render(camera_of(field), settings, frame); })
                .problem()
                .find("volumes have no normals"),
            std::string::npos);
}

}  // namespace
}  // namespace mote
