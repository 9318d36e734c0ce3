#pragma once

// Lines and dots over the image: frusta, the crop box, the outline of a selection. What they stand
// for and where they are is the caller's knowledge.

#include <array>
#include <span>

#include "present/display_options.h"
#include "present/display_pass.h"
#include "present/memory.h"

namespace mote::present {

/// Not thread safe.
class OverlayPass {
 public:
  /// Draws in render passes that are compatible with `render_pass`. Throws Error.
  OverlayPass(const Device& device, VkRenderPass render_pass);

  /// Draws the strokes in their order, none of them outside of the view. `slot`: of the frame in
  /// flight.
  void record(VkCommandBuffer commands, const Rectangle& view, VkExtent2D target,
              std::span<const OverlayStroke> strokes, std::size_t slot);

 private:
  const Device& device_;
  PipelineLayout layout_;
  Pipeline pipeline_;
  std::array<MappedBuffer, kFramesInFlight> strokes_;
};

}  // namespace mote::present
