// Neural fields on devices that draw some of them, beside the processor.
#include <algorithm>
#include <cmath>

#include "backend/field_fitter.h"
#include "cpu/cpu_backend.h"
#include "fields/image_plane.h"
#include "math/counter_random.h"
#include "scene/similarity.h"
#include "support/grid_field.h"
#include "support/test_devices.h"

namespace mote {
namespace {

class DeviceFields : public OnEachDevice {
 protected:
  Backend& cpu() const { return *cpu_; }

 private:
  std::unique_ptr<Backend> cpu_ = make_cpu_backend({});
};

INSTANTIATE_TEST_SUITE_P(On, DeviceFields, testing::ValuesIn(test_devices()),
                         [](const auto& info) { return info.param.name; });

double psnr(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    const double d = static_cast<double>(a.pixels[i]) - static_cast<double>(b.pixels[i]);
    sum += d * d;
  }
  return -10 * std::log10(sum / static_cast<double>(a.pixels.size()) + 1e-12);
}

/// Looks at the image from the side, with a part of the picture beside it.
Camera oblique_camera(int width, int height) {
  Camera camera = image_camera(4.0 / 3, width, height);
  look_at(camera, {0.7, -0.3, -0.9}, {0.2, 0.1, 0}, {0, -1, 0});
  return camera;
}

void expect_equal_pictures(Backend& device, Backend& cpu, const NeuralField& field,
                           const Camera& camera) {
  RenderSettings settings;
  settings.background = {0.25f, 0.5f, 0.75f};
  settings.outputs = {.alpha = true, .depth = true, .overdraw = true};
  Frame own, other;
  const FrameStats stats = device.upload_field(field)->render(camera, settings, own);
  cpu.upload_field(field)->render(camera, settings, other);
  EXPECT_GT(stats.evaluations, 0u);
  EXPECT_GT(psnr(own.rgb, other.rgb), 40);
  std::size_t flips = 0, inside = 0;
  for (std::size_t i = 0; i < other.alpha.pixels.size(); ++i) {
    inside += other.alpha.pixels[i] > 0;
    if (std::abs(own.alpha.pixels[i] - other.alpha.pixels[i]) > 1e-5f) {
      ++flips;
      continue;
    }
    ASSERT_EQ(own.overdraw.pixels[i], other.overdraw.pixels[i]);
    ASSERT_NEAR(own.depth_expected.pixels[i], other.depth_expected.pixels[i],
                1e-5f * (1 + other.depth_expected.pixels[i]));
    ASSERT_EQ(own.depth_median.pixels[i], own.depth_expected.pixels[i]);
  }
  EXPECT_GT(inside, 100u);
  EXPECT_LE(flips, inside / 200) << "pixels at the border of the image";
}

/// A ball around the middle of the cube, as the processor learns it.
NeuralField ball_field(Backend& cpu, float radius = 0.3f, const GridConfig& grid = kSmallGrid) {
  NeuralField field = grid_field(FieldApplication::sdf, grid, {.neurons = 32, .hidden_layers = 2});
  field.config.optimizer = FieldOptimizer{.beta2 = 0.99, .decay = {}, .ema_decay = 0.95};
  field.placement = {};
  field.render_box = field_cube(1);
  const auto fitter = cpu.make_field_fitter(field);
  for (std::uint64_t step = 0; step < 200; ++step) {
    const auto fill = [&](const FieldSamples& samples) {
      for (std::size_t i = 0; i < samples.count; ++i) {
        float square = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const std::uint64_t number = 3 * (samples.first + i) + axis;
          const float x = static_cast<float>(random_bits(step, number) >> 40) * 0x1p-24f;
          samples.positions[axis * samples.stride + i] = x;
          square += (x - 0.5f) * (x - 0.5f);
        }
        samples.values[i] = std::sqrt(square) - radius;
      }
    };
    fitter->step({.count = 4096, .fill = fill, .learning_rate = 1e-2});
  }
  return fitter->field();
}

/// The same function with more neurons: those of the field, spread among others without weights.
NeuralField widened(const NeuralField& field, int neurons) {
  NeuralField wide = field;
  wide.config.network->neurons = neurons;
  const SimpleFieldLayout from = simple_field_layout(field.application, field.config),
                          to = simple_field_layout(wide.application, wide.config);
  wide.parameters.assign(to.encoding_first, 0.0f);
  const std::vector<MlpLayer> own = mlp_layers(from.network), layers = mlp_layers(to.network);
  const auto place = [&](int i, int own_size, int size) {
    return size == own_size ? i : i * (size / own_size);
  };
  for (std::size_t layer = 0; layer < own.size(); ++layer) {
    const MlpLayer &a = own[layer], &b = layers[layer];
    for (int output = 0; output < a.outputs; ++output) {
      for (int input = 0; input < a.inputs; ++input) {
        const int row = place(output, a.outputs, b.outputs), at = place(input, a.inputs, b.inputs);
        wide.parameters[b.first + static_cast<std::size_t>(row * b.inputs + at)] =
            field.parameters[a.first + static_cast<std::size_t>(output * a.inputs + input)];
      }
    }
  }
  wide.parameters.insert(
      wide.parameters.end(),
      field.parameters.begin() + static_cast<std::ptrdiff_t>(from.encoding_first),
      field.parameters.end());
  return wide;
}

Camera ball_camera(int width, int height) {
  Camera camera = image_camera(4.0 / 3, width, height);
  look_at(camera, {0.2, -0.1, -0.7}, {0.5, 0.5, 0.5}, {0, -1, 0});
  return camera;
}

double mean_of(const Image& image) {
  double sum = 0;
  for (const float value : image.pixels.span()) sum += static_cast<double>(value);
  return sum / static_cast<double>(image.pixels.size());
}

void expect_equal_surfaces(Backend& device, Backend& cpu, const NeuralField& field) {
  RenderSettings settings;
  settings.background = {0.25f, 0.5f, 0.75f};
  settings.outputs = {.alpha = true, .depth = true, .normal = true, .overdraw = true};
  Frame own, other;
  const Camera camera = ball_camera(43, 29);
  const FrameStats stats = device.upload_field(field)->render(camera, settings, own);
  const FrameStats expected = cpu.upload_field(field)->render(camera, settings, other);
  EXPECT_NEAR(static_cast<double>(stats.evaluations), static_cast<double>(expected.evaluations),
              0.05 * static_cast<double>(expected.evaluations));
  EXPECT_GT(psnr(own.rgb, other.rgb), 30);
  EXPECT_NEAR(mean_of(own.overdraw), mean_of(other.overdraw), 0.05 * mean_of(other.overdraw));
  std::size_t flips = 0, inside = 0;
  double apart = 0;
  for (std::size_t i = 0; i < other.alpha.pixels.size(); ++i) {
    inside += other.alpha.pixels[i] > 0;
    if (std::abs(own.alpha.pixels[i] - other.alpha.pixels[i]) > 1e-5f) {
      ++flips;
      continue;
    }
    ASSERT_NEAR(own.depth_expected.pixels[i], other.depth_expected.pixels[i], 0.03f) << i;
    ASSERT_EQ(own.depth_median.pixels[i], own.depth_expected.pixels[i]);
    double square = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      square += std::pow(own.normal.pixels[3 * i + c] - other.normal.pixels[3 * i + c], 2);
    }
    apart += std::sqrt(square);
  }
  EXPECT_GT(inside, 100u);
  EXPECT_LE(flips, inside / 50) << "pixels at the silhouette";
  EXPECT_LT(apart / static_cast<double>(inside), 0.1) << "normals of values that are halves";
}

TEST_P(DeviceFields, DrawSurfacesAsTheProcessorDoes) {
  NeuralField field = ball_field(cpu());
  expect_equal_surfaces(backend(), cpu(), field);
  field.render_box = {glm::vec3(0.2f, 0.1f, 0.4f), glm::vec3(0.9f, 0.9f, 0.8f)};
  expect_equal_surfaces(backend(), cpu(), field);
  field.crops.push_back({.center = {0.45, 0.5, 0.5},
                         .half_size = {0.25, 0.3, 0.3},
                         .rotation = rotation_about_axes({0.5, -0.3, 0.8})});
  expect_equal_surfaces(backend(), cpu(), field);
}

TEST_P(DeviceFields, SurfacesHaveTheChosenColor) {
  const NeuralField field = ball_field(cpu());
  RenderSettings settings;
  settings.outputs = {.alpha = true};
  const auto device = backend().upload_field(field);
  Frame usual, own, other;
  device->render(ball_camera(40, 30), settings, usual);
  settings.surface_color = {0.5f, 0, 0};
  device->render(ball_camera(40, 30), settings, own);
  cpu().upload_field(field)->render(ball_camera(40, 30), settings, other);
  EXPECT_GT(psnr(own.rgb, other.rgb), 35);
  std::size_t covered = 0, lit = 0;
  for (std::size_t i = 0; i < own.alpha.pixels.size(); ++i) {
    if (own.alpha.pixels[i] == 0) continue;
    ++covered;
    EXPECT_LE(own.rgb.pixels[3 * i], usual.rgb.pixels[3 * i]);
    lit += own.rgb.pixels[3 * i] > 0 ? 1 : 0;
    EXPECT_EQ(own.rgb.pixels[3 * i + 1], 0);
    EXPECT_EQ(own.rgb.pixels[3 * i + 2], 0);
  }
  EXPECT_GT(covered, 100u);
  EXPECT_GT(lit, 100u);
}

TEST_P(DeviceFields, DrawFieldsOfWideNetworksAsTheProcessorDoes) {
  const NetworkConfig wide{.neurons = 144, .hidden_layers = 2};
  expect_equal_surfaces(backend(), cpu(), widened(ball_field(cpu()), 144));
  expect_equal_pictures(backend(), cpu(),
                        grid_field(FieldApplication::image, kSmallGrid, wide, 0.2f),
                        image_camera(4.0 / 3, 40, 30));
  NeuralField volume = grid_field(FieldApplication::volume, kSmallGrid, wide, 0.4f);
  volume.placement = {};
  RenderSettings settings;
  settings.outputs = {.alpha = true};
  Frame own, other;
  backend().upload_field(volume)->render(ball_camera(12, 9), settings, own);
  cpu().upload_field(volume)->render(ball_camera(12, 9), settings, other);
  EXPECT_GT(psnr(own.rgb, other.rgb), 35);
  EXPECT_GT(mean_of(other.alpha), 0.03);
  EXPECT_NEAR(mean_of(own.alpha), mean_of(other.alpha), 0.01 * mean_of(other.alpha));
}

TEST_P(DeviceFields, PassTheSpaceAroundSurfacesWithoutEvaluations) {
  const NeuralField field = ball_field(cpu());
  const auto device = backend().upload_field(field);
  RenderSettings settings;
  settings.background = {0.5f, 0.5f, 0.5f};
  settings.outputs = {.alpha = true, .depth = true, .normal = true, .overdraw = true};
  // The first picture is too small to find out where space is.
  Frame small, large, again, other;
  const FrameStats first = device->render(ball_camera(43, 29), settings, small);
  device->render(ball_camera(110, 80), settings, large);
  const FrameStats second = device->render(ball_camera(43, 29), settings, again);
  EXPECT_LT(static_cast<double>(second.evaluations), 0.8 * static_cast<double>(first.evaluations));
  EXPECT_LT(mean_of(again.overdraw), 0.7 * mean_of(small.overdraw));
  const auto processor = cpu().upload_field(field);
  Frame processors;
  const FrameStats plain = processor->render(ball_camera(43, 29), settings, other);
  processor->render(ball_camera(110, 80), settings, large);
  const FrameStats with_cells = processor->render(ball_camera(43, 29), settings, processors);
  EXPECT_NEAR(static_cast<double>(with_cells.evaluations), static_cast<double>(second.evaluations),
              0.05 * static_cast<double>(second.evaluations));
  EXPECT_LT(static_cast<double>(with_cells.evaluations),
            0.6 * static_cast<double>(plain.evaluations));
  EXPECT_GT(psnr(processors.rgb, other.rgb), 27);
  for (const Frame* own : {&small, &again}) {
    SCOPED_TRACE(own == &small ? "without bounds" : "with bounds");
    EXPECT_GT(psnr(own->rgb, other.rgb), own == &small ? 30 : 27);
    std::size_t flips = 0, inside = 0;
    for (std::size_t i = 0; i < other.alpha.pixels.size(); ++i) {
      inside += other.alpha.pixels[i] > 0;
      flips += own->alpha.pixels[i] != other.alpha.pixels[i] ||
               std::abs(own->depth_expected.pixels[i] - other.depth_expected.pixels[i]) > 0.03f;
    }
    EXPECT_LE(flips, inside / (own == &small ? 50 : 25))
        << "pixels at the silhouette, where rays graze the surface";
  }
}

TEST_P(DeviceFields, DivideTheCellsNearSurfacesForLargePictures) {
  GridConfig coarse = kSmallGrid;
  coarse.levels = 4;  // 16 cells per axis, of which about 440 are near the surface
  const NeuralField field = ball_field(cpu(), 0.1f, coarse);
  RenderSettings settings;
  settings.background = {0.5f, 0.5f, 0.5f};
  settings.outputs = {.alpha = true};
  const auto draw = [&](Backend& backend, int width, int height, Frame& frame) {
    const auto drawn = backend.upload_field(field);
    drawn->render(ball_camera(width, height), settings, frame);
    return drawn->render(ball_camera(43, 29), settings, frame).evaluations;
  };
  Frame whole, divided, other;
  const auto with_cells = static_cast<double>(draw(backend(), 64, 50, whole));
  const auto with_parts = static_cast<double>(draw(backend(), 160, 100, divided));
  const auto processors = static_cast<double>(draw(cpu(), 160, 100, other));
  EXPECT_LT(with_parts, 0.8 * with_cells);
  EXPECT_NEAR(with_parts, processors, 0.05 * processors);
  EXPECT_GT(psnr(divided.rgb, whole.rgb), 30);
  EXPECT_GT(psnr(divided.rgb, other.rgb), 30);
  EXPECT_GT(mean_of(divided.alpha), 0.005);
}

TEST_P(DeviceFields, DrawVolumesAsTheProcessorDoes) {
  NeuralField field =
      grid_field(FieldApplication::volume, kSmallGrid, {.neurons = 16, .hidden_layers = 1}, 0.6f);
  field.placement = {};
  field.render_box = {glm::vec3(0.1f), glm::vec3(0.9f, 0.8f, 0.9f)};
  for (const bool knows_empty_cells : {true, false}) {
    if (!knows_empty_cells) field.occupancy.values = {};
    RenderSettings settings;
    settings.background = {0.25f, 0.5f, 0.75f};
    settings.outputs = {.alpha = true, .depth = true, .overdraw = true};
    Frame own, other;
    const Camera camera = ball_camera(24, 18);
    const FrameStats stats = backend().upload_field(field)->render(camera, settings, own);
    cpu().upload_field(field)->render(camera, settings, other);
    EXPECT_GT(stats.evaluations, 500u);
    EXPECT_GT(psnr(own.rgb, other.rgb), 35);
    EXPECT_GT(mean_of(other.alpha), 0.03);
    EXPECT_NEAR(mean_of(own.alpha), mean_of(other.alpha), 0.01 * mean_of(other.alpha));
    EXPECT_NEAR(mean_of(own.depth_expected), mean_of(other.depth_expected),
                0.02 * mean_of(other.depth_expected));
    EXPECT_NEAR(mean_of(own.overdraw), mean_of(other.overdraw), 0.02 * mean_of(other.overdraw));
  }
}

TEST_P(DeviceFields, DrawImagesAsTheProcessorDoes) {
  const NeuralField field = image_field();
  expect_equal_pictures(backend(), cpu(), field, image_camera(4.0 / 3, 40, 30));
  expect_equal_pictures(backend(), cpu(), field, oblique_camera(43, 29));
}

TEST_P(DeviceFields, DrawSmallImagesWithSeveralSamplesOfAPixel) {
  NeuralField field = image_field();
  field.image_width = 160;
  field.image_height = 120;
  expect_equal_pictures(backend(), cpu(), field, oblique_camera(43, 29));
}

TEST_P(DeviceFields, DrawLightByTheDisplayCurve) {
  NeuralField field = image_field();
  field.hdr = true;
  expect_equal_pictures(backend(), cpu(), field, image_camera(4.0 / 3, 40, 30));
}

TEST_P(DeviceFields, DrawOnlyTheBackgroundBehindTheCamera) {
  Camera camera = image_camera(4.0 / 3, 20, 15);
  look_at(camera, {0, 0, -1}, {0, 0, -2}, {0, -1, 0});
  RenderSettings settings;
  settings.background = {0.25f, 0.5f, 0.75f};
  Frame frame;
  backend().upload_field(image_field())->render(camera, settings, frame);
  for (std::size_t i = 0; i < frame.rgb.pixels.size(); ++i) {
    ASSERT_EQ(frame.rgb.pixels[i], settings.background[i % 3]);
  }
}

}  // namespace
}  // namespace mote
