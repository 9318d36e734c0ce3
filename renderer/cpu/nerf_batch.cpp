#include "cpu/nerf_batch.h"

#include <algorithm>
#include <array>

#include "cpu/proposal_rays.h"

namespace mote {

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
  const RayChoice choice(request, placement, errors);
  rays_.resize(count);
  waves_.begin(count, most_samples);
  if (proposals_ != nullptr) proposals_->begin(count);
  static_assert(kRayPart <= RayChoice::kMostAtOnce);
  for_each_part(pool_, 0, count, kRayPart, [&](std::size_t from, std::size_t to) {
    std::array<ChosenRay, kRayPart> chosen;
    choice.choose(from, std::span(chosen).first(to - from));
    for (std::size_t i = from; i < to; ++i) start_ray(i, chosen[i - from], settings, latents);
  });
}

void NerfBatch::start_ray(std::size_t index, const ChosenRay& chosen, const MarchSettings& settings,
                          std::span<const float> latents) {
  Ray& ray = rays_[index];
  ray = {};
  static_cast<ChosenRay&>(ray) = chosen;
  if (ray.weight == 0) return;
  const std::size_t each = latents.empty() ? 0 : waves_.latents().size();
  const auto own = each > 0 ? latents.subspan(ray.photograph * each, each) : waves_.latents();
  if (proposals_ != nullptr) {
    proposals_->start(index, ray.origin, ray.direction);
    waves_.start(index, ray.origin, ray.direction, proposals_->samples(index), own);
    return;
  }
  waves_.start(index, settings, ray.origin, ray.direction, ray.jitter, own);
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

void NerfBatch::differentiate(FieldParameters tables, float* d_networks, bool by_cameras) {
  const NerfLayout& layout = shape_.layout;
  d_photo_latents_.assign(photographs_ * static_cast<std::size_t>(layout.latents), 0.0);
  first_color_input_ = by_cameras ? kNerfDensityOutputs : layout.first_latent;
  color_inputs_ = by_cameras ? layout.direction_inputs : layout.latents;
  compact();
  if (kept_.empty()) return;
  d_color_inputs_.resize_discard(static_cast<std::size_t>(color_inputs_) * waves_.stride());
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
      // The padding has a ray with a direction, which those that miss the field do not have: 0
      // times what is not a number would be a gradient.
      if (!kept_.empty()) std::fill(rays + kept_.size(), rays + end, rays[kept_.size() - 1]);
    }
  });
}

/// Sums the gradients of a photograph's samples, in their order.
void NerfBatch::add_latent_gradients() {
  const auto latents = static_cast<std::size_t>(shape_.layout.latents);
  if (latents == 0) return;
  const auto first = static_cast<std::size_t>(shape_.layout.first_latent - first_color_input_);
  pool_.run(latents, [&](std::size_t l, int) {
    const float* plane = d_color_inputs_.data() + (first + l) * waves_.stride();
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
                             .d_color_inputs = d_color_inputs_.data(),
                             .first_color_input = first_color_input_,
                             .color_inputs = color_inputs_},
                            from, to);
                      });
}

std::size_t NerfBatch::memory_bytes() const {
  return waves_.memory_bytes() + rays_.capacity() * sizeof(Ray) +
         (d_raw_.size() + d_color_inputs_.size() + forces_.size() + d_directions_.size()) *
             sizeof(float) +
         part_gradients_.memory_bytes() + kept_.capacity() * sizeof(std::uint32_t);
}

}  // namespace mote
