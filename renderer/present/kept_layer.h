#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "present/offscreen_target.h"

namespace mote::present {

/// A cached image of the content around the view, drawn again only when it changes. On a device
/// that is the processor, copying it costs a fraction of drawing.
class KeptLayer {
 public:
  /// `format`: as for OffscreenTarget.
  KeptLayer(const Device& device, VkFormat format);

  /// Calls `draw` over `clear` if the version, the colour or the size has changed since the last
  /// call; null draws nothing. Throws DeviceLost, Error, and the errors of `draw`.
  void record(VkCommandBuffer commands, const std::function<void(VkCommandBuffer)>& draw,
              std::uint64_t version, const VkClearValue& clear, VkExtent2D extent);
  /// Copies over a whole image of that size in VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL.
  void record_copy(VkCommandBuffer commands, VkImage to) const;

 private:
  struct Kept {
    std::uint64_t version = 0;
    std::array<float, 4> clear{};
    std::uint32_t width = 0, height = 0;
    bool operator==(const Kept&) const = default;
  };

  OffscreenTarget target_;
  TargetImage image_;
  std::optional<Kept> kept_;
};

}  // namespace mote::present
