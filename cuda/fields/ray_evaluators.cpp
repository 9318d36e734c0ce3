#include "cuda/fields/ray_evaluators.h"

#include "fields/planes.h"

namespace mote::cuda {

void NerfEvaluator::begin(std::size_t rays, std::size_t samples) {
  const std::size_t words = rays * static_cast<std::size_t>(form_.direction_words);
  filled_.resize_discard(words);
  directions_.resize_discard(words);
  samples_.begin(samples, with_gradients_);
}

void NerfEvaluator::set_direction(std::size_t ray, const glm::vec3& direction) {
  form_.encode(direction, filled_.data() + ray * static_cast<std::size_t>(form_.direction_words));
}

void NerfEvaluator::enqueue(const SamplePlanes& samples, unsigned first, unsigned count) {
  samples_.enqueue_density(tables_, samples.positions, first, count);
  samples_.enqueue_colors(tables_, samples.rays, directions_.data(), first, count);
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

void VolumeEvaluator::enqueue(const SamplePlanes& samples, unsigned first, unsigned count) {
  run_field_values({.field = tables_,
                    .positions = samples.positions + first,
                    .values = values_.data() + first,
                    .count = count,
                    .stride = stride_},
                   stream_);
}

}  // namespace mote::cuda
