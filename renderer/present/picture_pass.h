#pragma once

// Small pictures within a GUI: thumbnails, each one rectangle.

#include <array>
#include <cstddef>
#include <vector>

#include "core/image.h"
#include "present/memory.h"
#include "present/pipeline.h"

namespace mote::present {

/// Where a picture is drawn; framebuffer px from the target's upper left.
struct PicturePlace {
  std::array<float, 2> from{}, to{};            // of the whole picture
  std::array<float, 2> clip_from{}, clip_to{};  // nothing is drawn outside of this
  std::array<float, 2> target{};                // size of what is drawn on
};

/// Not thread safe.
class PicturePass {
 public:
  static constexpr std::size_t kMost = 512;  // pictures at a time

  /// Draws in render passes that are compatible with `render_pass`. Throws Error.
  PicturePass(const Device& device, VkRenderPass render_pass);

  bool full() const { return free_.empty(); }
  /// Copies a picture of 1, 3 or 4 channels to the device, waiting for it; gives its place. Not
  /// when full. Throws DeviceLost, Error.
  std::size_t add(const Image8& picture);
  /// No frame in flight may show it any more.
  void remove(std::size_t place);
  /// Sets viewport, scissor and pipeline, and leaves them so.
  void record(VkCommandBuffer commands, std::size_t place, const PicturePlace& where) const;

 private:
  struct Picture {
    DeviceImage image;
    VkDescriptorSet set = VK_NULL_HANDLE;  // one for each place, made when it is first used
  };
  void write_set(Picture& picture) const;

  const Device& device_;
  Sampler sampler_;
  DescriptorSetLayout set_layout_;
  DescriptorPool pool_;
  PipelineLayout layout_;
  Pipeline pipeline_;
  std::vector<Picture> pictures_;
  std::vector<std::size_t> free_;
};

}  // namespace mote::present
