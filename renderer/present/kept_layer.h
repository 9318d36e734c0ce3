#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "present/offscreen_target.h"

namespace mote::present {

/// An image of what stands around the view, which is drawn again only where that changes: copying
/// it costs a device that is the processor a fraction of what drawing does.
class KeptLayer {
 public:
  /// `format` as OffscreenTarget takes it.
  KeptLayer(const Device& device, VkFormat format);

  /// Lets `draw` draw over `clear`, if the version, the colour or the size are not those of the
  /// last time; null draws nothing. Throws DeviceLost, Error, and what `draw` throws.
  void record(VkCommandBuffer commands, const std::function<void(VkCommandBuffer)>& draw,
              std::uint64_t version, const VkClearValue& clear, VkExtent2D extent);
  /// Over all of an image of that size in VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL.
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
