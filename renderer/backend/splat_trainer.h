#pragma once

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/backward_form.h"
#include "backend/density.h"
#include "core/byte_stream.h"
#include "primitives/adc.h"
#include "primitives/mcmc.h"
#include "scene/dataset.h"

namespace mote {

/// rgb' = matrix * rgb + offset, rows of {m0, m1, m2, offset}: one photograph's exposure.
using Exposure = std::array<float, 12>;
inline constexpr Exposure kNeutralExposure{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/// Step sizes of Adam for one step, as used (schedules and scene extent already applied).
struct LearningRates {
  float mean = 0, log_scale = 0, rotation = 0, logit_opacity = 0, sh_0 = 0, sh_rest = 0;
};

/// The loss of one step: (1 - ssim_weight) * L1 + ssim_weight * (1 - SSIM), means over the pixels
/// (weighted by the mask) and channels. The regularisers pull at the visible splats; what a step
/// reports as its loss is the picture's alone.
struct LossSettings {
  float ssim_weight = 0.2f;
  float opacity_regularizer = 0;  // times mean of opacity over all splats
  float scale_regularizer = 0;    // times mean of scale over all splats and axes
};

/// One training step on one photograph.
struct StepRequest {
  Camera camera;                       // of the pixels' size
  const PhotoPixels* photo = nullptr;  // alpha, where there is one, is composed over `background`
  /// The photograph of the step after this one, as far as the caller knows: a device may fetch it
  /// while this step runs. Changes no result, whether it proves right or not.
  std::shared_ptr<const PhotoPixels> next_photo;
  std::array<float, 3> background{0, 0, 0};
  Exposure exposure = kNeutralExposure;  // applied to what was rendered, before the loss
  LossSettings loss;
  LearningRates rates;
  int sh_degree = kMaxShDegree;  // higher bands are neither evaluated nor updated
  std::uint64_t step = 1;        // from 1: Adam's bias correction, the lazy scheme
  float noise = 0;               // MCMC: standard deviation of the position noise per unit of
                                 // covariance, learning rate included; 0 adds none
  std::uint64_t noise_seed = 0;
};

/// What a step was like and what its caller may optimise by itself. Gradients are of the whole
/// loss.
struct StepResult {
  double loss = 0, l1 = 0, ssim = 0;
  double mse = 0;  // of the exposed image against the photograph
  std::array<float, 3> d_background{0, 0, 0};
  Exposure d_exposure{};
  // Of a small motion of the camera: p_cam -> p_cam + rotation x p_cam + translation.
  glm::dvec3 d_pose_rotation{0, 0, 0}, d_pose_translation{0, 0, 0};
  std::uint64_t visible = 0, pairs = 0, evaluations = 0;
  std::uint64_t non_finite = 0;  // splats whose gradient was not finite; they were not
                                 // updated, and are listed in `broken`
  std::vector<std::uint32_t> broken;
  double project_ms = 0, forward_ms = 0, loss_ms = 0, backward_ms = 0, update_ms = 0, total_ms = 0;
};

struct TrainerSettings {
  bool antialiased = false;
  bool absolute_gradients = false;  // AbsGS: densification sums the gradient's size per pixel
  BackwardForm backward = BackwardForm::strips;
};

/// Bytes of the host's memory that a trainer holds, by the thing that they grow with.
struct TrainerMemory {
  std::size_t splats = 0;  // parameters, moments, statistics: with the number of splats
  std::size_t pixels = 0;  // of the images of a step: with the size of its photograph
  std::size_t pairs = 0;   // of a step: visible splats and their pairs with parts of the image
  std::size_t view = 0;    // the same of the last render()
};

/// A scene under training as a backend holds it: parameters, optimiser state and statistics. All
/// operations are deterministic, whatever the number of threads. Not thread safe. What is added
/// here cuda/guarded_trainer.cpp hands on, also where it is not pure.
class SplatTrainer {
 public:
  virtual ~SplatTrainer() = default;

  virtual std::size_t count() const = 0;
  /// Forward, loss, backward and Adam (beta 0.9, 0.999, epsilon 1e-15) on one photograph. Where the
  /// device's memory does not suffice it throws Error, and all is as it was.
  virtual StepResult step(const StepRequest& request) = 0;
  /// The gradient of step()'s loss by every raw parameter, in a cloud of the trainer's order;
  /// changes nothing. For tests, and for fits of a camera.
  virtual SplatCloud gradients(const StepRequest& request, StepResult& result) = 0;
  /// Renders as Backend::render does.
  virtual FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) = 0;

  virtual DensityStatistics statistics() const = 0;
  virtual void clear_statistics() = 0;
  /// The geometry of all splats in the present order.
  virtual std::vector<SplatGeometry> geometry() const = 0;
  /// Changes the set of splats, clears the statistics, and puts the splats in an order that suits
  /// the device; the order of what statistics() and geometry() give then differs. Where the
  /// device's memory does not suffice it throws Error, and all is as it was.
  virtual void edit(const DensityEdit& edit) = 0;
  /// Changes the set of splats by rules, taking `broken` (without repetition) away, as edit() does;
  /// where nothing changes, only the statistics are cleared. Random choices follow from the seed,
  /// and are the same on every backend. Unless a backend overrides these, they are adc_edit() and
  /// mcmc_edit() on the host.
  virtual AdcOutcome change(const AdcRules& rules, std::span<const std::uint32_t> broken,
                            std::uint64_t seed);
  virtual McmcOutcome change(const McmcRules& rules, std::span<const std::uint32_t> broken,
                             std::uint64_t seed);
  /// Puts the splats in an order that suits the device, as edit() does, all else kept: they drift
  /// out of it in training.
  virtual void reorder() = 0;
  /// Opacities above `most` become that, and the moments of all opacities zero.
  virtual void limit_opacity(float most) = 0;

  /// A copy of the splats, raw, in the present order.
  virtual SplatCloud cloud() = 0;
  /// The complete state, as bytes of this build's layout, and back: training goes on bit for bit.
  virtual void save(ByteSink& sink) const = 0;
  virtual void restore(ByteSource& source) = 0;
  /// Whether save() gives what training can go on from: false where the host's memory ran out amid
  /// a change, which then is half done.
  virtual bool is_whole() const { return true; }
  /// Bytes held for splats and steps, on the device where it has a memory of its own.
  virtual std::size_t memory_bytes() const = 0;
  /// As the last step and the last picture left it. edit() and cloud() let go of all but `splats`.
  /// Nothing where a device has a memory of its own.
  virtual TrainerMemory host_memory() const { return {}; }
};

}  // namespace mote
