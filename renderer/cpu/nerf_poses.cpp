// The gradients of a batch's loss by the cameras of its photographs.
//
// A sample is at x = o + t d, where t is constant. Its position has the gradient g, which is a
// force on the camera: the camera's centre c moves with the sum of g, and a rotation about c has
// the torque (x - c) x g. The encoded direction d has a gradient of its own, with the torque d x g.
// In the camera's axes, a motion p_cam -> p_cam + rotation x p_cam + translation moves its rays the
// other way.
#include <algorithm>
#include <array>
#include <glm/geometric.hpp>
#include <vector>

#include "cpu/nerf_batch.h"
#include "fields/direction_encoding.h"
#include "fields/proposals/contraction.h"

namespace mote {
namespace {

// Planes of a sample's force and torque.
constexpr std::size_t kForce = 0, kTorque = 3, kPulls = 6;

}  // namespace

void NerfBatch::add_pose_gradients(FieldParameters tables, const FieldStepRequest& request,
                                   const FieldPlacement& placement, FieldStepResult& result) {
  if (kept_.empty()) return;
  std::vector<FieldCamera> cameras;
  for (const FieldPhoto& photo : request.photographs) {
    cameras.push_back(field_camera(placement, photo.camera));
  }
  find_forces(tables, cameras);
  std::array<std::vector<double>, kPulls> sums;
  // Each sum is taken in the order of the samples.
  pool_.run(kPulls, [&](std::size_t pull, int) {
    std::vector<double>& own = sums[pull];
    own.assign(cameras.size(), 0.0);
    const float* plane = forces_.data() + pull * waves_.stride();
    for (std::size_t i = 0; i < kept_.size(); ++i) {
      own[rays_[waves_.rays()[i]].photograph] += static_cast<double>(plane[i]);
    }
  });
  const std::vector<glm::dvec3> torques = direction_torques();
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    const auto sum_of = [&](std::size_t first) {
      return glm::dvec3(sums[first][i], sums[first + 1][i], sums[first + 2][i]);
    };
    const glm::dmat3& cam_from_field = cameras[i].camera.cam_from_world;
    FieldPhotoGradient& gradient = result.photographs[i];
    gradient.translation -= placement.scale * (cam_from_field * sum_of(kForce));
    gradient.rotation -= cam_from_field * (sum_of(kTorque) + torques[i]);
  }
}

/// The force and the torque of each sample, in the field's frame.
void NerfBatch::find_forces(FieldParameters tables, std::span<const FieldCamera> cameras) {
  const std::size_t stride = waves_.stride();
  forces_.resize_discard(kPulls * stride);
  encode_position_slopes(shape_.encoding, kernels_, pool_, tables.table,
                         {.samples = waves_.samples(),
                          .count = field_plane_stride(kept_.size()),
                          .inputs = 3,
                          .d_positions = forces_.data()});
  const float per_length = 1 / shape_.box_size;
  for_each_part(pool_, 0, kept_.size(), kSamplePart, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const Ray& ray = rays_[waves_.rays()[i]];
      const float t = waves_.distances()[kept_[i]];
      const glm::vec3 position = ray.origin + t * ray.direction;
      float* const own = forces_.data() + i;
      Vec3<float> force{own[0] * per_length, own[stride] * per_length,
                        own[2 * stride] * per_length};
      if (shape_.has_proposals()) {
        force = contracted_place_vjp({position.x, position.y, position.z}, shape_.contracted_reach,
                                     force);
      }
      const glm::vec3 pull(force.x, force.y, force.z);
      const glm::vec3 arm = position - glm::vec3(cameras[ray.photograph].origin);
      const glm::vec3 torque = glm::cross(arm, pull);
      for (int axis = 0; axis < 3; ++axis) {
        const auto plane = static_cast<std::size_t>(axis) * stride;
        own[kForce * stride + plane] = pull[axis];
        own[kTorque * stride + plane] = torque[axis];
      }
    }
  });
}

/// The torque of the encoded directions of each photograph's rays, in the field's frame.
std::vector<glm::dvec3> NerfBatch::direction_torques() {
  const std::size_t rays = rays_.size();
  const auto inputs = static_cast<std::size_t>(color_inputs_);
  d_directions_.resize_discard(inputs * rays);
  pool_.run(inputs, [&](std::size_t input, int) {
    float* const sums = d_directions_.data() + input * rays;
    std::fill_n(sums, rays, 0.0f);
    const float* const plane = d_color_inputs_.data() + input * waves_.stride();
    for (std::size_t i = 0; i < kept_.size(); ++i) sums[waves_.rays()[i]] += plane[i];
  });
  std::vector<glm::vec3> of_rays(rays, glm::vec3(0));
  for_each_part(pool_, 0, rays, kRayPart, [&](std::size_t from, std::size_t to) {
    std::vector<float> own(inputs);
    for (std::size_t i = from; i < to; ++i) {
      if (rays_[i].weight <= 0) continue;
      for (std::size_t k = 0; k < inputs; ++k) own[k] = d_directions_[k * rays + i];
      const glm::vec3 gradient = direction_gradient(
          *shape_.config.direction_encoding, rays_[i].direction, shape_.layout.latents, own.data());
      of_rays[i] = glm::cross(rays_[i].direction, gradient);
    }
  });
  std::vector<glm::dvec3> torques(photographs_, glm::dvec3(0));
  for (std::size_t i = 0; i < rays; ++i) torques[rays_[i].photograph] += glm::dvec3(of_rays[i]);
  return torques;
}

}  // namespace mote
