#pragma once

// From an image of the renderer to what the screen shows: see display_options.h and
// shaders/display.frag.

#include <array>
#include <utility>

#include "present/display_options.h"
#include "present/display_pipelines.h"
#include "present/frames_in_flight.h"
#include "present/image_ring.h"
#include "present/pipeline.h"

namespace mote::present {

/// Framebuffer pixels, from the upper left.
struct Rectangle {
  int x = 0, y = 0, width = 0, height = 0;
};

/// Viewport over the rectangle; nothing is drawn outside of it or of the target. False where that
/// leaves nothing.
bool set_view(VkCommandBuffer commands, const Rectangle& view, VkExtent2D target);

/// Not thread safe.
class DisplayPass {
 public:
  /// What is done by the thread that makes pipelines besides; see DisplayPipelines::Steps.
  struct Background {
    std::function<void(const DisplayVariant&)> rehearse;
    std::function<void()> rest;
  };
  /// Draws in render passes that are compatible with `render_pass`. Throws Error.
  DisplayPass(const Device& device, VkRenderPass render_pass, Background background);

  struct Job {
    Rectangle view{};
    VkExtent2D target{};
    const DisplayOptions& options;
    const ImageRing& first;   // has an image
    const ImageRing& second;  // may have none
    double time_s = 0;        // for what changes with time
    std::size_t slot = 0;     // of the frame in flight
    bool waits = false;       // for the pipeline; else another one is used until it is made
  };

  /// The image that is shown, where the pass would only copy it pixel by pixel and the device is
  /// the processor: there a copy costs a twentieth of what a shader does (on llvmpipe 0.3 ms
  /// against 5 at 1280x720). Null everywhere else.
  static const ImageRing* only_copies(const Device& device, const Job& job);

  /// Draws the image, which is on the device, over the view. The first use of a combination of
  /// options has a pipeline made for it, by another thread. Until it is there, the image is shown
  /// as the frame before showed its own, and false is given.
  bool record(VkCommandBuffer commands, const Job& job);
  /// Has the pipelines made that a change of one option needs.
  void prepare_likely();

 private:
  /// The images that the job shows: the first, and what it is compared with or null.
  static std::pair<const ImageRing*, const ImageRing*> shown_images(const Job& job);
  static DisplayVariant variant_for(const Job& job, const ImageRing& first,
                                    const ImageRing* second);
  Pipeline make(const DisplayVariant& variant) const;
  void update_set(VkDescriptorSet set, const ImageRing& first, const ImageRing& second) const;

  const Device& device_;
  VkRenderPass render_pass_;
  Sampler sampler_;
  DescriptorSetLayout set_layout_;
  DescriptorPool pool_;
  std::array<VkDescriptorSet, kFramesInFlight> sets_{};
  PipelineLayout layout_;
  DisplayVariant shown_{};      // by the last frame
  DisplayPipelines pipelines_;  // last: its thread uses all of the above
};

}  // namespace mote::present
