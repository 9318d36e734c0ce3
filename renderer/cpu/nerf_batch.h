#pragma once

// One training step's rays through a NeRF on the CPU: choice, forward pass, loss and gradients.

#include <array>
#include <span>
#include <vector>

#include "backend/field_trainer.h"
#include "backend/ray_choice.h"
#include "cpu/nerf_waves.h"
#include "cpu/part_gradients.h"
#include "fields/applications/ray_loss.h"
#include "fields/error_map.h"
#include "fields/field_camera.h"

namespace mote {

class ProposalRays;

class NerfBatch {
 public:
  /// References must outlive this. `proposals`: choose the samples of rays, between choose() and
  /// trace(); null: rays are marched.
  NerfBatch(const NerfShape& shape, const CpuKernels& kernels, ThreadPool& pool,
            ProposalRays* proposals = nullptr);

  /// Chooses `count` pixels at random and starts their rays. Pixels without weight have none. With
  /// a map of errors, every second pixel is chosen by it. `latents`: [photographs of the
  /// request][latents]; empty: those of pictures.
  void choose(const FieldStepRequest& request, const FieldPlacement& placement,
              const MarchSettings& settings, std::size_t count, std::size_t most_samples,
              const ErrorMap* errors = nullptr, std::span<const float> latents = {});
  /// Follows the rays until little light is left.
  void trace(FieldParameters tables, const OccupancyBits& occupancy, const MarchSettings& settings);
  /// Computes the loss, and its gradients by the samples.
  void grade(const FieldStepRequest& request, FieldLoss loss, FieldStepResult& result);
  /// Adds the errors of the rays to a map.
  void add_errors(const FieldStepRequest& request, ErrorMap& errors) const;
  /// Adds the gradients by the networks to `d_networks`. The samples are lost. `by_cameras`: for
  /// add_pose_gradients().
  void differentiate(FieldParameters tables, float* d_networks, bool by_cameras = false);
  /// Those by the tables, after differentiate().
  TableGradients table_gradients();

  /// The gradients by the latents that differentiate() found, [photographs of the
  /// request][latents].
  const std::vector<double>& latent_gradients() const { return d_photo_latents_; }
  /// Adds the gradients by the cameras of the request's photographs, after differentiate() and
  /// before the tables change. Samples keep their distances along the rays.
  void add_pose_gradients(FieldParameters tables, const FieldStepRequest& request,
                          const FieldPlacement& placement, FieldStepResult& result);

  /// Number of samples that were trained, or would have been with more space.
  std::uint64_t samples_found() const { return trained_ + dropped_; }
  NerfWaves& waves() { return waves_; }
  std::size_t memory_bytes() const;

 private:
  struct Ray : ChosenRay, RayLoss {
    RayColor<float> color;
    std::uint32_t graded;          // number of samples
    float distortion, interlevel;  // losses times the weight
  };
  struct Wave {
    std::vector<std::uint32_t> alive;
    std::vector<RaySegment> segments;
    std::vector<std::uint32_t> trained;  // number of samples of each segment
  };

  void start_ray(std::size_t index, const ChosenRay& chosen, const MarchSettings& settings,
                 std::span<const float> latents);
  void composite(Wave& wave);
  template <FieldLoss LOSS>
  void grade_ray(const FieldStepRequest& request, float scale, Ray& ray) const;
  template <bool HDR>
  void grade_samples();
  /// The losses of the proposals and of the samples' weights, with their gradients.
  void grade_weights(const FieldStepRequest& request, double scale, FieldStepResult& result);
  void grade_soft_densities();
  void compact();
  void add_latent_gradients();
  void find_forces(FieldParameters tables, std::span<const FieldCamera> cameras);
  std::vector<glm::dvec3> direction_torques();
  void add_network_gradients(FieldParameters tables, float* d_networks);
  SampleColor<float> sample(std::size_t i) const {
    return {waves_.thickness()[i],
            waves_.opacity()[i],
            {waves_.color(0)[i], waves_.color(1)[i], waves_.color(2)[i]}};
  }

  const NerfShape& shape_;
  const CpuKernels& kernels_;
  ThreadPool& pool_;
  ProposalRays* proposals_;
  NerfWaves waves_;
  std::vector<Ray> rays_;
  std::vector<Wave> waves_of_rays_;
  std::size_t wave_count_ = 0;
  std::size_t trained_ = 0, dropped_ = 0;  // samples
  std::vector<std::uint32_t> kept_;
  Buffer<float> d_raw_, transposed_;
  /// The gradients by inputs of the colour network from the first one on: latents, or all behind
  /// the density network's outputs.
  Buffer<float> d_color_inputs_;  // [color_inputs_][stride]
  int first_color_input_ = 0, color_inputs_ = 0;
  // For gradients by cameras: see add_pose_gradients().
  Buffer<float> forces_;         // [6][stride]
  Buffer<float> d_directions_;   // [color_inputs_][rays]
  std::size_t photographs_ = 0;  // of the request
  std::vector<double> d_photo_latents_;
  PartGradients part_gradients_;
};

}  // namespace mote
