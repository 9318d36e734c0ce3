#pragma once

// Steps of a NeRF's training on the CPU without an optimiser: a small field with random parameters,
// random photographs, and the gradients of a step.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <variant>
#include <vector>

#include "core/buffer.h"
#include "cpu/cpu_field.h"
#include "cpu/nerf_batch.h"
#include "cpu/stored_proposals.h"
#include "fields/field_camera.h"
#include "math/counter_random.h"
#include "math/half.h"
#include "scene/photo_light.h"
#include "support/table_sums.h"
#include "support/tiny_field.h"
#include "support/tiny_proposals.h"

namespace mote {

struct FieldStepOptions {
  int aabb_scale = 1;
  std::vector<EncodingPart> more_encoding{};  // behind the grid
  bool hdr = false;
  int latents = 0;
  bool light = false;  // the photographs are linear light
  FieldLoss loss = FieldLoss::l2;
  DensityActivation density{};
  LayerActivation activation = LayerActivation::tanh;  // smooth, so that differences converge
  bool all_occupied = false;                           // else about half of the cells, in cubes
  float known_density = 1.01f * kOccupiedDensity;      // of occupied cells, smallest step
  float scale = 0.5f;                                  // of the networks' parameters
  std::size_t rays = 24;
  std::size_t space = std::size_t{1} << 18;  // for samples
  bool proposals = false;                    // two rounds choose the samples, in even intervals
  Interpolation interpolation = Interpolation::linear;  // of the grid
};

/// Tests may change all but the options between steps.
struct FieldStepCase {
  explicit FieldStepCase(const FieldStepOptions& chosen = {}) : options(chosen) {
    std::mt19937 random(17);
    FieldConfig config = tiny_field_config(FieldApplication::nerf);
    std::vector<EncodingPart>& parts = config.encoding->parts;
    std::get<GridEncoding>(parts.front().kind).grid.interpolation = options.interpolation;
    parts.insert(parts.end(), options.more_encoding.begin(), options.more_encoding.end());
    config = with_latents(std::move(config), options.latents);
    field = tiny_field(FieldApplication::nerf, config, 3, options.aabb_scale);
    for (int i = 0; i < 3 * options.latents; ++i) {
      latents.push_back(static_cast<float>(random() >> 8) * 0x1p-23f - 1);
    }
    field.hdr = options.hdr;
    field.config.density = options.density;
    if (options.proposals) field.proposals = tiny_proposals();
    field.config.network->activation = options.activation;
    field.config.color_network->activation = options.activation;
    for (std::size_t i = 0; i < field.occupancy.values.size(); ++i) {
      field.occupancy.values[i] =
          options.all_occupied || random_cube(i) ? options.known_density : 0.0f;
    }
    split_parameters();
    add_photographs(random);
    request = {.photographs = photographs, .background = {0.75f, 0.25f, 0.5f}, .seed = 5};
  }
  FieldStepCase(const FieldStepCase&) = delete;

  const FieldStepOptions options;
  NeuralField field;  // without its parameters
  Buffer<float> networks;
  Buffer<std::uint16_t> table;  // multiples of 2^-10 from -1 to 1
  std::size_t color_first = 0;  // among `networks`
  std::vector<float> latents;   // [photographs][options.latents]
  std::vector<PhotoPixels> pixels{3};
  std::vector<FieldPhoto> photographs;  // opaque; with alpha; with a mask and an exposure
  FieldStepRequest request;

 private:
  static bool random_cube(std::size_t cell) { return random_bits(1, cell / 4096) % 2 == 0; }

  void split_parameters() {
    const NerfLayout layout = nerf_layout(field.config);
    color_first = layout.color_first;
    networks.resize_discard(layout.encoding_first);
    // With the usual scale, rays end by leaving the field, not because little light is left.
    for (std::size_t i = 0; i < networks.size(); ++i) {
      networks[i] = options.scale * field.parameters[i];
    }
    table.resize_discard(layout.parameters - layout.encoding_first);
    for (std::size_t i = 0; i < table.size(); ++i) {
      table[i] = to_half(std::round(0x1p10f * field.parameters[networks.size() + i]) * 0x1p-10f);
    }
    field.parameters.clear();
  }

  static void fill(Image8& image, int width, int height, int channels, std::mt19937& random) {
    image.resize_discard(width, height, channels);
    for (std::uint8_t& byte : image.pixels.span()) byte = static_cast<std::uint8_t>(random());
  }

  void add_photographs(std::mt19937& random) {
    const glm::dvec3 center = world_from_field(field.placement, glm::dvec3(0.5));
    // Far enough that no sample is near the camera, where the gradient is not that of the loss.
    const double distance = 1.3 * field.aabb_scale / field.placement.scale;
    const glm::dvec3 towards[] = {{1, 0, 0}, {-0.48, 0.8, 0.36}, {0, -0.6, -0.8}};
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      Camera camera;
      camera.width = 9 + static_cast<int>(i);
      camera.height = 11 - static_cast<int>(i);
      camera.focal_px = {20, 21};
      camera.center_px = {5, 4.5};
      look_at(camera, center + distance * towards[i], center, {0, 0, 1});
      fill(pixels[i].color, camera.width, camera.height, i == 1 ? 4 : 3, random);
      if (i == 2) fill(pixels[i].mask, camera.width, camera.height, 1, random);
      if (options.light) pixels[i] = lit(pixels[i]);
      photographs.push_back({camera, &pixels[i]});
    }
    for (std::size_t p = 0; p < pixels[2].mask.pixels.size(); p += 3) pixels[2].mask.pixels[p] = 0;
    photographs[2].exposure = {1.25f, 0.1f, -0.05f, 0.1f, 0.05f, 0.75f,
                               0.1f,  0,    -0.1f,  0,    1.1f,  -0.05f};
  }
};

/// The gradients by the parameters of the case.
struct FieldStepOutcome {
  FieldStepResult result;
  std::vector<float> density, color, table;
  std::vector<float> latents;  // [photographs][latents]
  std::uint64_t samples_found = 0, samples_evaluated = 0;
};

/// Takes steps with a case's shape and occupancy. The case must outlive it.
class FieldStepper {
 public:
  FieldStepper(const FieldStepCase& own, const CpuKernels& kernels, int threads = 1)
      : case_(own),
        shape_(own.field),
        occupancy_(own.field.occupancy),
        pool_(threads),
        batch_(shape_, kernels, pool_, make_proposals(kernels)) {}

  /// The forward pass alone.
  FieldStepResult forward() {
    const FieldStepOptions& options = case_.options;
    const MarchSettings march =
        march_in_box(field_cube(options.aabb_scale), options.aabb_scale, kCoarseness);
    batch_.choose(case_.request, case_.field.placement, march, options.rays, options.space, nullptr,
                  case_.latents);
    // Even intervals do not move with the parameters, so that losses have differences.
    if (proposals_) proposals_->rays().sample(proposals_->tables(), 0, case_.request.seed);
    batch_.trace(tables(), occupancy_, march);
    FieldStepResult result;
    batch_.grade(case_.request, options.loss, result);
    return result;
  }

  FieldStepOutcome step() {
    FieldStepOutcome outcome;
    outcome.result = forward();
    outcome.samples_found = batch_.samples_found();
    outcome.samples_evaluated = batch_.waves().sample_count();
    Buffer<float> networks(case_.networks.size());
    std::ranges::fill(networks.span(), 0.0f);
    const bool by_cameras = case_.request.pose_gradients;
    batch_.differentiate(tables(), networks.data(), by_cameras);
    if (by_cameras) {
      batch_.add_pose_gradients(tables(), case_.request, case_.field.placement, outcome.result);
    }
    const Buffer<float> table = table_sums(batch_.table_gradients(), case_.table.size());
    const std::vector<double>& latents = batch_.latent_gradients();
    for (const double slope : latents) outcome.latents.push_back(static_cast<float>(slope));
    float* color = networks.data() + case_.color_first;
    outcome.density.assign(networks.data(), color);
    outcome.color.assign(color, networks.data() + networks.size());
    outcome.table.assign(table.data(), table.data() + case_.table.size());
    return outcome;
  }

 private:
  static constexpr float kCoarseness = 8;

  ProposalRays* make_proposals(const CpuKernels& kernels) {
    if (!case_.field.proposals) return nullptr;
    return &proposals_.emplace(case_.field, kernels, pool_).rays();
  }
  FieldParameters tables() const { return {case_.networks.data(), case_.table.data()}; }

  const FieldStepCase& case_;
  const NerfShape shape_;
  const OccupancyBits occupancy_;
  ThreadPool pool_;
  std::optional<StoredProposals> proposals_;
  NerfBatch batch_;
};

}  // namespace mote
