#include "cuda/fields/nerf_step.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/error.h"

namespace mote::cuda {
namespace {

/// Gradients by values of samples, times the loss scale, are at most this: hidden layers then
/// seldom exceed halves.
constexpr float kMostSampleGradient = 16384;

RayStart chosen_start(const ChosenRay& ray) {
  RayStart start{};
  start.t_end = std::numeric_limits<float>::max();
  if (ray.weight == 0) return start;
  start.is_ray = 1;
  start.jitter = ray.jitter;
  for (int axis = 0; axis < 3; ++axis) {
    start.origin[axis] = ray.origin[axis];
    start.direction[axis] = ray.direction[axis];
  }
  return start;
}

}  // namespace

void NerfStep::choose(const FieldStepRequest& request, const FieldPlacement& placement,
                      std::size_t count, std::size_t most_samples, const ErrorMap* errors) {
  const RayChoice choice(request, placement, errors);
  rays_.resize(count);
  waves_.begin(count, most_samples);
  evaluator_.begin(count, most_samples);
  constexpr std::size_t kPart = RayChoice::kMostAtOnce;
  pool_.run((count + kPart - 1) / kPart, [&](std::size_t task, int) {
    const std::size_t first = task * kPart, own = std::min(kPart, count - first);
    choice.choose(first, std::span(rays_).subspan(first, own));
    for (std::size_t i = first; i < first + own; ++i) {
      waves_.starts()[i] = chosen_start(rays_[i]);
      const bool is_ray = rays_[i].weight > 0;
      evaluator_.set_direction(i, is_ray ? rays_[i].direction : glm::vec3(0, 0, 1));
    }
  });
}

void NerfStep::trace(const NerfTables& tables, const DeviceOccupancy& occupancy,
                     const MarchSettings& march) {
  evaluator_.use(tables);
  evaluator_.enqueue_directions();
  waves_.follow({.occupancy = occupancy.view(),
                 .march = march,
                 .box_min = form_.box_min,
                 .box_size = form_.box_size,
                 .values = evaluator_.values(),
                 .stop = kTrainingStop,
                 .keeps_samples = true,
                 .evaluate = [&](unsigned first, unsigned count) {
                   evaluator_.enqueue(waves_.samples(), first, count);
                 }});
  read_lost();
}

/// Rays without space for all of their samples are not trained on.
void NerfStep::read_lost() {
  host_lost_.resize_discard(rays_.size());
  waves_.lost().download(host_lost_.span(), stream_);
  check(cudaStreamSynchronize(stream_), "following rays");
  for (std::size_t i = 0; i < rays_.size(); ++i) {
    if (host_lost_.data()[i] != 0) rays_[i].weight = 0;
  }
}

double NerfStep::set_targets(const FieldStepRequest& request) {
  host_targets_.resize_discard(rays_.size());
  host_photographs_.resize_discard(rays_.size());
  double weight = 0;
  for (std::size_t i = 0; i < rays_.size(); ++i) {
    const ChosenRay& ray = rays_[i];
    RayTarget& target = host_targets_.data()[i];
    std::ranges::copy(ray.target, target.color);
    std::ranges::copy(ray.background, target.background);
    target.weight = ray.weight;
    host_photographs_.data()[i] = ray.photograph;
    weight += static_cast<double>(ray.weight);
  }
  std::vector<float> exposures;
  for (const FieldPhoto& photo : request.photographs) {
    exposures.insert(exposures.end(), photo.exposure.begin(), photo.exposure.end());
  }
  targets_.resize_discard(rays_.size());
  targets_.upload(host_targets_.span(), stream_);
  photographs_.resize_discard(rays_.size());
  photographs_.upload(host_photographs_.span(), stream_);
  exposures_.resize_discard(exposures.size());
  exposures_.upload(exposures, stream_);
  check(cudaStreamSynchronize(stream_), "copying the targets of rays");
  return weight;
}

void NerfStep::grade(const FieldStepRequest& request, FieldLoss loss, FieldStepResult& result) {
  const double weight = set_targets(request), scale = weight > 0 ? 1 / weight : 0;
  const auto count = static_cast<unsigned>(rays_.size());
  losses_.resize_discard(count);
  run_ray_grade({.loss = loss,
                 .rays = waves_.rays(),
                 .targets = targets_.data(),
                 .photographs = photographs_.data(),
                 .exposures = exposures_.data(),
                 .scale = static_cast<float>(scale),
                 .losses = losses_.data(),
                 .count = count},
                stream_);
  evaluator_.samples().clear_gradients();
  run_sample_gradients({.values = evaluator_.values(),
                        .samples = waves_.samples(),
                        .segments = waves_.segments(),
                        .waves = waves_.waves(),
                        .targets = targets_.data(),
                        .losses = losses_.data(),
                        .count = count,
                        .most = kMostSampleGradient / loss_scale(),
                        .d_density = evaluator_.samples().d_density(),
                        .d_colors = evaluator_.samples().d_colors()},
                       stream_);
  colors_.resize_discard(count);
  run_drawn_colors(waves_.rays(), count, colors_.data(), stream_);
  host_losses_.resize_discard(count);
  host_colors_.resize_discard(count);
  losses_.download(host_losses_.span(), stream_);
  colors_.download(host_colors_.span(), stream_);
  check(cudaStreamSynchronize(stream_), "the loss of rays");
  add_up(request, scale, result);
}

/// Sums over rays, in their order.
void NerfStep::add_up(const FieldStepRequest& request, double scale, FieldStepResult& result) {
  result.photographs.assign(request.photographs.size(), {});
  for (std::size_t i = 0; i < rays_.size(); ++i) {
    const ChosenRay& ray = rays_[i];
    if (ray.weight <= 0) continue;
    const RayLoss& loss = host_losses_.data()[i];
    const DrawnColor& color = host_colors_.data()[i];
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
  found_ = result.samples + waves_.dropped();
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
  return gradient_of_sum(kind, waves_.kept_samples(), loss_scale());
}

void NerfStep::enqueue_gradients(DeviceOptimizer& parameters) {
  evaluator_.samples().enqueue_gradients(evaluator_.tables(), waves_.samples().positions,
                                         waves_.kept_samples(), loss_scale(), parameters);
}

std::size_t NerfStep::memory_bytes() const {
  return waves_.memory_bytes() + evaluator_.memory_bytes() + targets_.bytes() +
         photographs_.bytes() + exposures_.bytes() + losses_.bytes() + colors_.bytes();
}

std::size_t NerfStep::host_bytes() const {
  return waves_.host_bytes() + evaluator_.host_bytes() + host_targets_.bytes() +
         host_photographs_.bytes() + host_lost_.bytes() + host_losses_.bytes() +
         host_colors_.bytes() + rays_.capacity() * sizeof(ChosenRay);
}

}  // namespace mote::cuda
