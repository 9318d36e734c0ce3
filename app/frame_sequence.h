#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "app/frame_output.h"
#include "backend/backend.h"

namespace mote {

/// How the frames of a sequence come about.
struct SequenceSteps {
  /// Renders one view into the frame.
  std::function<FrameStats(const Camera& camera, Frame& frame)> render;
  /// Called before each frame with the number of those that are rendered; may throw to stop.
  std::function<void(std::size_t done)> before;
};

/// Renders the views in their order and writes each while the next one is rendered. Gives what
/// rendering each of them took. Throws what rendering, writing and `before` throw, once the frame
/// that is being written is.
std::vector<FrameStats> write_sequence(std::span<const View> views, const SequenceSteps& steps,
                                       FrameOutput& output);

}  // namespace mote
