// The losses of a training step on the weights of a NeRF's samples, where proposals choose them.
#include <vector>

#include "cpu/nerf_batch.h"
#include "cpu/proposal_rays.h"

namespace mote {

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
