#include "ray_work.h"

#include <glm/geometric.hpp>
#include <vector>

#include "cuda/fields/device_occupancy.h"
#include "cuda/fields/ray_follower.h"
#include "cuda/runtime/runtime.h"
#include "cuda_host/controls.h"
#include "fields/applications/nerf_layout.h"
#include "fields/field_march.h"
#include "math/half.h"

namespace mote {
namespace {

using namespace cuda;

/// Cells of a ball around the middle of the cube.
OccupancyBits ball_of_cells() {
  OccupancyDensities densities{.cascades = 1, .values = std::vector<float>(kOccupancyCells)};
  for (std::uint32_t i = 0; i < kOccupancyCells; ++i) {
    const Vec3<float> at = cell_position(i, {0.5f, 0.5f, 0.5f});
    const glm::vec3 off = glm::vec3(at.x, at.y, at.z) - 0.5f;
    densities.values[i] = glm::length(off) < 0.25f ? 0.02f : 0.0f;
  }
  return OccupancyBits(densities);
}

NeuralField fog(const GridConfig& grid, int neurons) {
  FieldConfig config;
  config.encoding = {.parts = {{GridEncoding{grid}, 0, 3}}};
  config.network = {.neurons = neurons, .hidden_layers = 1};
  config.color_network = {.neurons = neurons, .hidden_layers = 2};
  NeuralField field;
  field.config = complete_nerf_config(config, 1);
  // Without parameters, the density is 1 everywhere.
  field.parameters.resize(nerf_layout(field.config).parameters);
  return field;
}

template <class T>
DeviceBuffer<T> copied(const std::vector<T>& values) {
  DeviceBuffer<T> buffer("values of a count");
  buffer.resize_discard(values.size());
  buffer.upload(values, nullptr);
  return buffer;
}

/// Parallel rays along z, in the order of a picture's pixels.
void start_rays(int width, RayFollower& follower) {
  const std::span<RayStart> starts = follower.host_starts();
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const RayPixel pixel = pixel_of_ray(static_cast<unsigned>(i), width);
    const auto across = [&](unsigned at) {
      return (static_cast<float>(at) + 0.5f) / static_cast<float>(width);
    };
    RayStart start{};
    start.origin[0] = across(pixel.x);
    start.origin[1] = across(pixel.y);
    start.origin[2] = -0.1f;
    start.direction[2] = 1;
    start.jitter = 0.5f;
    start.t_end = 10;
    start.depth_per_length = 1;
    start.is_ray = 1;
    starts[i] = start;
  }
  follower.enqueue_starts();
}

}  // namespace

RayWork ray_work(const GridConfig& grid, int neurons, int width) {
  cuda_host::machine().counts_wavefronts = true;
  cuda_host::machine().multiprocessors = 1;
  const NeuralField field = fog(grid, neurons);
  const NerfForm form(field);
  NerfWeights weights(form, false, nullptr);
  const auto networks = copied(std::vector<float>(form.layout.encoding_first));
  const auto table =
      copied(std::vector<std::uint16_t>(field.parameters.size() - form.layout.encoding_first + 16));
  weights.enqueue(networks.data());
  NerfEvaluator evaluator(form, false, nullptr);
  evaluator.use({table.data(), &weights});
  const OccupancyBits bits = ball_of_cells();
  DeviceOccupancy occupancy(nullptr);
  occupancy.upload(bits);
  RayFollower follower(nullptr);
  follower.begin(rays_of_picture(width, width), true);
  evaluator.begin_rays(follower.rays());
  start_rays(width, follower);
  evaluator.enqueue_directions(follower.starts(), follower.rays());
  follower.start_count();
  check(cudaStreamSynchronize(nullptr), "counting");
  const std::uint64_t products_before = cuda_host::matrix_products();
  follower.follow({.cells = occupancy.cells(),
                   .march = march_in_box(field_cube(1), 1, 2),
                   .box_min = 0,
                   .box_size = 1,
                   .stop = kDrawingStop,
                   .picture = {},
                   .keeps_colors = true},
                  evaluator, true);
  const auto samples = static_cast<double>(follower.evaluated());
  const auto products = static_cast<double>(cuda_host::matrix_products() - products_before);
  double wavefronts = 0;
  for (const auto& [name, own] : cuda_host::shared_wavefronts()) {
    if (name.find("RayFollowArgs") != std::string::npos) {
      wavefronts += static_cast<double>(own.wavefronts);
    }
  }
  // Two products for each block of weights and 16 samples.
  const double of_sample =
      2.0 / 16 *
      static_cast<double>(network_blocks(form.lane_density) + network_blocks(form.color));
  return {.samples_of_ray = samples / static_cast<double>(follower.rays()),
          .full = samples * of_sample / products,
          .products = products / samples,
          .wavefronts = wavefronts / samples,
          .ray_bytes = static_cast<double>(2 * sizeof(RayStart)) + 8.0 * form.direction_words + 12};
}

}  // namespace mote
