#pragma once

// Small pictures within a GUI, such as thumbnails; each is one rectangle.

#include <array>
#include <cstddef>
#include <vector>

#include "core/image.h"
#include "present/memory.h"
#include "present/pipeline.h"

namespace mote::present {

/// Position of a picture, framebuffer px from the target's upper left corner.
struct PicturePlace {
  std::array<float, 2> from{}, to{};            // corners of the whole picture
  std::array<float, 2> clip_from{}, clip_to{};  // clip rectangle
  std::array<float, 2> target{};                // size of the target
};

/// Not thread safe.
class PicturePass {
 public:
  static constexpr std::size_t kMost = 512;  // pictures at a time

  /// Draws in render passes compatible with `render_pass`. Throws Error.
  PicturePass(const Device& device, VkRenderPass render_pass);

  bool full() const { return free_.empty(); }
  /// Copies a picture of 1, 3 or 4 channels to the device, waits for it, and returns its place.
  /// Must not be called when full. Throws DeviceLost, Error.
  std::size_t add(const Image8& picture);
  /// No frame in flight may use the place any more.
  void remove(std::size_t place);
  /// Draws the picture. Viewport, scissor and pipeline stay set.
  void record(VkCommandBuffer commands, std::size_t place, const PicturePlace& where) const;

 private:
  struct Picture {
    DeviceImage image;
    VkDescriptorSet set = VK_NULL_HANDLE;  // one per place, made at its first use
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
