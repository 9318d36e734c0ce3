#pragma once

// Lines and dots over the image, such as frusta, the crop box, or the outline of a selection. The
// caller decides their meaning and position.

#include <array>
#include <span>

#include "present/display_options.h"
#include "present/display_pass.h"
#include "present/memory.h"

namespace mote::present {

/// Not thread safe.
class OverlayPass {
 public:
  /// Draws in render passes compatible with `render_pass`. Throws Error.
  OverlayPass(const Device& device, VkRenderPass render_pass);

  /// Draws the strokes in order, clipped to the view. `slot`: index of the frame in flight.
  void record(VkCommandBuffer commands, const Rectangle& view, VkExtent2D target,
              std::span<const OverlayStroke> strokes, std::size_t slot);

 private:
  const Device& device_;
  PipelineLayout layout_;
  Pipeline pipeline_;
  std::array<MappedBuffer, kFramesInFlight> strokes_;
};

}  // namespace mote::present
