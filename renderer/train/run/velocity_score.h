#pragma once

#include <memory>
#include <optional>
#include <span>

#include "backend/backend.h"
#include "model/host_model.h"
#include "scene/dataset.h"

namespace mote {

/// How well splats move as the surfaces do that they show, over pixels and splats. A splat counts
/// in a pixel by its weight there, alpha times transmittance. All in world units per second.
struct VelocityScore {
  double error = 0;        // root of the mean square of v - v_true, where something moves
  double truth = 0;        // the same of v_true: the error of splats that stand still
  double still_speed = 0;  // mean of |v| where nothing moves
};

/// Whether one of the views has true velocities.
bool has_true_velocities(const Dataset& dataset, std::span<const std::uint32_t> views);

/// The velocities of splats on a device, as two scenes: with w the weights in a pixel, their
/// pictures are the sums of w (1 + v / most) / 2, and of w |v|^2 / most^2 and w |v| / most. The
/// velocities of splats that a deformation field moves are its derivatives at the time of the
/// photograph.
class VelocityPictures {
 public:
  /// Measures splats with stored values. The backend must outlive this.
  VelocityPictures(Backend& backend, const SplatCloud& splats, bool antialiased);

  struct Sums {
    double moving = 0, error_squares = 0, true_squares = 0;  // weights, and world^2/s^2
    double still = 0, speeds = 0;                            // weights, and world/s
  };
  /// Adds the pixels of a photograph, if it has true velocities. `moving`: moving_pixels(). Throws
  /// Error if the file cannot be read.
  void add(const Photograph& photograph, const Image& moving, Sums& sums);

 private:
  /// Makes the scenes of splats that have velocities.
  void show(const SplatCloud& splats);

  Backend& backend_;
  RenderSettings settings_;
  std::optional<SplatCloud> deformed_;  // by a field
  std::optional<double> moment_s_;      // of the scenes then
  double most_ = 0;                     // largest speed, world/s; at least a tiny one
  std::unique_ptr<DeviceScene> vectors_, speeds_;
  Frame vector_frame_, speed_frame_;
};

/// The pictures of the model; null for a model whose splats are not known.
std::unique_ptr<VelocityPictures> velocity_pictures(Backend& backend, const HostModel& model,
                                                    bool antialiased);

/// Empty where nothing moves.
std::optional<VelocityScore> velocity_score(const VelocityPictures::Sums& sums);

}  // namespace mote
