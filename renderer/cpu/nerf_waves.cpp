#include "cpu/nerf_waves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "core/elapsed.h"
#include "core/error.h"
#include "fields/applications/compositing.h"
#include "fields/direction_encoding.h"
#include "fields/proposals/contraction.h"

namespace mote {
namespace {

void check_width(const MlpConfig& network, const char* key) {
  if (std::max(hidden_width(network), mlp_padded(network.inputs)) <= kMostMlpWidth) return;
  throw Error("the network is too wide for a NeRF", key,
              "use at most " + std::to_string(kMostMlpWidth) + " neurons and inputs");
}

void check_direction(const EncodingConfig& encoding) {
  for (const EncodingPart& part : encoding.parts) {
    if (std::holds_alternative<GridEncoding>(part.kind)) {
      throw Error("directions are not encoded by grids", "dir_encoding",
                  "use SphericalHarmonics or another encoding without parameters");
    }
  }
}

}  // namespace

NerfShape::NerfShape(const NeuralField& field)
    : config(field.config),
      layout(nerf_layout(field.config)),
      encoding(*config.encoding, static_cast<std::size_t>(mlp_padded(layout.density.inputs))),
      box_min(0.5f - 0.5f * static_cast<float>(field.aabb_scale)),
      box_size(static_cast<float>(field.aabb_scale)),
      contracted_reach(field.proposals ? inner_reach(field.aabb_scale) : 0),
      hdr(field.hdr),
      soft_cells(layout.soft_density ? layout.soft_density->cells / box_size : 0) {
  check_width(layout.density, "network");
  check_width(layout.color, "rgb_network");
  check_direction(*config.direction_encoding);
  density_layers = mlp_layers(layout.density);
  color_layers = mlp_layers(layout.color);
}

NerfWaves::NerfWaves(const NerfShape& shape, const CpuKernels& kernels, ThreadPool& pool)
    : shape_(shape),
      kernels_(kernels),
      pool_(pool),
      latents_(static_cast<std::size_t>(shape.layout.latents), 0.0f) {}

void NerfWaves::begin(std::size_t rays, std::size_t samples) {
  marches_.resize(rays);
  given_.assign(rays, nullptr);
  reach_.assign(rays, std::numeric_limits<float>::infinity());
  directions_.resize_discard(rays * static_cast<std::size_t>(shape_.layout.direction_inputs));
  stride_ = field_plane_stride(samples);
  positions_.resize_discard(3 * stride_);
  features_.resize_discard(shape_.encoding.features * stride_);
  raw_.resize_discard(4 * stride_);
  for (Buffer<float>* plane : {&t_, &dt_, &alpha_}) plane->resize_discard(stride_);
  rays_.resize_discard(stride_);
  used_ = 0;
}

void NerfWaves::start(std::size_t ray, const MarchSettings& settings, const glm::vec3& origin,
                      const glm::vec3& direction, float jitter, std::span<const float> latents) {
  marches_[ray] = begin_march(settings, {origin.x, origin.y, origin.z},
                              {direction.x, direction.y, direction.z}, jitter);
  given_[ray] = nullptr;
  if (marches_[ray].done()) return;
  set_direction(ray, direction, latents);
}

void NerfWaves::start(std::size_t ray, const glm::vec3& origin, const glm::vec3& direction,
                      std::span<const RaySample> samples, std::span<const float> latents) {
  RayMarch& march = marches_[ray];
  march = {};
  march.origin = {origin.x, origin.y, origin.z};
  march.direction = {direction.x, direction.y, direction.z};
  march.left = static_cast<int>(samples.size());
  given_[ray] = samples.data();
  set_direction(ray, direction, latents);
}

void NerfWaves::move_ray(std::size_t from, std::size_t to) {
  const auto inputs = static_cast<std::size_t>(shape_.layout.direction_inputs);
  marches_[to] = marches_[from];
  given_[to] = given_[from];
  reach_[to] = reach_[from];
  std::copy_n(directions_.data() + from * inputs, inputs, directions_.data() + to * inputs);
}

void NerfWaves::find_samples(const OccupancyBits& occupancy, const MarchSettings& settings,
                             std::span<const std::uint32_t> alive, int most) {
  const auto slots = static_cast<std::size_t>(most);
  slots_.resize(std::max(slots_.size(), alive.size() * slots));
  counts_.resize(std::max(counts_.size(), alive.size()));
  const OccupancyView cells = occupancy;
  const MarchParams params{.occupancy = &cells,
                           .settings = &settings,
                           .rays = marches_.data(),
                           .alive = alive.data(),
                           .reach = reach_.data(),
                           .most = most,
                           .samples = slots_.data(),
                           .counts = counts_.data()};
  constexpr std::size_t kMarchPart = 1024;  // rays, so that few lanes wait for its last ones
  for_each_part(pool_, 0, alive.size(), kMarchPart, [&](std::size_t from, std::size_t to) {
    if (!shape_.has_proposals()) return kernels_.march_rays(params, from, to);
    for (std::size_t i = from; i < to; ++i) {
      counts_[i] = static_cast<std::uint32_t>(
          take_given(alive[i], std::span(slots_).subspan(i * slots, slots)));
    }
  });
}

/// Copies the next samples that a ray was given. Returns their number.
std::size_t NerfWaves::take_given(std::size_t ray, std::span<RaySample> out) {
  RayMarch& march = marches_[ray];
  const std::size_t found = std::min(out.size(), static_cast<std::size_t>(march.left));
  std::copy_n(given_[ray], found, out.data());
  given_[ray] += found;
  march.left -= static_cast<int>(found);
  return found;
}

void NerfWaves::set_direction(std::size_t ray, const glm::vec3& direction,
                              std::span<const float> latents) {
  const auto inputs = static_cast<std::size_t>(shape_.layout.direction_inputs);
  encode_direction(*shape_.config.direction_encoding, direction, latents,
                   directions_.data() + ray * inputs);
}

void NerfWaves::set_reach(std::size_t ray, float transmittance, float stop) {
  reach_[ray] = reach_of(stop, transmittance);
}

int NerfWaves::samples_per_ray(std::size_t rays) {
  constexpr std::size_t kWorthwhile = std::size_t{1} << 15;  // samples of a wave
  constexpr std::size_t kLeast = 8, kMost = 128;
  return static_cast<int>(std::clamp(kWorthwhile / std::max<std::size_t>(rays, 1), kLeast, kMost));
}

void NerfWaves::advance(FieldParameters tables, const OccupancyBits& occupancy,
                        const MarchSettings& settings, std::span<const std::uint32_t> alive,
                        int most, std::span<RaySegment> segments) {
  const auto start = SteadyClock::now();
  find_samples(occupancy, settings, alive, most);
  std::size_t at = used_;
  for (std::size_t i = 0; i < alive.size(); ++i) {
    const bool fits = at + counts_[i] <= stride_;
    segments[i] = {static_cast<std::uint32_t>(at), fits ? counts_[i] : kNoSpace};
    if (fits) at += counts_[i];
  }
  const std::size_t begin = used_, end = field_plane_stride(at);
  place(alive, most, segments);
  for (std::size_t i = at; i < end; ++i) {
    set_position(i, {0.5f, 0.5f, 0.5f});
    t_[i] = dt_[i] = 0;
    rays_[i] = alive.empty() ? 0 : alive[0];
  }
  times_.march_ms += ms_since(start);
  evaluate(tables, true, begin, end);
  used_ = end;
}

void NerfWaves::place(std::span<const std::uint32_t> alive, int most,
                      std::span<RaySegment> segments) {
  const auto slots = static_cast<std::size_t>(most);
  for_each_part(pool_, 0, alive.size(), kRayPart, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (segments[i].count == kNoSpace) continue;
      const RayMarch& ray = marches_[alive[i]];
      for (std::size_t k = 0; k < segments[i].count; ++k) {
        const RaySample& sample = slots_[i * slots + k];
        const std::size_t to_sample = segments[i].first + k;
        const Vec3<float> position = ray.origin + ray.direction * sample.t;
        set_position(to_sample, shape_.has_proposals()
                                    ? contracted_place(position, shape_.contracted_reach)
                                    : position);
        t_[to_sample] = sample.t;
        dt_[to_sample] = sample.dt;
        rays_[to_sample] = alive[i];
      }
    }
  });
}

void NerfWaves::set_position(std::size_t sample, Vec3<float> position) {
  const float scale = 1 / shape_.box_size;
  positions_[sample] = (position.x - shape_.box_min) * scale;
  positions_[stride_ + sample] = (position.y - shape_.box_min) * scale;
  positions_[2 * stride_ + sample] = (position.z - shape_.box_min) * scale;
}

NerfNetworkParams NerfWaves::network_params(FieldParameters tables, bool with_color) {
  return {.density_layers = shape_.density_layers.data(),
          .color_layers = with_color ? shape_.color_layers.data() : nullptr,
          .density_layer_count = static_cast<int>(shape_.density_layers.size()),
          .color_layer_count = with_color ? static_cast<int>(shape_.color_layers.size()) : 0,
          .density_weights = tables.networks,
          .color_weights = tables.networks + shape_.layout.color_first,
          .features = features_.data(),
          .directions = directions_.data(),
          .rays = rays_.data(),
          .direction_inputs = shape_.layout.direction_inputs,
          .raw = raw_.data(),
          .stride = stride_};
}

void NerfWaves::evaluate(FieldParameters tables, bool with_color, std::size_t begin,
                         std::size_t end) {
  if (begin == end) return;
  const auto start = SteadyClock::now();
  encode_positions(shape_.encoding, kernels_, pool_, tables.table, samples(), begin, end);
  const auto encoded = SteadyClock::now();
  times_.encode_ms += ms_since(start);
  const NerfNetworkParams params = network_params(tables, with_color);
  const ShadeParams shading{.raw = raw_.data(),
                            .dt = dt_.data(),
                            .alpha = alpha_.data(),
                            .hdr = shape_.hdr,
                            .stride = stride_};
  for_each_part(pool_, begin, end, kSamplePart, [&](std::size_t from, std::size_t to) {
    kernels_.nerf_forward(params, from, to);
    if (shape_.layout.soft_density) soften(from, to);
    if (with_color) kernels_.shade_samples(shading, from, to);
  });
  times_.network_ms += ms_since(encoded);
}

void NerfWaves::soften(std::size_t begin, std::size_t end) {
  kernels_.soften_densities({.raw = raw_.data(),
                             .shift = shape_.layout.soft_density->shift,
                             .log_cells = std::log(shape_.soft_cells)},
                            begin, end);
}

std::size_t NerfWaves::memory_bytes() const {
  std::size_t floats = directions_.size() + rays_.size();
  for (const Buffer<float>* buffer : {&positions_, &features_, &t_, &dt_, &raw_, &alpha_}) {
    floats += buffer->size();
  }
  return floats * sizeof(float) + slots_.capacity() * sizeof(RaySample) +
         marches_.capacity() * sizeof(RayMarch) + given_.capacity() * sizeof(RaySample*) +
         reach_.capacity() * sizeof(float) + counts_.capacity() * sizeof(std::uint32_t);
}

}  // namespace mote
