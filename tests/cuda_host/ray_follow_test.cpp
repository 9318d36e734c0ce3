// Rays through a field in one kernel: against the separate kernels, in waves; encoded directions
// and rays of cameras against those of the processor.
#include <algorithm>
#include <cmath>
#include <glm/geometric.hpp>
#include <limits>

#include "cuda/fields/device_occupancy.h"
#include "cuda/fields/field_tables.h"
#include "cuda/fields/ray_follower.h"
#include "cuda/kernels/fields/direction_encoding.h"
#include "field_kernels_fixture.h"
#include "fields/applications/nerf_layout.h"
#include "fields/direction_encoding.h"
#include "fields/field_camera.h"
#include "fields/field_march.h"
#include "fields/initial_parameters.h"
#include "support/field_trainer_fixture.h"
#include "support/grid_field.h"

namespace mote::cuda {
namespace {

using FollowedRays = OnTheHostRun;

constexpr unsigned kRays = 75;

std::vector<RayStart> starts_in_cube() {
  std::mt19937 random(2);
  std::vector<RayStart> starts;
  for (unsigned i = 0; i < kRays; ++i) {
    const std::vector<float> own = random_floats(random, 6, -1, 1);
    const glm::vec3 direction = glm::normalize(glm::vec3(own[0], own[1], own[2] + 1.5f));
    RayStart start{};
    start.origin[0] = 0.5f + 0.3f * own[3];
    start.origin[1] = 0.5f + 0.3f * own[4];
    start.origin[2] = -0.2f;
    for (int axis = 0; axis < 3; ++axis) start.direction[axis] = direction[axis];
    start.jitter = 0.5f + 0.5f * own[5];
    start.t_end = std::numeric_limits<float>::max();
    start.depth_per_length = 0.5f;
    start.is_ray = i % 9 == 4 ? 0 : 1;
    starts.push_back(start);
  }
  return starts;
}

/// About a third of the cells are occupied.
OccupancyBits some_cells() {
  OccupancyDensities densities{.cascades = 1, .values = std::vector<float>(kOccupancyCells)};
  std::mt19937 random(5);
  for (std::size_t first = 0; first < kOccupancyCells; first += 4096) {
    std::fill_n(densities.values.begin() + static_cast<std::ptrdiff_t>(first), 4096,
                random() % 3 == 0 ? 0.5f : 0.0f);
  }
  return OccupancyBits(densities);
}

struct Colors {
  std::vector<DrawnColor> drawn;
  std::uint64_t evaluated;
};

Colors followed(RayEvaluator& evaluator, bool in_one_kernel) {
  const OccupancyBits bits = some_cells();
  DeviceOccupancy occupancy(nullptr);
  occupancy.upload(bits);
  RayFollower follower(nullptr);
  follower.begin(kRays, true);
  evaluator.begin(kRays, follower.wave_samples());
  std::ranges::copy(starts_in_cube(), follower.host_starts().begin());
  follower.enqueue_starts();
  evaluator.enqueue_directions(follower.starts(), follower.rays());
  follower.start_count();
  follower.follow({.cells = occupancy.cells(),
                   .march = march_in_box(field_cube(1), 1, 8),
                   .box_min = 0,
                   .box_size = 1,
                   .stop = kDrawingStop,
                   .picture = {},
                   .keeps_colors = true},
                  evaluator, in_one_kernel);
  Colors result{std::vector<DrawnColor>(kRays), follower.evaluated()};
  follower.download_drawn(result.drawn);
  check(cudaStreamSynchronize(nullptr), "a test");
  return result;
}

void expect_same_colors(RayEvaluator& evaluator) {
  ASSERT_TRUE(evaluator.can_follow());
  const Colors own = followed(evaluator, true), waves = followed(evaluator, false);
  std::uint64_t samples = 0;
  double light = 0;
  for (unsigned i = 0; i < kRays; ++i) {
    const DrawnColor &a = own.drawn[i], &b = waves.drawn[i];
    samples += a.samples;
    light += static_cast<double>(1 - a.color.transmittance);
    // A ray may end a sample earlier by rounding.
    ASSERT_NEAR(static_cast<double>(a.samples), b.samples, 1) << "ray " << i;
    ASSERT_NEAR(a.color.transmittance, b.color.transmittance, 4e-3f) << "ray " << i;
    for (int c = 0; c < 3; ++c) ASSERT_NEAR(a.color.color[c], b.color.color[c], 4e-3f) << i;
    ASSERT_NEAR(a.depth_sum, b.depth_sum, 4e-3f) << i;
  }
  EXPECT_GT(samples, 10 * kRays);
  EXPECT_GT(light, 0.05 * kRays);
  EXPECT_EQ(own.evaluated, samples);  // none behind the end of a ray
  EXPECT_GE(waves.evaluated, samples - kRays);
}

/// A NeRF with densities and colours that differ from place to place.
NeuralField nerf_of(const GridConfig& grid, const NetworkConfig& network) {
  FieldConfig config;
  config.encoding = {.parts = {{GridEncoding{grid}, 0, 3}}};
  config.network = config.color_network = network;
  NeuralField field = new_field(1);
  field.config = complete_nerf_config(config, 1);
  field.parameters = initial_nerf_parameters(field.config, 7);
  const std::size_t first = nerf_layout(field.config).encoding_first;
  for (std::size_t i = first; i < field.parameters.size(); ++i) field.parameters[i] *= 3e4f;
  return field;
}

/// On the device.
class NerfOnDevice {
 public:
  explicit NerfOnDevice(const NeuralField& field)
      : form_(field), weights_(form_, false, nullptr), evaluator_(form_, false, nullptr) {
    const auto first = static_cast<std::ptrdiff_t>(form_.layout.encoding_first);
    networks_ =
        on_device(std::vector<float>(field.parameters.begin(), field.parameters.begin() + first));
    std::vector<std::uint16_t> halves;
    for (auto value = field.parameters.begin() + first; value != field.parameters.end(); ++value) {
      halves.push_back(to_half(*value));
    }
    halves.resize(halves.size() + 16);
    table_ = on_device(halves);
    weights_.enqueue(networks_.data());
    evaluator_.use({table_.data(), &weights_});
  }
  NerfEvaluator& evaluator() { return evaluator_; }

 private:
  NerfForm form_;
  NerfWeights weights_;
  DeviceBuffer<float> networks_{"networks of a test"};
  DeviceBuffer<std::uint16_t> table_{"a table of a test"};
  NerfEvaluator evaluator_;
};

constexpr GridConfig kGrid{
    .levels = 5, .features = 2, .log2_table_size = 9, .base_resolution = 4, .per_level_scale = 1.6};

TEST_F(FollowedRays, HaveTheColoursOfSeparateKernelsForEachWidth) {
  for (const int neurons : {16, 32, 64}) {
    for (const LayerActivation activation : {LayerActivation::relu, LayerActivation::tanh}) {
      SCOPED_TRACE(testing::Message() << neurons << " neurons");
      NerfOnDevice nerf(
          nerf_of(kGrid, {.neurons = neurons, .hidden_layers = 2, .activation = activation}));
      expect_same_colors(nerf.evaluator());
    }
  }
}

TEST_F(FollowedRays, GoInWavesThroughNetworksOf128Neurons) {
  NerfOnDevice nerf(nerf_of(kGrid, {.neurons = 128, .hidden_layers = 1}));
  EXPECT_FALSE(nerf.evaluator().can_follow());
}

TEST_F(FollowedRays, HaveTheColoursOfSeparateKernelsForEachGridAndLight) {
  for (const int features : {2, 4, 8}) {
    GridConfig grid = kGrid;
    grid.features = features;
    NeuralField field = nerf_of(grid, {.neurons = 32, .hidden_layers = 1});
    field.hdr = features == 4;
    NerfOnDevice nerf(field);
    expect_same_colors(nerf.evaluator());
  }
}

TEST_F(FollowedRays, HaveTheColoursOfSeparateKernelsWithWeightsInTheCaches) {
  // Blocks of compute capability 7.5 have 64 KB.
  cuda_host::machine().major = 7;
  cuda_host::machine().minor = 5;
  NerfOnDevice nerf(nerf_of(kGrid, {.neurons = 64, .hidden_layers = 4}));
  expect_same_colors(nerf.evaluator());
}

TEST_F(FollowedRays, PassThroughVolumesToo) {
  NeuralField field =
      grid_field(FieldApplication::volume, kSmallGrid, {.neurons = 32, .hidden_layers = 2}, 0.25f);
  const DeviceTables tables(field, nullptr);
  VolumeEvaluator evaluator(nullptr);
  evaluator.use(tables.tables());
  expect_same_colors(evaluator);
}

TEST_F(FollowedRays, HaveTheSameColoursInAnyOrderBitForBit) {
  NerfOnDevice nerf(nerf_of(kGrid, {.neurons = 16, .hidden_layers = 1}));
  const Colors first = followed(nerf.evaluator(), true);
  for (const std::uint64_t seed : {1u, 2u}) {
    cuda_host::machine().schedule_seed = seed;
    cuda_host::machine().multiprocessors = 3;
    const Colors other = followed(nerf.evaluator(), true);
    EXPECT_EQ(other.evaluated, first.evaluated);
    for (unsigned i = 0; i < kRays; ++i) {
      ASSERT_EQ(other.drawn[i].color.transmittance, first.drawn[i].color.transmittance);
      for (int c = 0; c < 3; ++c) {
        ASSERT_EQ(other.drawn[i].color.color[c], first.drawn[i].color.color[c]);
      }
    }
  }
}

TEST_F(FollowedRays, AreNotFollowedInOneKernelWithNetworksOfTwoWidths) {
  NeuralField field = nerf_of(kGrid, {.neurons = 16, .hidden_layers = 1});
  field.config.color_network->neurons = 32;
  field.parameters = initial_nerf_parameters(field.config, 7);
  NerfOnDevice nerf(field);
  EXPECT_FALSE(nerf.evaluator().can_follow());
}

TEST_F(FollowedRays, HaveTheEncodedDirectionsOfTheProcessor) {
  std::vector<EncodingConfig> configs;
  for (int degree = 1; degree <= kMostShEncodingDegree; ++degree) {
    configs.push_back({.parts = {{SphericalEncoding{degree}, 0, 3}}});
  }
  configs.push_back({.parts = {{Frequency{4}, 0, 3}}});
  configs.push_back({.parts = {{OneBlob{5}, 0, 3}}});
  configs.push_back({.parts = {{TriangleWave{3}, 1, 2}, {Identity{2, -1}, 0, 3}}});
  configs.push_back({.parts = {{EmptyEncoding{}, 0, 1}, {SphericalEncoding{2}, 0, 3}}});
  const std::vector<RayStart> starts = starts_in_cube();
  std::vector<float> directions(3 * kRays);
  for (unsigned i = 0; i < kRays; ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      directions[axis * kRays + i] = starts[i].direction[axis];
    }
  }
  const auto on_directions = on_device(directions);
  for (const EncodingConfig& config : configs) {
    ASSERT_TRUE(has_direction_kernels(config));
    const DirectionEncoding encoding = direction_encoding(config);
    const auto values = static_cast<std::size_t>(encoding.values);
    auto words = zeros_on_device<std::uint32_t>(kRays * values / 2);
    run_direction_encoding({.encoding = encoding,
                            .directions = on_directions.data(),
                            .step = 1,
                            .stride = kRays,
                            .latents = {},
                            .words = words.data(),
                            .count = kRays},
                           nullptr);
    const std::vector<std::uint32_t> own = from_device(words);
    std::vector<float> expected(values);
    for (unsigned i = 0; i < kRays; ++i) {
      encode_direction(config, {directions[i], directions[kRays + i], directions[2 * kRays + i]},
                       {}, expected.data());
      for (std::size_t k = 0; k < values; ++k) {
        const std::uint32_t word = own[(i * values + k) / 2];
        ASSERT_NEAR(k % 2 == 0 ? low_of(word) : high_of(word), expected[k],
                    1e-3f * (1 + std::abs(expected[k])))
            << "value " << k << " of " << values;
      }
    }
  }
  EXPECT_FALSE(has_direction_kernels({.parts = {{GridEncoding{kGrid}, 0, 3}}}));
}

TEST_F(FollowedRays, AreThoseOfTheCamera) {
  Camera camera = ball_camera({3, 0.4, 1});
  camera.width = 21;
  camera.height = 13;
  const FieldCamera in_field = field_camera({.scale = 0.5, .offset = glm::dvec3(0.5)}, camera);
  const auto count = static_cast<unsigned>(rays_of_picture(camera.width, camera.height));
  EXPECT_EQ(count, 24u * 16);
  auto starts = zeros_on_device<RayStart>(count);
  const glm::vec3 origin(in_field.origin);
  run_camera_rays({.origin = {origin.x, origin.y, origin.z},
                   .camera = plain_camera<float>(in_field),
                   .world_per_field = 2,
                   .width = camera.width,
                   .height = camera.height,
                   .first = 0,
                   .count = count,
                   .starts = starts.data()},
                  nullptr);
  const std::vector<RayStart> own = from_device(starts);
  std::vector<int> seen(static_cast<std::size_t>(camera.width * camera.height));
  for (unsigned i = 0; i < count; ++i) {
    const RayPixel pixel = pixel_of_ray(i, camera.width);
    const bool inside = pixel.x < 21 && pixel.y < 13;
    ASSERT_EQ(own[i].is_ray, inside ? 1u : 0u);
    if (!inside) continue;
    ++seen[pixel.y * 21 + pixel.x];
    const FieldCamera::Ray ray = in_field.ray_at(pixel.x + 0.5, pixel.y + 0.5);
    for (int axis = 0; axis < 3; ++axis) {
      ASSERT_NEAR(own[i].origin[axis], ray.origin[axis], 1e-6f);
      ASSERT_NEAR(own[i].direction[axis], ray.direction[axis], 1e-6f);
    }
    ASSERT_NEAR(own[i].depth_per_length, ray.depth_per_length, 1e-6f);
  }
  EXPECT_EQ(std::ranges::count(seen, 1), 21 * 13);
}

}  // namespace
}  // namespace mote::cuda
