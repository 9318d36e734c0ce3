#include "cuda/fields/nerf_step.h"

#include <algorithm>
#include <bit>

#include "cuda/kernels/fields/latent_gradients.h"
#include "cuda/kernels/fields/ray_sums.h"
#include "fields/planes.h"

namespace mote::cuda {
namespace {

/// Gradients by values of samples, times the loss scale, are at most this: hidden layers then
/// seldom exceed halves.
constexpr float kMostSampleGradient = 16384;
constexpr std::size_t kSamplePlanes = 5;  // position, distance, length

}  // namespace

void NerfStep::prepare(const FieldStepRequest& request, const Plan& plan) {
  evaluator_.use(plan.tables);
  distortion_ = request.distortion_weight;
  make_space(StepRays::space_for(plan.rays), plan.most_samples, request.photographs.size());
  has_error_map_ = plan.errors != nullptr;
  if (has_error_map_) {
    host_losses_.resize_discard(follower_.rays());
    host_weights_.resize_discard(follower_.rays());
  }
  rays_.prepare(request, plan.placement, plan.rays, plan.errors, plan.latents, follower_);
  NerfTables tables = plan.tables;
  tables.latents = rays_.latents();
  evaluator_.use(tables);
  evaluator_.use_latents_of(rays_.purposes().photographs);
}

void NerfStep::make_space(std::size_t rays, std::size_t most_samples, std::size_t photographs) {
  follower_.begin(rays, true);
  // Proposals give each ray the same number of samples.
  in_one_kernel_ = proposals_ != nullptr || evaluator_.can_follow();
  if (proposals_ != nullptr) {
    proposals_->begin_rays(rays);
    most_samples = rays * proposals_->rays().samples();
  }
  // Waves take the same space before.
  const std::size_t samples =
      in_one_kernel_ ? most_samples : std::max(most_samples, follower_.wave_samples());
  capacity_ = static_cast<unsigned>(most_samples);
  evaluator_.begin(rays, samples);
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
  scratch_.resize_discard(rays + ray_blocks(static_cast<unsigned>(rays)));
  losses_.resize_discard(rays);
  segments_.resize_discard(rays);
  sums_.resize_discard(photographs * kRaySums);
  host_sums_.resize_discard(sums_.size());
  const auto latents = static_cast<std::size_t>(form_.layout.latents);
  ray_latents_.resize_discard(rays * latents);
  latent_sums_.resize_discard(photographs * latents);
  host_latent_sums_.resize_discard(latent_sums_.size());
}

NerfStep::Form NerfStep::form() const {
  return {.rays = follower_.rays(),
          .samples = capacity_,
          .photographs = rays_.photographs(),
          .are_rays_chosen_on_device = rays_.are_chosen_on_device(),
          .has_error_map = has_error_map_,
          .distortion = distortion_,
          .bytes = memory_bytes() + host_bytes()};
}

void NerfStep::enqueue_trace(const DeviceOccupancy& occupancy, const MarchSettings& march) {
  rays_.enqueue(follower_);
  evaluator_.enqueue_directions(follower_.starts(), follower_.rays());
  proposals_ == nullptr ? enqueue_followed(occupancy, march) : enqueue_proposed();
  evaluator_.enqueue(planes_, part());
}

/// The samples that proposals choose.
void NerfStep::enqueue_proposed() {
  proposals_->enqueue_samples(follower_.starts(), planes_);
  proposals_->rays().enqueue_segments(follower_.starts(), segments_.data(), nullptr, nullptr);
  follower_.clear_drawn();
}

/// Those in occupied cells that reach a pixel.
void NerfStep::enqueue_followed(const DeviceOccupancy& occupancy, const MarchSettings& march) {
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
                     .weights = rays_.purposes().weights,
                     .segments = segments_.data(),
                     .box_min = form_.box_min,
                     .box_size = form_.box_size,
                     .samples = planes_,
                     .most = capacity_,
                     .sample_count = sample_count_.data(),
                     .scratch = scratch_.data()},
                    stream_);
}

void NerfStep::enqueue_grade(FieldLoss loss) {
  const unsigned count = follower_.rays();
  const SampleValues values = evaluator_.values();
  const RayPurposes rays = rays_.purposes();
  run_ray_composite({.values = values,
                     .samples = planes_,
                     .segments = segments_.data(),
                     .weights = rays.weights,
                     .drawn = follower_.drawn(),
                     .count = count,
                     .stop = proposals_ == nullptr ? 0 : kTrainingStop},
                    stream_);
  run_gradient_scale(rays.weights, count, scale_.data(), stream_);
  run_ray_grade({.loss = loss,
                 .drawn = follower_.drawn(),
                 .targets = rays.targets,
                 .weights = rays.weights,
                 .photographs = rays.photographs,
                 .exposures = rays_.exposures(),
                 .scale = scale_.data(),
                 .losses = losses_.data(),
                 .count = count},
                stream_);
  run_ray_sums({.losses = losses_.data(),
                .drawn = follower_.drawn(),
                .targets = rays.targets,
                .weights = rays.weights,
                .photographs = rays.photographs,
                .count = count,
                .photograph_count = rays_.photographs(),
                .sums = sums_.data()},
               stream_);
  sums_.download(host_sums_.span(), stream_);
  if (proposals_ != nullptr) enqueue_proposal_losses();
  if (!has_error_map_) return;
  losses_.download(host_losses_.span(), stream_);
  check(cudaMemcpyAsync(host_weights_.data(), rays.weights, host_weights_.span().size_bytes(),
                        cudaMemcpyDeviceToHost, stream_),
        "copying the weights of rays");
}

/// The gradients by the samples, of which the losses of proposals change those by the densities.
void NerfStep::enqueue_proposal_losses() {
  NerfSamples& samples = evaluator_.samples();
  // Samples that are not trained have no gradients.
  samples.clear_gradients();
  enqueue_sample_gradients();
  proposals_->enqueue_losses({.values = evaluator_.values(),
                              .samples = planes_,
                              .segments = segments_.data(),
                              .weights = rays_.purposes().weights,
                              .scale = scale_.data(),
                              .distortion = distortion_,
                              .most = kMostSampleGradient / loss_scale(),
                              .d_density = samples.d_density()});
}

void NerfStep::enqueue_sample_gradients() {
  run_sample_gradients({.values = evaluator_.values(),
                        .samples = planes_,
                        .segments = segments_.data(),
                        .weights = rays_.purposes().weights,
                        .losses = losses_.data(),
                        .count = follower_.rays(),
                        .most = kMostSampleGradient / loss_scale(),
                        .d_density = evaluator_.samples().d_density(),
                        .d_colors = evaluator_.samples().d_colors()},
                       stream_);
}

/// The gradients by the samples, then by the parameters.
void NerfStep::enqueue_gradients(DeviceOptimizer& parameters) {
  if (proposals_ == nullptr) enqueue_sample_gradients();
  evaluator_.samples().enqueue_gradients(evaluator_.tables(), planes_.positions, part(),
                                         loss_scale(), parameters);
  if (proposals_ != nullptr) proposals_->enqueue_step(loss_scale());
  if (form_.layout.latents > 0) enqueue_latent_gradients();
}

void NerfStep::enqueue_latent_gradients() {
  const RayPurposes rays = rays_.purposes();
  run_latent_gradients({.d_features = evaluator_.samples().d_color_features(),
                        .first_latent = form_.layout.first_latent,
                        .latents = form_.layout.latents,
                        .unscaled = 1 / loss_scale(),
                        .segments = segments_.data(),
                        .weights = rays.weights,
                        .photographs = rays.photographs,
                        .count = follower_.rays(),
                        .photograph_count = rays_.photographs(),
                        .stride = evaluator_.samples().stride(),
                        .of_rays = ray_latents_.data(),
                        .sums = latent_sums_.data()},
                       stream_);
  latent_sums_.download(host_latent_sums_.span(), stream_);
}

/// Sums over photographs, in their order.
void NerfStep::read(FieldStepResult& result) {
  const std::span<const double> sums = host_sums_.span();
  const auto of = [&](std::size_t photograph, int sum) {
    return sums[photograph * kRaySums + static_cast<std::size_t>(sum)];
  };
  double all[kRaySums] = {};
  result.photographs.assign(rays_.photographs(), {});
  for (std::size_t photograph = 0; photograph < result.photographs.size(); ++photograph) {
    for (int sum = 0; sum < kRaySums; ++sum) all[sum] += of(photograph, sum);
    for (std::size_t i = 0; i < kExposureValues; ++i) {
      result.photographs[photograph].exposure[i] =
          static_cast<float>(of(photograph, kRaySlopeSums + 3 + static_cast<int>(i)));
    }
  }
  const double scale = all[kRayWeights] > 0 ? 1 / all[kRayWeights] : 0;
  result.rays = static_cast<std::uint64_t>(all[kTrainedRays]);
  result.samples = static_cast<std::uint64_t>(all[kTrainedSamples]);
  result.loss = all[kRayLosses] * scale / 3;
  result.l1 = all[kRayDifferences] * scale / 3;
  result.mse = all[kRaySquares] * scale / 3;
  for (int c = 0; c < 3; ++c) {
    result.d_background[static_cast<std::size_t>(c)] = static_cast<float>(all[kRaySlopeSums + c]);
  }
  found_ = static_cast<std::uint64_t>(all[kFoundSamples]);
  if (proposals_ == nullptr) return;
  result.distortion = proposals_->loss_sum(kDistortionSum) * scale;
  result.interlevel = proposals_->loss_sum(kInterlevelSum) * scale;
}

void NerfStep::add_errors(const FieldStepRequest& request, ErrorMap& errors) const {
  const std::span<const ChosenRay> rays = rays_.chosen();
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const float weight = host_weights_.data()[i];
    if (weight <= 0) continue;
    errors.add(request.photographs[rays[i].photograph].number, rays[i].place,
               host_losses_.data()[i].loss / weight);
  }
}

/// A power of two. The gradients of a mean over n rays are 1/n of those of each: times 16 n, those
/// of samples are in the range of halves.
float NerfStep::loss_scale() const {
  return 16 * static_cast<float>(std::bit_floor(std::max(follower_.rays(), 1u)));
}

float NerfStep::table_factor(GradientSums kind) const {
  return gradient_of_sum(kind, capacity_, loss_scale());
}

std::size_t NerfStep::memory_bytes() const {
  return follower_.memory_bytes() + evaluator_.memory_bytes() + rays_.memory_bytes() +
         floats_.bytes() + sample_rays_.bytes() + scratch_.bytes() + segments_.bytes() +
         losses_.bytes() + sums_.bytes() + ray_latents_.bytes() + latent_sums_.bytes() +
         (proposals_ == nullptr ? 0 : proposals_->memory_bytes());
}

std::size_t NerfStep::host_bytes() const {
  return follower_.host_bytes() + rays_.host_bytes() + host_sums_.bytes() +
         host_latent_sums_.bytes() + host_losses_.bytes() + host_weights_.bytes();
}

namespace {

std::size_t step_bytes(const NerfForm& form, std::size_t space, std::size_t samples,
                       bool in_one_kernel) {
  if (!in_one_kernel) samples = std::max(samples, RayWaves::most_samples(space));
  const std::size_t of_ray =
      sizeof(RayLoss) + sizeof(WaveSegment) + sizeof(std::uint32_t) +
      static_cast<std::size_t>(form.direction_words + form.layout.latents) * sizeof(std::uint32_t);
  return RayFollower::bytes_for(space, samples, in_one_kernel) + StepRays::bytes_for(space) +
         space * of_ray + NerfSamples::bytes_for(form, samples, true) +
         field_plane_stride(samples) * (kSamplePlanes + 1) * sizeof(float);
}

}  // namespace

std::size_t NerfStep::bytes_for(const NerfForm& form, std::size_t rays, std::size_t samples) {
  return step_bytes(form, StepRays::space_for(rays), samples,
                    can_follow_rays(form.lane_density, &form.color));
}

std::size_t NerfStep::proposed_bytes_for(const NerfForm& form, std::size_t rays,
                                         std::size_t samples_of_ray) {
  const std::size_t space = StepRays::space_for(rays);
  return step_bytes(form, space, space * samples_of_ray, true);
}

}  // namespace mote::cuda
