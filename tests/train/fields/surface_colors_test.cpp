// Colours of the surface of a NeRF, against its pictures.
#include "train/fields/surface_colors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <glm/geometric.hpp>
#include <glm/matrix.hpp>

#include "core/error.h"
#include "devices/devices.h"
#include "fields/marching.h"
#include "scene/camera_path.h"
#include "scene/oriented_box.h"
#include "support/constant_field.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

/// An opaque cube around 0 with sides of 2, whose colours depend on position and direction.
NeuralField opaque_cube() {
  const float log_density[] = {14};
  const NeuralField constant = constant_field(FieldApplication::nerf, log_density);
  NeuralField field = tiny_field(FieldApplication::nerf, 7);
  const NerfLayout layout = nerf_layout(field.config);
  const MlpLayer last = mlp_layers(layout.density).back();
  // The first output is a positive sum of the hidden neurons, whose inputs are random.
  for (int i = 0; i < last.inputs; ++i) {
    field.parameters[last.first + static_cast<std::size_t>(i)] = 9;
  }
  // A large first output must not saturate the colours.
  for (std::size_t i = layout.color_first; i < layout.encoding_first; ++i) {
    field.parameters[i] *= 0.3f;
  }
  for (std::size_t i = layout.encoding_first; i < field.parameters.size(); ++i) {
    field.parameters[i] = 0.5f + 0.5f * field.parameters[i];
  }
  field.placement = constant.placement;
  field.render_box = constant.render_box;
  field.occupancy = constant.occupancy;
  return field;
}

Camera a_camera() {
  Camera camera;
  camera.width = 40;
  camera.height = 30;
  camera.focal_px = {45, 44};
  camera.center_px = {20.5, 14};
  look_at(camera, glm::dvec3(2.1, -1.7, 2.9), {0.1, 0, 0}, {0, -1, 0});
  return camera;
}

TEST(SurfaceColors, AreThoseOfAPictureFromTheDirectionOfTheNormal) {
  const NeuralField field = opaque_cube();
  const auto backend = make_backend("cpu", {.threads = 2, .isa = {}});
  const auto device = backend->upload_field(field);
  const Camera camera = a_camera();
  Frame frame;
  device->render(camera, {}, frame);
  std::vector<glm::vec3> positions, normals, expected;
  for (int y = 0; y < camera.height; ++y) {
    for (int x = 0; x < camera.width; ++x) {
      const glm::dvec3 cam((x + 0.5 - camera.center_px.x) / camera.focal_px.x,
                           (y + 0.5 - camera.center_px.y) / camera.focal_px.y, 1);
      const glm::dvec3 along = glm::transpose(camera.cam_from_world) * glm::normalize(cam);
      double t = 0, t_end = 100;
      cut_to_box({.half_size = glm::dvec3(1)}, camera.position_world(), along, t, t_end);
      if (t_end - t < 0.1) continue;
      // The middle of the first step.
      t += 0.5 * double{kSmallestStep} / field.placement.scale;
      positions.emplace_back(camera.position_world() + t * along);
      normals.emplace_back(-along);
      const float* rgb = frame.rgb.row(y) + 3 * x;
      expected.emplace_back(rgb[0], rgb[1], rgb[2]);
    }
  }
  ASSERT_GT(positions.size(), 100u);
  const std::vector<glm::vec3> colors = surface_colors(
      {.field = *device, .facts = field, .positions = positions, .normals = normals});
  glm::vec3 low(1), high(0);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < colors.size(); ++i) {
    equal += glm::length(colors[i] - expected[i]) < 0.01f;
    low = glm::min(low, colors[i]);
    high = glm::max(high, colors[i]);
  }
  EXPECT_GT(equal, colors.size() * 95 / 100);
  EXPECT_GT(glm::length(high - low), 0.1f) << "the colours differ";
}

TEST(SurfaceColors, OtherFieldsHaveNone) {
  const NeuralField field = tiny_field(FieldApplication::sdf, 1);
  const auto backend = make_backend("cpu", {.threads = 1, .isa = {}});
  const auto device = backend->upload_field(field);
  const std::vector<glm::vec3> one{{0, 0, 1}};
  EXPECT_NE(thrown_by([&] {
              surface_colors({.field = *device, .facts = field, .positions = one, .normals = one});
            }).remedy(),
            "");
}

}  // namespace
}  // namespace mote
