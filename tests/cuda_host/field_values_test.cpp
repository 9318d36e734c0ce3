// Grid and network in one kernel, and pictures of images, against plain loops in double.
#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "cuda/fields/field_tables.h"
#include "cuda/kernels/fields/image_picture.h"
#include "field_kernels_fixture.h"
#include "fields/applications/field_layout.h"
#include "fields/encodings/grid.h"
#include "fields/image_plane.h"
#include "support/grid_field.h"
#include "support/plain_mlp.h"

namespace mote::cuda {
namespace {

using FieldKernels = OnTheHostRun;

double rounded_to_half(double value) {
  return as_half(value);
}

/// Its values are neither very small nor very large.
NeuralField field_of(FieldApplication application, const GridConfig& grid,
                     const NetworkConfig& network) {
  return grid_field(application, grid, network,
                    std::min(0.5f, 2.5f / std::sqrt(static_cast<float>(network.neurons))));
}

/// A field in double, with the roundings of the kernels.
class Reference {
 public:
  explicit Reference(const NeuralField& field)
      : field_(field),
        grid_(std::get<GridEncoding>(field.config.encoding->parts.front().kind).grid),
        levels_(grid_levels(grid_)),
        layout_(simple_field_layout(field.application, field.config)),
        network_(
            mlp_layers(layout_.network),
            Values(field.parameters.begin(),
                   field.parameters.begin() + static_cast<std::ptrdiff_t>(layout_.encoding_first)),
            rounded_to_half) {}

  Values value(const std::array<double, 3>& x) const {
    Values features;
    for (const GridLevel& level : levels_) add_features(level, x, features);
    features.resize(static_cast<std::size_t>(mlp_padded(layout_.network.inputs)));
    return network_.forward(features);
  }
  /// Whether rounding may move the position to another cell.
  bool is_near_border(const std::array<double, 3>& x) const {
    for (const GridLevel& level : levels_) {
      for (const double own : x) {
        const double at = static_cast<double>(level.scale) * own + 0.5;
        if (std::abs(at - std::round(at)) < 1e-4) return true;
      }
    }
    return false;
  }

 private:
  void add_features(const GridLevel& level, const std::array<double, 3>& x,
                    Values& features) const {
    const auto with = [&]<Interpolation INTERPOLATION, int D, int FEATURES>() {
      double at[D], own[FEATURES];
      std::copy_n(x.begin(), D, at);
      grid_features<INTERPOLATION>(
          level, at,
          [&](std::uint32_t index, int f) {
            const std::size_t place = (std::size_t{level.first} + index) * FEATURES +
                                      static_cast<std::size_t>(f) + layout_.encoding_first;
            return as_half(static_cast<double>(field_.parameters.at(place)));
          },
          own);
      for (const double feature : own) features.push_back(as_half(feature));
    };
    const auto by_size = [&]<Interpolation INTERPOLATION>() {
      const auto by_features = [&]<int D>() {
        if (grid_.features == 2) return with.template operator()<INTERPOLATION, D, 2>();
        if (grid_.features == 4) return with.template operator()<INTERPOLATION, D, 4>();
        with.template operator()<INTERPOLATION, D, 8>();
      };
      return grid_.dimensions == 2 ? by_features.template operator()<2>()
                                   : by_features.template operator()<3>();
    };
    switch (grid_.interpolation) {
      case Interpolation::nearest:
        return by_size.template operator()<Interpolation::nearest>();
      case Interpolation::linear:
        return by_size.template operator()<Interpolation::linear>();
      case Interpolation::smoothstep:
        return by_size.template operator()<Interpolation::smoothstep>();
    }
  }

  const NeuralField& field_;
  GridConfig grid_;
  std::vector<GridLevel> levels_;
  SimpleFieldLayout layout_;
  PlainMlp network_;
};

void expect_double_values(const NeuralField& field) {
  constexpr unsigned kCount = 150;
  constexpr std::size_t kStride = 160;
  std::mt19937 random(9);
  const auto inputs = static_cast<std::size_t>(field_inputs(field.application));
  const std::vector<float> positions = random_floats(random, inputs * kStride, 0, 1);
  const auto outputs = static_cast<std::size_t>(field_outputs(field.application));
  const DeviceTables tables(field, nullptr);
  const auto on_positions = on_device(positions);
  auto values = zeros_on_device<float>(outputs * kStride);
  run_field_values({.field = tables.tables(),
                    .positions = on_positions.data(),
                    .values = values.data(),
                    .count = kCount,
                    .stride = kStride},
                   nullptr);
  const std::vector<float> own = from_device(values);
  const Reference reference(field);
  double largest = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    std::array<double, 3> x{};
    for (std::size_t axis = 0; axis < inputs; ++axis) {
      x[axis] = static_cast<double>(positions[axis * kStride + i]);
    }
    if (reference.is_near_border(x)) continue;
    const Values expected = reference.value(x);
    for (std::size_t o = 0; o < outputs; ++o) {
      largest = std::max(largest, std::abs(expected[o]));
      ASSERT_NEAR(own[o * kStride + i], expected[o], 4e-3 * (1 + std::abs(expected[o])))
          << "position " << i << ", output " << o;
    }
  }
  EXPECT_GT(largest, 0.02);
}

TEST_F(FieldKernels, HaveTheValuesOfPlainLoopsForEachGrid) {
  for (const FieldApplication application : {FieldApplication::sdf, FieldApplication::image}) {
    for (const int features : {2, 4, 8}) {
      for (const int levels : {1, 4, 5, 9}) {
        SCOPED_TRACE(testing::Message() << features << " features, " << levels << " levels");
        GridConfig grid = kSmallGrid;
        grid.features = features;
        grid.levels = levels;
        expect_double_values(field_of(application, grid, {.neurons = 32, .hidden_layers = 2}));
      }
    }
  }
}

TEST_F(FieldKernels, HaveTheValuesOfPlainLoopsForEachKindAndInterpolation) {
  for (const GridKind kind : {GridKind::hash, GridKind::dense, GridKind::tiled}) {
    for (const Interpolation interpolation :
         {Interpolation::nearest, Interpolation::linear, Interpolation::smoothstep}) {
      GridConfig grid = kSmallGrid;
      grid.kind = kind;
      grid.interpolation = interpolation;
      grid.base_resolution = 5;  // a tile with an odd number of entries
      expect_double_values(
          field_of(FieldApplication::sdf, grid, {.neurons = 16, .hidden_layers = 1}));
    }
  }
}

TEST_F(FieldKernels, HaveTheValuesOfPlainLoopsForEachNetwork) {
  for (const int neurons : {16, 32, 64, 128, 144}) {
    for (const LayerActivation activation : {LayerActivation::relu, LayerActivation::tanh}) {
      for (const int hidden_layers : {1, 4}) {
        SCOPED_TRACE(testing::Message() << neurons << " neurons, " << hidden_layers << " layers");
        expect_double_values(field_of(
            FieldApplication::sdf, kSmallGrid,
            {.neurons = neurons,
             .hidden_layers = hidden_layers,
             .activation = activation,
             .output_activation =
                 activation == LayerActivation::tanh ? activation : LayerActivation::none}));
      }
    }
  }
}

TEST_F(FieldKernels, HaveTheSameValuesInAnyOrder) {
  const NeuralField field =
      field_of(FieldApplication::sdf, kSmallGrid, {.neurons = 32, .hidden_layers = 2});
  for (const std::uint64_t seed : {1u, 2u}) {
    cuda_host::machine().schedule_seed = seed;
    cuda_host::machine().blocks_in_flight = 2;
    expect_double_values(field);
  }
}

TEST_F(FieldKernels, DrawAnImageOfWhichEachPixelIsItsValue) {
  const NeuralField field =
      field_of(FieldApplication::image, kSmallGrid, {.neurons = 32, .hidden_layers = 2});
  const double aspect = image_aspect(field);
  constexpr int kWidth = 43, kHeight = 30;  // the last tiles are not full, with a border beside
  const Camera camera = image_camera(aspect, kWidth, kHeight);
  const DeviceTables tables(field, nullptr);
  auto rgb = zeros_on_device<float>(3 * kWidth * kHeight);
  ImagePictureArgs args{.field = tables.tables(),
                        .view = image_view(aspect, camera),
                        .width = kWidth,
                        .height = kHeight,
                        .samples_per_side = 1,
                        .hdr = false,
                        .background = {0.25f, 0.5f, 0.75f},
                        .images = {.texels = {},
                                   .rgb = rgb.data(),
                                   .alpha = nullptr,
                                   .depth_expected = nullptr,
                                   .depth_median = nullptr,
                                   .overdraw = nullptr,
                                   .normal = nullptr},
                        .stage_ticks = nullptr};
  run_image_picture(args, nullptr);
  const std::vector<float> one = from_device(rgb);
  args.samples_per_side = 2;
  run_image_picture(args, nullptr);
  const std::vector<float> four = from_device(rgb);
  const Reference reference(field);
  const auto across = [&](double x) { return (x - 0.5 * kWidth) / kHeight / aspect + 0.5; };
  // Rounding decides about points on the edge of the image.
  const auto is_on_edge = [&](int x) {
    bool on_edge = false;
    for (const double part : {0.25, 0.5, 0.75}) {
      const double u = across(x + part);
      on_edge = on_edge || std::min(std::abs(u), std::abs(u - 1)) < 1e-4;
    }
    return on_edge;
  };
  const auto color_at = [&](double x, double y) {
    const std::array<double, 3> at{across(x), y / kHeight, 0};
    Values color = {0.25, 0.5, 0.75};
    if (at[0] >= 0 && at[0] <= 1) {
      color = reference.value(at);
      for (double& channel : color) channel = std::clamp(channel, 0.0, 1.0);
    }
    return color;
  };
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      if (is_on_edge(x)) continue;
      const Values middle = color_at(x + 0.5, y + 0.5);
      Values mean(3);
      for (const double dx : {0.25, 0.75}) {
        for (const double dy : {0.25, 0.75}) {
          const Values part = color_at(x + dx, y + dy);
          for (std::size_t c = 0; c < 3; ++c) mean[c] += part[c] / 4;
        }
      }
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t at = 3 * static_cast<std::size_t>(y * kWidth + x) + c;
        ASSERT_NEAR(one[at], middle[c], 5e-3) << x << ", " << y;
        ASSERT_NEAR(four[at], mean[c], 5e-3) << x << ", " << y;
      }
    }
  }
}

}  // namespace
}  // namespace mote::cuda
