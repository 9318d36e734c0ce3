// The losses of a batch's rays and of their samples' weights, and the gradients by the networks'
// outputs.
#include <algorithm>
#include <cmath>
#include <vector>

#include "cpu/nerf_batch.h"
#include "cpu/proposal_rays.h"
#include "fields/applications/soft_density.h"

namespace mote {

void NerfBatch::grade(const FieldStepRequest& request, FieldLoss loss, FieldStepResult& result) {
  double weight = 0;
  for (const Ray& ray : rays_) {
    weight += static_cast<double>(ray.weight);
    result.rays += ray.weight > 0 ? 1 : 0;
  }
  for (std::size_t w = 0; w < wave_count_; ++w) {
    const Wave& wave = waves_of_rays_[w];
    for (std::size_t i = 0; i < wave.alive.size(); ++i) {
      // A ray that found no space in a later wave is not trained on.
      if (rays_[wave.alive[i]].weight > 0) result.samples += wave.trained[i];
    }
  }
  const double scale = weight > 0 ? 1 / weight : 0;
  visit_loss(loss, [&]<FieldLoss LOSS>() {
    for_each_part(pool_, 0, rays_.size(), kRayPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        grade_ray<LOSS>(request, static_cast<float>(scale), rays_[i]);
      }
    });
  });
  result.photographs.assign(request.photographs.size(), {});
  for (const Ray& ray : rays_) {
    if (ray.weight <= 0) continue;
    result.loss += static_cast<double>(ray.loss) * scale / 3;
    result.l1 += static_cast<double>(ray.absolute) * scale / 3;
    result.mse += static_cast<double>(ray.squared) * scale / 3;
    float* const d_exposure = result.photographs[ray.photograph].exposure.data();
    for_each_ray_slope(ray, ray.color.transmittance, ray.coverage, [&](int slope, float value) {
      float& sum =
          slope < 3 ? result.d_background[static_cast<std::size_t>(slope)] : d_exposure[slope - 3];
      sum += value;
    });
  }
  d_raw_.resize_discard(4 * waves_.stride());
  shape_.hdr ? grade_samples<true>() : grade_samples<false>();
  if (proposals_ != nullptr) grade_weights(request, scale, result);
  if (shape_.layout.soft_density) grade_soft_densities();
}

/// The loss of a ray, and its gradient by the ray's colour.
template <FieldLoss LOSS>
void NerfBatch::grade_ray(const FieldStepRequest& request, float scale, Ray& ray) const {
  RayTarget target{.color = {}, .background = {}, .weight = ray.weight, .coverage = ray.coverage};
  std::ranges::copy(ray.target, target.color);
  std::ranges::copy(ray.background, target.background);
  RayLoss& own = ray;
  if (ray.weight > 0) {
    own = mote::grade_ray<LOSS>(ray.color, target,
                                request.photographs[ray.photograph].exposure.data(), scale);
  } else {
    own = {};
    finish_ray(ray.color, target.background, own.last);
  }
}

void NerfBatch::add_errors(const FieldStepRequest& request, ErrorMap& errors) const {
  for (const Ray& ray : rays_) {
    if (ray.weight <= 0) continue;
    errors.add(request.photographs[ray.photograph].number, ray.place, ray.loss / ray.weight);
  }
}

/// The gradients by the networks' outputs, from those by the rays' colours.
template <bool HDR>
void NerfBatch::grade_samples() {
  const std::size_t stride = waves_.stride();
  for (std::size_t w = 0; w < wave_count_; ++w) {
    const Wave& wave = waves_of_rays_[w];
    // Colours are added again, wave by wave, as in composite().
    for_each_part(pool_, 0, wave.alive.size(), kRayPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        Ray& ray = rays_[wave.alive[i]];
        if (w == 0) ray.color = {};
        for (std::uint32_t k = 0; k < wave.trained[i]; ++k) {
          const std::size_t at = wave.segments[i].first + k;
          const SampleColor<float> own = sample(at);
          const float weight = add_sample(own, ray.color);
          const auto d = add_sample_vjp<HDR>(own, weight, ray.color, ray.last, ray.d_last);
          const float raw_density = std::log(own.thickness / waves_.lengths()[at]);
          d_raw_[at] = d.raw_density + near_density_gradient(waves_.distances()[at], raw_density);
          for (std::size_t c = 0; c < 3; ++c) d_raw_[(c + 1) * stride + at] = d.raw_color[c];
          if (proposals_ == nullptr) continue;
          proposals_->set_weight(wave.alive[i], ray.graded++, weight,
                                 static_cast<std::uint32_t>(at));
        }
      }
    });
  }
}

/// The gradients by logarithms of densities become those by the network's outputs.
void NerfBatch::grade_soft_densities() {
  for (std::size_t w = 0; w < wave_count_; ++w) {
    const Wave& wave = waves_of_rays_[w];
    for_each_part(pool_, 0, wave.alive.size(), kRayPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) {
        for (std::uint32_t k = 0; k < wave.trained[i]; ++k) {
          const std::size_t at = wave.segments[i].first + k;
          const float cells = shape_.soft_cells * waves_.lengths()[at];
          d_raw_[at] *= log_softplus_slope(waves_.thickness()[at] / cells);
        }
      }
    });
  }
}

void NerfBatch::grade_weights(const FieldStepRequest& request, double scale,
                              FieldStepResult& result) {
  constexpr float kChannels = 3;  // gradients are of three times the mean loss
  proposals_->begin_gradients();
  for_each_part(pool_, 0, rays_.size(), kRayPart, [&](std::size_t from, std::size_t to) {
    std::vector<ProposalRays::ThicknessSlope> slopes(proposals_->samples_per_ray());
    for (std::size_t i = from; i < to; ++i) {
      Ray& ray = rays_[i];
      if (ray.weight <= 0) continue;
      const float own = kChannels * static_cast<float>(scale) * ray.weight;
      const ProposalRays::Distortion distortion = proposals_->distortion(i, slopes);
      for (std::size_t k = 0; k < distortion.count; ++k) {
        const std::uint32_t at = slopes[k].place;
        d_raw_[at] += own * request.distortion_weight * slopes[k].slope * waves_.thickness()[at];
      }
      ray.distortion = ray.weight * distortion.loss;
      ray.interlevel = ray.weight * proposals_->grade(i, own);
    }
  });
  for (const Ray& ray : rays_) {
    if (ray.weight <= 0) continue;
    result.distortion += static_cast<double>(ray.distortion) * scale;
    result.interlevel += static_cast<double>(ray.interlevel) * scale;
  }
}

}  // namespace mote
