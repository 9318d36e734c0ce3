#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/backward_form.h"
#include "backend/photo_step.h"
#include "core/byte_stream.h"
#include "scene/dataset.h"
#include "splats/density/adc.h"
#include "splats/density/density.h"
#include "splats/density/mcmc.h"

namespace mote {

/// Learning rates of Adam for one step; the schedule and the scene extent are already applied.
struct LearningRates {
  float mean = 0, log_scale = 0, rotation = 0, logit_opacity = 0, sh_0 = 0, sh_rest = 0, beta = 0;
  // of motions
  float time_mean = 0, time_sigma = 0, time_plateau = 0;
  float velocity = 0, quadratic = 0, cubic = 0, spin = 0;
  float direction_mean = 0, direction_sigma = 0, slope = 0;
  /// Longer lives than this (sigma and plateau) have smaller rates of velocities
  /// (pipeline/update.h), s.
  float velocity_life_s = std::numeric_limits<float>::max();
};

/// The loss of one step: (1 - ssim_weight) * L1 + ssim_weight * (1 - SSIM), plus the other terms.
/// L1 and SSIM are means over channels and pixels, weighted by the mask. The regularisers have
/// gradients for visible splats only. The reported loss excludes the terms after SSIM.
struct LossSettings {
  float ssim_weight = 0.2f;
  float opacity_regularizer = 0;  // factor on the mean opacity over all splats
  float scale_regularizer = 0;    // factor on the mean scale over all splats and axes
  std::size_t splats = 0;         // number of splats of these means; 0: those of the trainer
  /// Factors on the mean depth distortion and the mean normal consistency of the pixels
  /// (pipeline/surface_loss.h). Kinds that are not surfaces ignore them.
  float distortion_weight = 0, normal_weight = 0;

  bool of_surface() const { return distortion_weight > 0 || normal_weight > 0; }
};

/// The deformation field in a step of a cloud that has one.
struct DeformationStep {
  /// Whether the field moves the splats and is trained. At first they learn to stand still.
  bool is_active = true;
  float network_rate = 0, plane_rate = 0;  // learning rates of Adam
  /// Weights of losses of the planes, whose gradients belong to the step: of the steps from node to
  /// node in space, of the bends in time, and of the distance of planes with time from 1.
  float plane_smoothness = 0, time_smoothness = 0, time_sparsity = 0;
};

/// One training step on one photograph.
struct StepRequest {
  Camera camera;                       // at the size of the photograph
  double time_s = 0;                   // of the photograph; splats that stand still ignore it
  const PhotoPixels* photo = nullptr;  // an alpha channel is composed over `background`
  /// The expected photograph of the next step, which a device may upload during this step. It does
  /// not affect results, even if the expectation is wrong.
  std::shared_ptr<const PhotoPixels> next_photo;
  std::array<float, 3> background{0, 0, 0};
  Exposure exposure = kNeutralExposure;  // applied to the rendered image, before the loss
  bool pose_gradient = false;            // whether the camera's gradient is needed
  bool time_gradient = false;            // whether that of time_s is needed; by splats with lives
  LossSettings loss;
  LearningRates rates;
  DeformationStep deformation;
  int sh_degree = kMaxShDegree;  // higher bands are neither evaluated nor updated
  std::uint64_t step = 1;        // from 1; for Adam's bias correction and lazy updates
  float noise = 0;               // MCMC: standard deviation of the position noise per unit of
                                 // covariance, including the learning rate; 0: no noise
  std::uint64_t noise_seed = 0;
};

/// Results of a step on splats.
struct StepResult : PhotoStepResult {
  std::uint64_t visible = 0, pairs = 0, evaluations = 0;
  std::uint64_t non_finite = 0;  // splats whose gradient was not finite; they were not
                                 // updated, and are listed in `broken`
  std::vector<std::uint32_t> broken;
};

struct TrainerSettings {
  bool antialiased = false;
  bool absolute_gradients = false;  // AbsGS: densification sums per-pixel absolute gradients
  BackwardForm backward = BackwardForm::strips;
};

/// Host memory of a trainer in bytes, grouped by the quantity that it grows with.
struct TrainerMemory {
  std::size_t splats = 0;  // parameters, moments, statistics: grows with the number of splats
  std::size_t pixels = 0;  // images of a step: grows with the size of its photograph
  std::size_t pairs = 0;   // visible splats of a step and their splat-tile pairs
  std::size_t view = 0;    // the same for the last render()
};

/// Throws Error if no device can train the splats: there are none, or 2^31 or more.
void check_trainable(const SplatCloud& splats);

/// The regularisers' dL/d(opacity) and dL/d(scale along one axis) of one splat.
struct RegularizerGradient {
  float opacity, scale;
};
RegularizerGradient regularizer_gradient(const LossSettings& loss, SplatKind kind,
                                         std::size_t splats);

/// A scene under training in the memory of a backend: parameters, optimiser state and statistics,
/// and those of the cloud's deformation field, if it has one. Geometry, statistics and changes are
/// of the splats before the field moves them.
/// All operations are deterministic for any number of threads. Not thread safe. Every function
/// added here must also be forwarded in cuda/guarded_trainer.cpp, even if it is not pure.
class SplatTrainer {
 public:
  virtual ~SplatTrainer() = default;

  virtual SplatKind kind() const = 0;
  virtual std::size_t count() const = 0;
  /// One step on one photograph: forward, loss, backward and Adam (beta 0.9, 0.999, epsilon 1e-15).
  /// If the device's memory is too small, throws Error and leaves the state unchanged.
  virtual StepResult step(const StepRequest& request) = 0;
  /// The gradient of step()'s loss with respect to every stored parameter, as a cloud in the
  /// trainer's order. Does not change the state. Used by tests and by fits of a camera.
  virtual SplatCloud gradients(const StepRequest& request, StepResult& result) = 0;
  /// Renders as Backend::render does.
  virtual FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) = 0;

  virtual DensityStatistics statistics() const = 0;
  virtual void clear_statistics() = 0;
  /// The geometry of all splats in the current order.
  virtual std::vector<SplatGeometry> geometry() const = 0;
  /// The motions of all splats in the current order; empty if they stand still. The default is for
  /// devices without motions.
  virtual std::vector<MotionValues> motions() const { return {}; }
  /// Changes the set of splats, clears the statistics, and reorders the splats for the device. The
  /// order of statistics() and geometry() then changes. If the device's memory is too small, throws
  /// Error and leaves the state unchanged.
  virtual void edit(const DensityEdit& edit) = 0;
  /// Changes the set of splats by rules, in the way of edit(), and removes `broken`, which has no
  /// duplicates. If nothing changes, only the statistics are cleared. Random choices depend on the
  /// seed only and are the same on every backend. The default implementations are adc_edit() and
  /// mcmc_edit() on the host.
  virtual AdcOutcome change(const AdcRules& rules, std::span<const std::uint32_t> broken,
                            std::uint64_t seed);
  virtual McmcOutcome change(const McmcRules& rules, std::span<const std::uint32_t> broken,
                             std::uint64_t seed);
  /// Reorders the splats for the device as edit() does, without other changes. This is needed
  /// because training moves splats.
  virtual void reorder() = 0;
  /// Limits opacities to `most` and sets the moments of all opacities to zero.
  virtual void limit_opacity(float most) = 0;

  /// A copy of the splats, with stored values, in the current order.
  virtual SplatCloud cloud() = 0;
  /// Saves and restores the complete state, as bytes in this build's layout. Training continues
  /// with identical results.
  virtual void save(ByteSink& sink) const = 0;
  virtual void restore(ByteSource& source) = 0;
  /// Whether save() gives a state from which training can continue. False after the host's memory
  /// ran out during a change, which is then incomplete.
  virtual bool is_whole() const { return true; }
  /// Memory for splats and steps in bytes: the device's memory, or the host's if the device has
  /// none.
  virtual std::size_t memory_bytes() const = 0;
  /// Memory after the last step and the last picture. edit() and cloud() release all but `splats`.
  /// Zero if the device has its own memory.
  virtual TrainerMemory host_memory() const { return {}; }
};

}  // namespace mote
