#pragma once

// Small pictures within a GUI, such as thumbnails; each is one quadrilateral.

#include <array>
#include <cstddef>
#include <vector>

#include "core/image.h"
#include "present/memory.h"
#include "present/picture_cells.h"
#include "present/pipeline.h"

namespace mote::present {

/// Corners of a picture: upper left, upper right, lower left, lower right. Each is (x w, y w, w),
/// with x and y in framebuffer px from the target's upper left corner. w is 1 for a picture in the
/// plane of the screen, and the distance from the eye for one that is seen in perspective.
using PictureCorners = std::array<std::array<float, 3>, 4>;

/// The corners of a rectangle.
constexpr PictureCorners rectangle(const std::array<float, 2>& from,
                                   const std::array<float, 2>& to) {
  return {{{from[0], from[1], 1}, {to[0], from[1], 1}, {from[0], to[1], 1}, {to[0], to[1], 1}}};
}

/// Position of a picture.
struct PicturePlace {
  PictureCorners corners{};
  std::array<float, 2> clip_from{}, clip_to{};  // clip rectangle, px
  std::array<float, 2> target{};                // size of the target, px
  float opacity = 1;                            // factor on the picture's own
  PictureCells cells{};
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
