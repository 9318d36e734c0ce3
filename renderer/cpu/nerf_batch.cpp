#include "cpu/nerf_batch.h"

#include <algorithm>

#include "cpu/proposal_rays.h"
#include "math/counter_random.h"
#include "math/display_curve.h"
#include "math/half.h"

namespace mote {
namespace {

/// Random numbers of one ray.
enum RayUse : std::uint64_t { kPhotograph, kColumn, kRow, kJitter, kRed, kGreen, kBlue, kRayUses };
constexpr std::uint64_t kExposureStream = 0x65787073;  // a stream of its own, for moving cameras

float unit_float(std::uint64_t bits) {
  return static_cast<float>(bits >> 40) * 0x1p-24f;
}

}  // namespace

NerfBatch::NerfBatch(const NerfShape& shape, const CpuKernels& kernels, ThreadPool& pool,
                     ProposalRays* proposals)
    : shape_(shape),
      kernels_(kernels),
      pool_(pool),
      proposals_(proposals),
      waves_(shape, kernels, pool) {}

void NerfBatch::choose(const FieldStepRequest& request, const FieldPlacement& placement,
                       const MarchSettings& settings, std::size_t count, std::size_t most_samples,
                       const ErrorMap* errors, std::span<const float> latents) {
  photographs_ = request.photographs.size();
  const MappedPhotos mapped(request, errors);
  std::vector<FieldCamera> cameras;
  for (const FieldPhoto& photo : request.photographs) {
    cameras.push_back(field_camera(placement, photo.camera));
  }
  rays_.resize(count);
  waves_.begin(count, most_samples);
  if (proposals_ != nullptr) proposals_->begin(count);
  for_each_part(pool_, 0, count, kRayPart, [&](std::size_t from, std::size_t to) {
    // Pixels are at random places in memory, which are fetched together.
    std::array<PhotoPixel, kRayPart> pixels;
    for (std::size_t i = from; i < to; ++i) {
      pixels[i - from] = choose_pixel(request, mapped, i);
      __builtin_prefetch(pixels[i - from].color);
      __builtin_prefetch(pixels[i - from].light);
      __builtin_prefetch(pixels[i - from].weight);
    }
    for (std::size_t i = from; i < to; ++i) {
      const PhotoPixel& pixel = pixels[i - from];
      start_ray(request, i, pixel, cameras[pixel.photograph], settings, latents);
    }
  });
}

std::uint64_t NerfBatch::ray_bits(const FieldStepRequest& request, std::size_t index,
                                  std::uint64_t use) {
  return random_bits(request.seed, index * kRayUses + use);
}

NerfBatch::MappedPhotos::MappedPhotos(const FieldStepRequest& request, const ErrorMap* map)
    : errors(map) {
  if (errors == nullptr) return;
  float sum = 0;
  for (const FieldPhoto& photo : request.photographs) {
    sum += errors->chance(photo.number);
    cumulative.push_back(sum);
  }
}

std::size_t NerfBatch::MappedPhotos::choose(float chosen) const {
  const auto found =
      std::upper_bound(cumulative.begin(), cumulative.end(), chosen * cumulative.back());
  return std::min(static_cast<std::size_t>(found - cumulative.begin()), cumulative.size() - 1);
}

NerfBatch::PhotoPixel NerfBatch::choose_pixel(const FieldStepRequest& request,
                                              const MappedPhotos& mapped, std::size_t index) {
  const auto below = [&](std::size_t count, RayUse use) {
    return static_cast<std::size_t>(random_below(count, ray_bits(request, index, use)));
  };
  const bool by_error = mapped.errors != nullptr && index % 2 == 1;
  PhotoPixel pixel;
  pixel.photograph = by_error ? mapped.choose(unit_float(ray_bits(request, index, kPhotograph)))
                              : below(request.photographs.size(), kPhotograph);
  const FieldPhoto& own = request.photographs[pixel.photograph];
  const PhotoPixels& photo = *own.photo;
  const int width = photo.width(), height = photo.height();
  if (by_error) {
    const PhotoPlace place = mapped.errors->place(own.number, ray_bits(request, index, kColumn));
    const auto along = [](float share, int size) {
      return std::min(static_cast<int>(share * static_cast<float>(size)), size - 1);
    };
    pixel.x = along(place.x, width);
    pixel.y = along(place.y, height);
  } else {
    pixel.x = static_cast<int>(below(static_cast<std::size_t>(width), kColumn));
    pixel.y = static_cast<int>(below(static_cast<std::size_t>(height), kRow));
  }
  const int channels = photo.channels(), offset = pixel.x * channels;
  if (photo.is_linear()) {
    pixel.light = photo.light.row(pixel.y) + offset;
  } else {
    pixel.color = photo.color.row(pixel.y) + offset;
  }
  pixel.has_coverage = channels == 4;
  pixel.weight = photo.mask.pixels.empty() ? nullptr : photo.mask.row(pixel.y) + pixel.x;
  return pixel;
}

/// Sets coverage and target of a ray that has its background.
void NerfBatch::set_target(const PhotoPixel& pixel, Ray& ray) {
  if (pixel.light != nullptr) {
    ray.coverage = pixel.has_coverage ? from_half(pixel.light[3]) : 1.0f;
    for (std::size_t c = 0; c < 3; ++c) {
      const float light = ray.coverage > 0 ? from_half(pixel.light[c]) / ray.coverage : 0;
      ray.target[c] = ray.coverage * unbounded_display_from_linear(light) +
                      (1 - ray.coverage) * ray.background[c];
    }
    return;
  }
  ray.coverage = pixel.has_coverage ? static_cast<float>(pixel.color[3]) / 255.0f : 1.0f;
  for (std::size_t c = 0; c < 3; ++c) {
    const float own = static_cast<float>(pixel.color[c]) / 255.0f;
    ray.target[c] = ray.coverage * own + (1 - ray.coverage) * ray.background[c];
  }
}

void NerfBatch::start_ray(const FieldStepRequest& request, std::size_t index,
                          const PhotoPixel& pixel, const FieldCamera& camera,
                          const MarchSettings& settings, std::span<const float> latents) {
  const auto random = [&](std::uint64_t use) { return unit_float(ray_bits(request, index, use)); };
  Ray& ray = rays_[index];
  ray = {};
  ray.photograph = static_cast<std::uint32_t>(pixel.photograph);
  const PhotoPixels& photo = *request.photographs[pixel.photograph].photo;
  ray.place = {(static_cast<float>(pixel.x) + 0.5f) / static_cast<float>(photo.width()),
               (static_cast<float>(pixel.y) + 0.5f) / static_cast<float>(photo.height())};
  ray.weight = pixel.weight == nullptr ? 1.0f : static_cast<float>(*pixel.weight) / 255.0f;
  for (std::size_t c = 0; c < 3; ++c) {
    ray.background[c] = request.random_background ? random(kRed + c) : request.background[c];
  }
  set_target(pixel, ray);
  if (ray.weight == 0) return;
  const float exposure = unit_float(random_bits(request.seed ^ kExposureStream, index));
  const auto through = camera.ray_through_lens(pixel.x + 0.5, pixel.y + 0.5, exposure);
  if (!through) {
    ray.weight = 0;
    return;
  }
  const std::size_t each = latents.empty() ? 0 : waves_.latents().size();
  const auto own = each > 0 ? latents.subspan(pixel.photograph * each, each) : waves_.latents();
  if (proposals_ != nullptr) {
    proposals_->start(index, through->origin, through->direction);
    waves_.start(index, through->origin, through->direction, proposals_->samples(index), own);
    return;
  }
  waves_.start(index, settings, through->origin, through->direction, random(kJitter), own);
  waves_.set_reach(index, 1, kTrainingStop);
}

void NerfBatch::trace(FieldParameters tables, const OccupancyBits& occupancy,
                      const MarchSettings& settings) {
  wave_count_ = 0;
  trained_ = dropped_ = 0;
  std::vector<std::uint32_t> alive;
  for (std::size_t i = 0; i < rays_.size(); ++i) {
    if (rays_[i].weight > 0 && !waves_.is_done(i)) alive.push_back(static_cast<std::uint32_t>(i));
  }
  while (!alive.empty()) {
    if (waves_of_rays_.size() == wave_count_) waves_of_rays_.emplace_back();
    Wave& wave = waves_of_rays_[wave_count_++];
    wave.alive = std::move(alive);
    wave.segments.assign(wave.alive.size(), {});
    wave.trained.assign(wave.alive.size(), 0);
    waves_.advance(tables, occupancy, settings, wave.alive,
                   NerfWaves::samples_per_ray(wave.alive.size()), wave.segments);
    composite(wave);
    alive.clear();
    for (std::size_t i = 0; i < wave.alive.size(); ++i) {
      Ray& ray = rays_[wave.alive[i]];
      if (wave.segments[i].count == NerfWaves::kNoSpace) {
        ray.weight = 0;
        dropped_ += static_cast<std::size_t>(NerfWaves::samples_per_ray(wave.alive.size()));
      }
      trained_ += wave.trained[i];
      const bool goes_on = ray.weight > 0 && !waves_.is_done(wave.alive[i]) &&
                           ray.color.transmittance >= kTrainingStop;
      if (goes_on) alive.push_back(wave.alive[i]);
    }
  }
}

/// Adds a wave's samples to the colours of its rays.
void NerfBatch::composite(Wave& wave) {
  for_each_part(pool_, 0, wave.alive.size(), kRayPart, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const RaySegment segment = wave.segments[i];
      if (segment.count == NerfWaves::kNoSpace) continue;
      RayColor<float>& color = rays_[wave.alive[i]].color;
      std::uint32_t k = 0;
      for (; k < segment.count && color.transmittance >= kTrainingStop; ++k) {
        add_sample(sample(segment.first + k), color);
      }
      wave.trained[i] = k;
      waves_.set_reach(wave.alive[i], color.transmittance, kTrainingStop);
    }
  });
}

void NerfBatch::differentiate(FieldParameters tables, float* d_networks) {
  const auto latents = static_cast<std::size_t>(shape_.layout.latents);
  d_photo_latents_.assign(photographs_ * latents, 0.0);
  compact();
  if (kept_.empty()) return;
  d_latents_.resize_discard(latents * waves_.stride());
  add_network_gradients(tables, d_networks);
  add_latent_gradients();
}

TableGradients NerfBatch::table_gradients() {
  return mote::table_gradients(shape_.encoding, kernels_, waves_.samples(), kept_.size());
}

/// Moves the trained samples to the front of their planes.
void NerfBatch::compact() {
  kept_.clear();
  for (std::size_t w = 0; w < wave_count_; ++w) {
    const Wave& wave = waves_of_rays_[w];
    for (std::size_t i = 0; i < wave.alive.size(); ++i) {
      if (rays_[wave.alive[i]].weight <= 0) continue;
      for (std::uint32_t k = 0; k < wave.trained[i]; ++k) {
        kept_.push_back(wave.segments[i].first + k);
      }
    }
  }
  const std::size_t stride = waves_.stride(), end = field_plane_stride(kept_.size());
  std::vector<float*> planes;
  for (std::size_t p = 0; p < shape_.encoding.features; ++p)
    planes.push_back(waves_.features() + p * stride);
  for (std::size_t p = 0; p < 3; ++p) planes.push_back(waves_.positions() + p * stride);
  for (std::size_t p = 0; p < 4; ++p) planes.push_back(d_raw_.data() + p * stride);
  pool_.run(planes.size() + 1, [&](std::size_t p, int) {
    // Samples move towards the front, so that none is overwritten before it has moved.
    if (p < planes.size()) {
      float* plane = planes[p];
      for (std::size_t i = 0; i < kept_.size(); ++i) plane[i] = plane[kept_[i]];
      std::fill(plane + kept_.size(), plane + end, 0.0f);
    } else {
      std::uint32_t* rays = waves_.rays();
      for (std::size_t i = 0; i < kept_.size(); ++i) rays[i] = rays[kept_[i]];
      std::fill(rays + kept_.size(), rays + end, 0u);
    }
  });
}

/// Sums the gradients of a photograph's samples, in their order.
void NerfBatch::add_latent_gradients() {
  const auto latents = static_cast<std::size_t>(shape_.layout.latents);
  if (latents == 0) return;
  pool_.run(latents, [&](std::size_t l, int) {
    const float* plane = d_latents_.data() + l * waves_.stride();
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      const std::size_t photograph = rays_[waves_.rays()[i]].photograph;
      d_photo_latents_[photograph * latents + l] += static_cast<double>(plane[i]);
    }
  });
}

void NerfBatch::add_network_gradients(FieldParameters tables, float* d_networks) {
  const NerfLayout& layout = shape_.layout;
  const std::size_t weights = layout.encoding_first;
  transposed_.resize_discard(weights);
  transpose_layers(shape_.density_layers, tables.networks, transposed_.data());
  transpose_layers(shape_.color_layers, tables.networks + layout.color_first,
                   transposed_.data() + layout.color_first);
  part_gradients_.add(pool_, field_plane_stride(kept_.size()), weights, d_networks,
                      [&](float* own, std::size_t from, std::size_t to) {
                        kernels_.nerf_backward(
                            {.forward = waves_.network_params(tables, true),
                             .density_transposed = transposed_.data(),
                             .color_transposed = transposed_.data() + layout.color_first,
                             .d_raw = d_raw_.data(),
                             .d_features = waves_.features(),
                             .d_density_weights = own,
                             .d_color_weights = own + layout.color_first,
                             .d_latents = d_latents_.data(),
                             .first_latent = layout.first_latent,
                             .latents = layout.latents},
                            from, to);
                      });
}

std::size_t NerfBatch::memory_bytes() const {
  return waves_.memory_bytes() + rays_.capacity() * sizeof(Ray) +
         (d_raw_.size() + d_latents_.size()) * sizeof(float) + part_gradients_.memory_bytes() +
         kept_.capacity() * sizeof(std::uint32_t);
}

}  // namespace mote
