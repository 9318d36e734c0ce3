#include "cuda/fields/ray_evaluators.h"

#include <cstddef>

#include "core/error.h"
#include "fields/planes.h"

namespace mote::cuda {

void NerfEvaluator::begin(std::size_t rays, std::size_t samples) {
  begin_rays(rays);
  samples_.begin(samples, with_gradients_);
}

void NerfEvaluator::begin_rays(std::size_t rays) {
  directions_.resize_discard(rays * static_cast<std::size_t>(form_.direction_words));
}

void NerfEvaluator::enqueue_directions(const RayStart* starts, unsigned rays) {
  static_assert(sizeof(RayStart) % sizeof(float) == 0);
  const auto* const floats = reinterpret_cast<const float*>(starts);
  run_direction_encoding({.encoding = form_.direction,
                          .directions = floats + offsetof(RayStart, direction) / sizeof(float),
                          .step = sizeof(RayStart) / sizeof(float),
                          .stride = 1,
                          .latents = {tables_.latents, latent_owners_},
                          .words = directions_.data(),
                          .count = rays},
                         stream_);
}

void NerfEvaluator::enqueue_directions(const float* directions, std::size_t stride, unsigned rays) {
  run_direction_encoding({.encoding = form_.direction,
                          .directions = directions,
                          .step = 1,
                          .stride = stride,
                          .latents = {tables_.latents, latent_owners_},
                          .words = directions_.data(),
                          .count = rays},
                         stream_);
}

void NerfEvaluator::enqueue(const SamplePlanes& samples, const NerfSamples::Part& part) {
  samples_.enqueue_density(tables_, samples.positions, part);
  samples_.enqueue_colors(tables_, samples.rays, directions_.data(), part);
}

void VolumeEvaluator::begin(std::size_t /*rays*/, std::size_t samples) {
  stride_ = field_plane_stride(samples);
  values_.resize_discard(4 * stride_);
}

SampleValues VolumeEvaluator::values() const {
  return {.light = SampleLight::volume,
          .density = values_.data() + 3 * stride_,
          .colors = values_.data(),
          .stride = stride_,
          .soft_shift = 0,
          .soft_cells = 0};
}

RayField VolumeEvaluator::ray_field() const {
  return {.first = tables_,
          .color = {},
          .color_weights = nullptr,
          .directions = nullptr,
          .direction_words = 0,
          .light = SampleLight::volume,
          .soft = {0, 0}};
}

void VolumeEvaluator::enqueue(const SamplePlanes& samples, const NerfSamples::Part& part) {
  CHECK(part.known == nullptr);
  run_field_values({.field = tables_,
                    .positions = samples.positions + part.first,
                    .values = values_.data() + part.first,
                    .count = part.count,
                    .stride = stride_},
                   stream_);
}

}  // namespace mote::cuda
