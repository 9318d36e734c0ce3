// Neural fields on the CUDA backend, run on the host, beside the processor's.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "backend/field_trainer.h"
#include "cpu/cpu_backend.h"
#include "cuda/gpu_backend.h"
#include "field_kernels_fixture.h"
#include "fields/image_plane.h"
#include "support/thrown_by.h"
#include "support/tiny_field.h"

namespace mote::cuda {
namespace {

class CudaFields : public OnTheHostRun {
 protected:
  CudaFields() : cuda_(make_gpu_backend("CUDA, run on the host", 2)), cpu_(make_cpu_backend({})) {}

  std::unique_ptr<Backend> cuda_, cpu_;
};

/// A field with a grid and a network of these sizes.
NeuralField field_of(FieldApplication application, GridConfig grid, const NetworkConfig& network,
                     float size = 0.4f) {
  grid.dimensions = field_inputs(application);
  FieldConfig config;
  config.encoding = {.parts = {{GridEncoding{grid}, 0, grid.dimensions}}};
  config.network = network;
  NeuralField field = tiny_field(application, config, 3);
  for (float& value : field.parameters) value *= size;
  field.image_width = 40;
  field.image_height = 30;
  return field;
}

constexpr GridConfig kGrid{
    .levels = 6, .features = 2, .log2_table_size = 8, .base_resolution = 4, .per_level_scale = 1.6};

/// Both backends' values at random positions.
void expect_equal_values(Backend& cuda, Backend& cpu, const NeuralField& field) {
  constexpr std::size_t kCount = 150, kStride = 160;
  std::mt19937 random(9);
  const auto inputs = static_cast<std::size_t>(field_inputs(field.application));
  const auto outputs = static_cast<std::size_t>(field_outputs(field.application));
  Buffer<float> positions(inputs * kStride), own(outputs * kStride), other(outputs * kStride);
  std::ranges::copy(random_floats(random, positions.size(), 0, 1), positions.data());
  cuda.upload_field(field)->evaluate(positions.data(), kCount, kStride, own.data());
  cpu.upload_field(field)->evaluate(positions.data(), kCount, kStride, other.data());
  float largest = 0, error = 0;
  for (std::size_t o = 0; o < outputs; ++o) {
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::size_t at = o * kStride + i;
      largest = std::max(largest, std::abs(other[at]));
      error = std::max(error, std::abs(own[at] - other[at]));
    }
  }
  EXPECT_GT(largest, 0.02f);
  // The processor rounds factors to BF16 where it has such products, the device to halves.
  EXPECT_LE(error, 0.03f * largest);
}

TEST_F(CudaFields, HaveTheValuesOfTheProcessor) {
  for (const FieldApplication application : {FieldApplication::sdf, FieldApplication::image}) {
    for (const int features : {2, 4, 8}) {
      for (const int levels : {1, 5, 8}) {
        SCOPED_TRACE(testing::Message() << features << " features, " << levels << " levels");
        GridConfig grid = kGrid;
        grid.features = features;
        grid.levels = levels;
        expect_equal_values(*cuda_, *cpu_,
                            field_of(application, grid, {.neurons = 32, .hidden_layers = 2}));
      }
    }
  }
}

TEST_F(CudaFields, HaveTheValuesOfTheProcessorForEachWidth) {
  for (const int neurons : {16, 32, 64, 128}) {
    for (const LayerActivation activation : {LayerActivation::relu, LayerActivation::tanh}) {
      expect_equal_values(
          *cuda_, *cpu_,
          field_of(FieldApplication::sdf, kGrid,
                   {.neurons = neurons,
                    .hidden_layers = 3,
                    .activation = activation,
                    .output_activation =
                        activation == LayerActivation::tanh ? activation : LayerActivation::none},
                   2 / std::sqrt(static_cast<float>(neurons))));
    }
  }
}

TEST_F(CudaFields, HaveEachKindAndInterpolationOfGrids) {
  for (const GridKind kind : {GridKind::hash, GridKind::dense, GridKind::tiled}) {
    for (const Interpolation interpolation :
         {Interpolation::nearest, Interpolation::linear, Interpolation::smoothstep}) {
      GridConfig grid = kGrid;
      grid.kind = kind;
      grid.interpolation = interpolation;
      grid.base_resolution = 5;  // a tile with an odd number of entries
      expect_equal_values(
          *cuda_, *cpu_,
          field_of(FieldApplication::sdf, grid, {.neurons = 16, .hidden_layers = 1}));
    }
  }
}

double psnr(const Image& a, const Image& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    const double d = static_cast<double>(a.pixels[i]) - static_cast<double>(b.pixels[i]);
    sum += d * d;
  }
  return -10 * std::log10(sum / static_cast<double>(a.pixels.size()) + 1e-12);
}

NeuralField image_field() {
  NeuralField field = field_of(FieldApplication::image, kGrid, {.neurons = 32, .hidden_layers = 2});
  return field;
}

/// Looks at the image from the side, with a part of the picture beside it.
Camera oblique_camera(int width, int height) {
  Camera camera = image_camera(4.0 / 3, width, height);
  look_at(camera, {0.7, -0.3, -0.9}, {0.2, 0.1, 0}, {0, -1, 0});
  return camera;
}

void expect_equal_pictures(Backend& cuda, Backend& cpu, const NeuralField& field,
                           const Camera& camera) {
  RenderSettings settings;
  settings.background = {0.25f, 0.5f, 0.75f};
  settings.outputs = {.alpha = true, .depth = true, .overdraw = true};
  Frame own, other;
  const FrameStats stats = cuda.upload_field(field)->render(camera, settings, own);
  cpu.upload_field(field)->render(camera, settings, other);
  EXPECT_GT(stats.evaluations, 0u);
  EXPECT_GT(psnr(own.rgb, other.rgb), 40);
  std::size_t flips = 0, inside = 0;
  for (std::size_t i = 0; i < other.alpha.pixels.size(); ++i) {
    inside += other.alpha.pixels[i] > 0;
    if (own.alpha.pixels[i] != other.alpha.pixels[i]) {
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

TEST_F(CudaFields, DrawImagesAsTheProcessorDoes) {
  const NeuralField field = image_field();
  expect_equal_pictures(*cuda_, *cpu_, field, image_camera(4.0 / 3, 40, 30));
  expect_equal_pictures(*cuda_, *cpu_, field, oblique_camera(43, 29));
}

TEST_F(CudaFields, DrawSmallImagesWithSeveralSamplesOfAPixel) {
  NeuralField field = image_field();
  field.image_width = 160;
  field.image_height = 120;
  expect_equal_pictures(*cuda_, *cpu_, field, oblique_camera(43, 29));
}

TEST_F(CudaFields, DrawLightByTheDisplayCurve) {
  NeuralField field = image_field();
  field.hdr = true;
  expect_equal_pictures(*cuda_, *cpu_, field, image_camera(4.0 / 3, 40, 30));
}

TEST_F(CudaFields, DrawOnlyTheBackgroundBehindTheCamera) {
  Camera camera = image_camera(4.0 / 3, 20, 15);
  look_at(camera, {0, 0, -1}, {0, 0, -2}, {0, -1, 0});
  RenderSettings settings;
  settings.background = {0.25f, 0.5f, 0.75f};
  Frame frame;
  cuda_->upload_field(image_field())->render(camera, settings, frame);
  for (std::size_t i = 0; i < frame.rgb.pixels.size(); ++i) {
    ASSERT_EQ(frame.rgb.pixels[i], settings.background[i % 3]);
  }
}

void expect_refused(Backend& cuda, const NeuralField& field, const std::string& phrase) {
  const Error error = thrown_by([&] { cuda.upload_field(field); });
  EXPECT_NE(error.problem().find(phrase), std::string::npos) << error.what();
  EXPECT_EQ(error.where(), cuda.description());
  EXPECT_EQ(error.remedy(), "use --device cpu");
}

TEST_F(CudaFields, RefuseWhatHasNoKernelsByItsName) {
  expect_refused(*cuda_, tiny_field(FieldApplication::nerf, 1), "radiance fields");
  expect_refused(*cuda_, tiny_field(FieldApplication::volume, 1), "volumes");
  const NetworkConfig network{.neurons = 16, .hidden_layers = 1};
  GridConfig grid = kGrid;
  grid.features = 1;
  expect_refused(*cuda_, field_of(FieldApplication::sdf, grid, network), "with 1 features");
  expect_refused(*cuda_, field_of(FieldApplication::sdf, kGrid, {.neurons = 48}), "48 neurons");
  expect_refused(
      *cuda_,
      field_of(FieldApplication::sdf, kGrid, {.kind = NetworkKind::gaussians, .neurons = 16}),
      "Gaussians");
  NeuralField field = field_of(FieldApplication::sdf, kGrid, network);
  field.config.encoding->parts.push_back({Frequency{3}, 1, 2});
  field.parameters.resize(field_parameters(field.application, field.config));
  expect_refused(*cuda_, field, "several parts");
  field.config.encoding->parts.erase(field.config.encoding->parts.begin());
  expect_refused(*cuda_, field, "other than grids");
}

TEST_F(CudaFields, RefuseImagesThatAreNotDrawn) {
  const auto surface = cuda_->upload_field(
      field_of(FieldApplication::sdf, kGrid, {.neurons = 16, .hidden_layers = 1}));
  const auto image = cuda_->upload_field(image_field());
  const Camera camera = image_camera(4.0 / 3, 20, 15);
  Frame frame;
  const Error error = thrown_by([&] { surface->render(camera, {}, frame); });
  EXPECT_NE(error.problem().find("signed distance fields"), std::string::npos);
  for (const RenderOutputs& outputs :
       {RenderOutputs{.normal = true}, RenderOutputs{.tile_cost = true},
        RenderOutputs{.slice = true}}) {
    RenderSettings settings;
    settings.outputs = outputs;
    EXPECT_EQ(thrown_by([&] { image->render(camera, settings, frame); }).where(),
              "the requested images");
  }
}

TEST_F(CudaFields, ReportMemoryThatDoesNotSuffice) {
  cuda_host::machine().memory_bytes = cuda_host::memory_use().bytes + 1000;
  const Error error = thrown_by([&] { cuda_->upload_field(image_field()); });
  EXPECT_NE(error.problem().find("out of device memory"), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find("--device cpu"), std::string::npos);
}

}  // namespace
}  // namespace mote::cuda
