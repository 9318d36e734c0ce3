#pragma once

// Neural fields on a device: drawing, and training on photographs.

#include <array>
#include <cstdint>
#include <glm/vec3.hpp>
#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/photo_step.h"
#include "core/byte_stream.h"
#include "fields/neural_field.h"
#include "fields/optimizer_state.h"
#include "scene/dataset.h"

namespace mote {

/// A field in the memory of a backend, ready to be drawn. Must not outlive the backend.
class DeviceField {
 public:
  virtual ~DeviceField() = default;

  /// Renders as Backend::render() does. The number of samples of a pixel is its overdraw. Throws
  /// Error for tile costs, which fields do not have, and for normals of other fields than signed
  /// distances.
  virtual FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) = 0;
  /// Renders the field in the parts that the sheets divide it into, one more than there are sheets:
  /// in each pixel, part i is behind i of the sheets, and hidden by none of them. All parts are
  /// over black, with alpha and both depths. Hidden surfaces may be missing. A field whose
  /// samples hide all that is behind them is one part: the images of the others are then empty.
  virtual FrameStats render_parts(const Camera& camera, const RenderSettings& settings,
                                  const Dividers& /*dividers*/, std::span<Frame> parts) {
    for (Frame& behind : parts.subspan(1)) behind = {};
    return render(camera, settings, parts.front());
  }
  /// Evaluates the field at `count` positions: [inputs][stride], 0 to 1 in the cube that it covers.
  /// `values`: [outputs][stride], as the network gives them (fields/applications/field_layout.h);
  /// of a NeRF, the logarithm of the density alone. Planes as fields/planes.h describes them.
  virtual void evaluate(const float* positions, std::size_t count, std::size_t stride,
                        float* values) = 0;
  /// The colours of a NeRF, as pictures show them, at positions as evaluate() takes them.
  /// `directions`: of the view, of length 1 in the field's frame. Both and `colors`: [3][stride].
  /// Throws Error for other fields.
  virtual void radiance(const float* positions, const float* directions, std::size_t count,
                        std::size_t stride, float* colors);
};

/// A field under training in the memory of a backend, with the state of its optimiser.
/// Deterministic for any number of threads. Not thread safe. As a DeviceField, it has averaged
/// parameters if the optimiser averages.
class FieldInMemory : public DeviceField {
 public:
  /// The field as it is drawn.
  virtual NeuralField field() = 0;
  /// With those of proposals.
  virtual std::size_t parameters() const = 0;
  /// The complete state, as bytes in this build's layout. Training continues with identical
  /// results.
  virtual void save(ByteSink& sink) const = 0;
  virtual void restore(ByteSource& source) = 0;
  virtual OptimizerStates optimizer_states() const = 0;
  /// Continues from states of put_optimizer_states(), with their parameters. Throws Error if they
  /// have another number of them.
  virtual void restore_optimizers(ByteSource& source) = 0;
  /// Whether save() gives a state from which training can continue. False after a step that has
  /// failed half-way. A step that finds too little of the device's memory leaves the state as it
  /// was.
  virtual bool is_whole() const = 0;
  /// Host memory in bytes: parameters with the optimiser's state, and the rays and samples of a
  /// step.
  virtual std::size_t state_bytes() const = 0;
  virtual std::size_t step_bytes() const = 0;
};

/// A photograph that rays of a step are chosen from.
struct FieldPhoto {
  Camera camera;  // at the size of `photo`, in the world's frame
  const PhotoPixels* photo = nullptr;
  /// The owner of `photo`, so that a device can keep a copy as long as it lives; null: `photo` is
  /// copied anew for each step.
  std::shared_ptr<const PhotoPixels> owner = {};
  Exposure exposure = kNeutralExposure;  // applied to the rendered colour, before the loss
  std::size_t number = 0;                // among the photographs of FieldTrainerSettings
};

/// One step on random pixels of photographs.
struct FieldStepRequest {
  std::span<const FieldPhoto> photographs;
  std::array<float, 3> background{0, 0, 0};  // behind the field and behind transparent photographs
  bool random_background = false;            // another colour for each ray instead
  std::uint64_t step = 1;                    // from 1
  std::uint64_t seed = 0;
  double learning_rate = 1e-2;
  /// With proposals: weight of a ray's mean distortion loss, beside the mean loss of colours.
  float distortion_weight = 0.002f;
  /// Whether the gradients by the cameras are found, see FieldTrainerSettings::pose_gradients.
  bool pose_gradients = false;
};

/// Gradients by one photograph's parameters. That by the exposure is of three times
/// FieldStepResult::loss. Those by the pose have also what training adds by the samples: the
/// distortion loss, and the gradient against density close to the camera.
struct FieldPhotoGradient {
  Exposure exposure{};
  /// By a small motion of the camera, p_cam -> p_cam + rotation x p_cam + translation, in world
  /// units, while the samples keep their distances along the rays, as in instant-ngp. 0 unless they
  /// were requested.
  glm::dvec3 rotation{0, 0, 0}, translation{0, 0, 0};
};

struct FieldStepResult {
  double loss = 0;                        // mean over rays and channels, of the configured loss
  double l1 = 0, mse = 0;                 // means over rays and channels, weighted by the masks
  double distortion = 0, interlevel = 0;  // means over rays; 0 without proposals
  std::uint64_t rays = 0;                 // that were trained on
  std::uint64_t samples = 0;              // that were trained on
  /// Parameters with a gradient that was not finite. A device that goes on meanwhile tells those of
  /// the step before, and its times.
  std::uint64_t non_finite = 0;
  std::array<float, 3> d_background{0, 0, 0};   // of three times the loss
  std::vector<FieldPhotoGradient> photographs;  // one for each of the request
  /// The gradients of grids count as update on devices that update each level at once.
  double march_ms = 0, forward_ms = 0, backward_ms = 0, update_ms = 0, total_ms = 0;
};

struct FieldTrainerSettings {
  std::uint64_t batch = std::uint64_t{1} << 18;  // samples of a step that reach a pixel
  /// Number of photographs of which half of the rays are chosen by their errors; 0: all pixels are
  /// alike.
  std::size_t mapped_photographs = 0;
  /// The photographs that have latents, ascending, if the field has some. Their first values are
  /// NeuralField::latents, which must be of as many photographs, or random if these are empty.
  std::vector<std::uint32_t> latent_photographs = {};
  std::uint64_t latent_seed = 0;
  /// Least length of the steps along rays in the first 2^28 samples, in usual steps: 1, 2, 4 or 8.
  float first_steps = 2;
  /// Samples that are trained between two updates of the occupancy.
  std::uint64_t occupancy_samples = std::uint64_t{1} << 22;
  /// Requests may ask for gradients by the cameras. Not all devices have them.
  bool pose_gradients = false;
  /// The field is trained: it keeps its occupancy, and pictures have the mean of its latents.
  bool is_trained = false;
};

/// A NeRF under training, with its occupancy grid.
class FieldTrainer : public FieldInMemory {
 public:
  /// Chooses rays, renders them, and takes a step of the configured optimiser. Changes the
  /// occupancy when that is due.
  virtual FieldStepResult step(const FieldStepRequest& request) = 0;
  /// The loss at some pixels of the photographs, which depend on the request's seed, and its
  /// gradients by exposures, background and, if requested, cameras. The field has the parameters of
  /// pictures, and the samples of a step of training in its whole cube. Photographs have the
  /// latents of pictures. Does not change the field. Used to fit a view.
  /// Throws Error if the device has no gradients by cameras.
  virtual FieldStepResult differentiate(const FieldStepRequest& request);
};

}  // namespace mote
