#pragma once

// The clocks of cameras that a run does not train on. A run learns the clocks of its training
// cameras, so that a test camera may be as far off as these were, and its scores would be those of
// its clock. A clock is one number for all photographs of a camera, so that they can be scored with
// it as a whole.

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "backend/backend.h"
#include "io/datasets/photo_store.h"
#include "scene/dataset.h"

namespace mote {

/// Renders a photograph's view with its exposure, at a level of its pyramid and at a time, s.
using RenderAtTime =
    std::function<void(std::uint32_t photograph, int level, double time_s, Frame& frame)>;

/// The input of a fit. References must outlive it.
struct ClockFit {
  const Dataset& dataset;
  PhotoStore& photos;
  std::array<float, 3> background{0, 0, 0};  // behind photographs with alpha
  const RenderAtTime& render;
  std::function<void()> look_up = {};  // called before each picture; may be empty, and may throw
};

/// The fitted clock of a camera: its photographs show the time `offset_s` after their own ones.
struct FittedClock {
  std::uint32_t camera = 0;  // in Dataset::camera_groups
  double offset_s = 0;
  bool at_end = false;  // the largest offset of the fit: it may be more
};

/// Fits the clocks of the cameras that have test photographs and no training photographs, within a
/// frame of the camera. Up to eight photographs of a camera, evenly spread over time, are compared
/// with pictures of other times, at most 320 px long: quarters of a frame first, then halves of the
/// step, down to a 32nd of a frame. The least sum of absolute differences counts, and of equal ones
/// that of the smaller offset. Empty if the scene stands still; cameras whose rate is unknown are
/// left out. Throws the errors of rendering, and Error if a photograph cannot be read.
std::vector<FittedClock> fit_clocks(const ClockFit& fit);

}  // namespace mote
