#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "app/jobs/frame_output.h"
#include "backend/backend.h"

namespace mote {

/// Callbacks of write_sequence().
struct SequenceSteps {
  /// Renders one view into the frame.
  std::function<FrameStats(const View& view, Frame& frame)> render;
  /// Called before each frame with the number of rendered frames; may throw to stop.
  std::function<void(std::size_t done)> before;
};

/// Renders the views in order, and writes each one while the next is rendered. Returns the render
/// statistics per view. Rethrows errors of rendering, writing and `before` after the frame being
/// written is complete.
std::vector<FrameStats> write_sequence(std::span<const View> views, const SequenceSteps& steps,
                                       FrameOutput& output);

}  // namespace mote
