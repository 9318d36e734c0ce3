#pragma once

// Draws an image of the renderer on the screen: see display_options.h and shaders/display.frag.

#include <array>
#include <utility>

#include "present/display_options.h"
#include "present/display_pipelines.h"
#include "present/image_ring.h"
#include "present/pipeline.h"

namespace mote::present {

/// Framebuffer pixels, relative to the upper left corner.
struct Rectangle {
  int x = 0, y = 0, width = 0, height = 0;
};

/// Sets the viewport to the rectangle and clips to it and to the target. Returns false where
/// nothing is left.
bool set_view(VkCommandBuffer commands, const Rectangle& view, VkExtent2D target);

/// Not thread safe.
class DisplayPass {
 public:
  /// Additional work of the thread that makes pipelines; see DisplayPipelines::Steps.
  struct Background {
    std::function<void(const DisplayVariant&)> rehearse;
    std::function<void()> rest;
  };
  /// Draws in render passes compatible with `render_pass`. Throws Error.
  DisplayPass(const Device& device, VkRenderPass render_pass, Background background);

  struct Job {
    Rectangle view{};
    VkExtent2D target{};
    const DisplayOptions& options;
    const ImageRing& first;   // has an image
    const ImageRing& second;  // may have none
    double time_s = 0;        // for time-dependent options
    std::size_t slot = 0;     // index of the frame in flight
    /// true: wait for the pipeline; false: use the previous one until it is made.
    bool waits = false;
  };

  /// Returns the image to show if the pass would only copy its pixels and the device is the
  /// processor. There a copy costs a twentieth of a shader (on llvmpipe 0.3 ms instead of 5 ms at
  /// 1280x720). Otherwise null.
  static const ImageRing* only_copies(const Device& device, const Job& job);

  /// Draws the uploaded image over the view. At the first use of a combination of options, another
  /// thread makes the pipeline. Until it is made, the image is drawn with the pipeline of the last
  /// frame, and false is returned.
  bool record(VkCommandBuffer commands, const Job& job);
  /// Requests the pipelines for all changes of a single option.
  void prepare_likely();

 private:
  /// The images that the job shows: the first, and the one compared with it or null.
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
  DisplayVariant shown_{};      // the variant of the last frame
  DisplayPipelines pipelines_;  // last member: its thread uses all members above
};

}  // namespace mote::present
