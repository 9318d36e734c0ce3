#include "cuda/fields/nerf_step.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/error.h"
#include "fields/planes.h"

namespace mote::cuda {
namespace {

/// Gradients by values of samples, times the loss scale, are at most this: hidden layers then
/// seldom exceed halves.
constexpr float kMostSampleGradient = 16384;
constexpr std::size_t kSamplePlanes = 5;  // position, distance, length

RayStart chosen_start(const ChosenRay& ray) {
  RayStart start{};
  start.t_end = std::numeric_limits<float>::max();
  start.direction[2] = 1;
  if (ray.weight == 0) return start;
  start.is_ray = 1;
  start.jitter = ray.jitter;
  for (int axis = 0; axis < 3; ++axis) {
    start.origin[axis] = ray.origin[axis];
    start.direction[axis] = ray.direction[axis];
  }
  return start;
}

RayTarget chosen_target(const ChosenRay& ray) {
  RayTarget target{};
  std::ranges::copy(ray.target, target.color);
  std::ranges::copy(ray.background, target.background);
  target.weight = ray.weight;
  return target;
}

}  // namespace

void NerfStep::choose(const FieldStepRequest& request, const FieldPlacement& placement,
                      std::size_t count, std::size_t most_samples, const NerfTables& tables,
                      const ErrorMap* errors) {
  const RayChoice choice(request, placement, errors);
  evaluator_.use(tables);
  make_space(count, most_samples);
  const std::span<RayStart> starts = follower_.host_starts();
  constexpr std::size_t kPart = RayChoice::kMostAtOnce;
  pool_.run((count + kPart - 1) / kPart, [&](std::size_t task, int) {
    const std::size_t first = task * kPart, own = std::min(kPart, count - first);
    choice.choose(first, std::span(rays_).subspan(first, own));
    for (std::size_t i = first; i < first + own; ++i) {
      starts[i] = chosen_start(rays_[i]);
      host_targets_.data()[i] = chosen_target(rays_[i]);
      host_weights_.data()[i] = rays_[i].weight;
      host_photographs_.data()[i] = rays_[i].photograph;
    }
  });
  follower_.enqueue_starts();
  enqueue_targets(request);
}

void NerfStep::make_space(std::size_t count, std::size_t most_samples) {
  rays_.resize(count);
  follower_.begin(count);
  in_one_kernel_ = evaluator_.can_follow();
  // Waves take the same space before.
  const std::size_t samples =
      in_one_kernel_ ? most_samples : std::max(most_samples, follower_.wave_samples());
  capacity_ = static_cast<unsigned>(most_samples);
  evaluator_.begin(count, samples);
  const std::size_t stride = evaluator_.samples().stride();
  floats_.resize_discard(kSamplePlanes * stride);
  sample_rays_.resize_discard(stride);
  planes_ = {.positions = floats_.data(),
             .t = floats_.data() + 3 * stride,
             .dt = floats_.data() + 4 * stride,
             .rays = sample_rays_.data(),
             .stride = stride};
  sample_count_.resize_discard(1);
  scale_.resize_discard(1);
  scratch_.resize_discard(count + ray_blocks(static_cast<unsigned>(count)));
  host_targets_.resize_discard(count);
  targets_.resize_discard(count);
  host_weights_.resize_discard(count);
  weights_.resize_discard(count);
  host_photographs_.resize_discard(count);
  photographs_.resize_discard(count);
  host_losses_.resize_discard(count);
  losses_.resize_discard(count);
  host_segments_.resize_discard(count);
  segments_.resize_discard(count);
  host_drawn_.resize_discard(count);
}

void NerfStep::enqueue_targets(const FieldStepRequest& request) {
  targets_.upload(host_targets_.span(), stream_);
  weights_.upload(host_weights_.span(), stream_);
  photographs_.upload(host_photographs_.span(), stream_);
  host_exposures_.resize_discard(request.photographs.size() * kExposureValues);
  exposures_.resize_discard(host_exposures_.size());
  float* to = host_exposures_.data();
  for (const FieldPhoto& photo : request.photographs) {
    to = std::ranges::copy(photo.exposure, to).out;
  }
  exposures_.upload(host_exposures_.span(), stream_);
}

void NerfStep::enqueue_trace(const DeviceOccupancy& occupancy, const MarchSettings& march) {
  evaluator_.enqueue_directions(follower_.starts(), follower_.rays());
  follower_.start_count();
  follower_.follow({.cells = occupancy.cells(),
                    .march = march,
                    .box_min = form_.box_min,
                    .box_size = form_.box_size,
                    .stop = kTrainingStop,
                    .picture = {},
                    .keeps_colors = true},
                   evaluator_, in_one_kernel_);
  run_sample_places({.cells = occupancy.cells(),
                     .settings = march,
                     .starts = follower_.starts(),
                     .drawn = follower_.drawn(),
                     .count = follower_.rays(),
                     .weights = weights_.data(),
                     .segments = segments_.data(),
                     .box_min = form_.box_min,
                     .box_size = form_.box_size,
                     .samples = planes_,
                     .most = capacity_,
                     .sample_count = sample_count_.data(),
                     .scratch = scratch_.data()},
                    stream_);
  evaluator_.enqueue(planes_, part());
}

void NerfStep::enqueue_grade(FieldLoss loss) {
  const unsigned count = follower_.rays();
  const SampleValues values = evaluator_.values();
  run_ray_composite({.values = values,
                     .samples = planes_,
                     .segments = segments_.data(),
                     .weights = weights_.data(),
                     .drawn = follower_.drawn(),
                     .count = count},
                    stream_);
  run_gradient_scale(weights_.data(), count, scale_.data(), stream_);
  run_ray_grade({.loss = loss,
                 .drawn = follower_.drawn(),
                 .targets = targets_.data(),
                 .weights = weights_.data(),
                 .photographs = photographs_.data(),
                 .exposures = exposures_.data(),
                 .scale = scale_.data(),
                 .losses = losses_.data(),
                 .count = count},
                stream_);
  run_sample_gradients({.values = values,
                        .samples = planes_,
                        .segments = segments_.data(),
                        .weights = weights_.data(),
                        .losses = losses_.data(),
                        .count = count,
                        .most = kMostSampleGradient / loss_scale(),
                        .d_density = evaluator_.samples().d_density(),
                        .d_colors = evaluator_.samples().d_colors()},
                       stream_);
  losses_.download(host_losses_.span(), stream_);
  segments_.download(host_segments_.span(), stream_);
  follower_.download_drawn(host_drawn_.span());
  graded_.record(stream_);
}

void NerfStep::enqueue_gradients(DeviceOptimizer& parameters) {
  evaluator_.samples().enqueue_gradients(evaluator_.tables(), planes_.positions, part(),
                                         loss_scale(), parameters);
}

/// Sums over rays, in their order. Rays without space for their samples are not trained on.
void NerfStep::read(const FieldStepRequest& request, FieldStepResult& result) {
  graded_.synchronize();
  found_ = 0;
  double weight = 0;
  for (std::size_t i = 0; i < rays_.size(); ++i) {
    if (rays_[i].weight > 0) found_ += host_drawn_.data()[i].samples;
    if (host_segments_.data()[i].count == kNoSpaceForRay) rays_[i].weight = 0;
    weight += static_cast<double>(rays_[i].weight);
  }
  const double scale = weight > 0 ? 1 / weight : 0;
  result.photographs.assign(request.photographs.size(), {});
  for (std::size_t i = 0; i < rays_.size(); ++i) {
    const ChosenRay& ray = rays_[i];
    if (ray.weight <= 0) continue;
    const RayLoss& loss = host_losses_.data()[i];
    const DrawnColor& color = host_drawn_.data()[i];
    ++result.rays;
    result.samples += color.samples;
    result.loss += static_cast<double>(loss.loss) * scale / 3;
    result.l1 += static_cast<double>(loss.absolute) * scale / 3;
    result.mse += static_cast<double>(loss.squared) * scale / 3;
    Exposure& d_exposure = result.photographs[ray.photograph].exposure;
    for (std::size_t c = 0; c < 3; ++c) {
      // The background is seen through the field, and behind the photograph.
      result.d_background[c] +=
          loss.d_last[c] * color.color.transmittance - loss.d_shown[c] * (1 - ray.coverage);
      float* row = d_exposure.data() + c * kExposureRow;
      for (std::size_t from = 0; from < 3; ++from) row[from] += loss.d_shown[c] * loss.last[from];
      row[3] += loss.d_shown[c];
    }
  }
}

void NerfStep::add_errors(const FieldStepRequest& request, ErrorMap& errors) const {
  for (std::size_t i = 0; i < rays_.size(); ++i) {
    const ChosenRay& ray = rays_[i];
    if (ray.weight <= 0) continue;
    errors.add(request.photographs[ray.photograph].number, ray.place,
               host_losses_.data()[i].loss / ray.weight);
  }
}

/// A power of two. The gradients of a mean over n rays are 1/n of those of each: times 16 n, those
/// of samples are in the range of halves.
float NerfStep::loss_scale() const {
  return 16 * static_cast<float>(std::bit_floor(std::max(rays_.size(), std::size_t{1})));
}

float NerfStep::table_factor(GradientSums kind) const {
  return gradient_of_sum(kind, capacity_, loss_scale());
}

std::size_t NerfStep::memory_bytes() const {
  return follower_.memory_bytes() + evaluator_.memory_bytes() + floats_.bytes() +
         sample_rays_.bytes() + targets_.bytes() + weights_.bytes() + photographs_.bytes() +
         exposures_.bytes() + scratch_.bytes() + segments_.bytes() + losses_.bytes();
}

std::size_t NerfStep::host_bytes() const {
  return follower_.host_bytes() + host_targets_.bytes() + host_weights_.bytes() +
         host_exposures_.bytes() + host_photographs_.bytes() + host_losses_.bytes() +
         host_drawn_.bytes() + host_segments_.bytes() + rays_.capacity() * sizeof(ChosenRay);
}

std::size_t NerfStep::bytes_for(const NerfForm& form, std::size_t rays, std::size_t samples) {
  const std::size_t of_ray = sizeof(RayTarget) + sizeof(RayLoss) + sizeof(WaveSegment) +
                             3 * sizeof(std::uint32_t) +
                             static_cast<std::size_t>(form.direction_words) * sizeof(std::uint32_t);
  const bool in_one_kernel = can_follow_rays(form.lane_density, &form.color);
  return RayFollower::bytes_for(rays, in_one_kernel) + rays * of_ray +
         NerfSamples::bytes_for(form, samples, true) +
         field_plane_stride(samples) * (kSamplePlanes + 1) * sizeof(float);
}

}  // namespace mote::cuda
