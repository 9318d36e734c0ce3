#include "present/swapchain.h"

#include <algorithm>
#include <limits>

#include "present/handle.h"
#include "present/image_ring.h"
#include "present/memory.h"
#include "present/surface.h"
#include "present/vulkan_error.h"

namespace mote::present {
namespace {

/// Some window systems give no image while the window is covered. The program then continues
/// without one.
constexpr std::uint64_t kPatience_ns = 100'000'000;
/// One is shown, one waits, one is being drawn.
constexpr std::uint32_t kWantedImages = 3;

VkExtent2D extent_for(const VkSurfaceCapabilitiesKHR& able, VkExtent2D wanted) {
  constexpr std::uint32_t kAsWanted = std::numeric_limits<std::uint32_t>::max();
  if (able.currentExtent.width != kAsWanted) return able.currentExtent;
  return {
      std::clamp(wanted.width, able.minImageExtent.width, able.maxImageExtent.width),
      std::clamp(wanted.height, able.minImageExtent.height, able.maxImageExtent.height),
  };
}

std::uint32_t images_for(const VkSurfaceCapabilitiesKHR& able) {
  const std::uint32_t most =
      able.maxImageCount == 0 ? std::numeric_limits<std::uint32_t>::max() : able.maxImageCount;
  return std::min(std::max(kWantedImages, able.minImageCount + 1), most);
}

VkCompositeAlphaFlagBitsKHR alpha_for(const VkSurfaceCapabilitiesKHR& able) {
  const VkCompositeAlphaFlagsKHR has = able.supportedCompositeAlpha;
  if ((has & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR) != 0) return VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  return static_cast<VkCompositeAlphaFlagBitsKHR>(has & (~has + 1));  // the lowest set bit
}

}  // namespace

VkSurfaceFormatKHR Swapchain::format_for(const Device& device, const Surface& surface) {
  const auto format = choose_surface_format(device.gpu().handle, surface.get());
  if (!format.has_value()) {
    throw Error("the window cannot show images with 8 bits per channel", device.gpu().name,
                "choose another device with --gpu");
  }
  return *format;
}

Swapchain::Swapchain(const Device& device, Surface& surface, Pacing pacing, VkExtent2D size,
                     VkSurfaceFormatKHR format)
    : Target(make_render_passes(device, format.format, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR)),
      device_(device),
      surface_(surface),
      pacing_(pacing),
      format_(format),
      wanted_(size) {
  for (int i = 0; i < kFramesInFlight; ++i) ready_.push_back(make_semaphore(device));
  make_images();
}

Swapchain::~Swapchain() {
  vkDeviceWaitIdle(device_.handle());  // result ignored: a lost device has nothing to wait for
}

void Swapchain::resize(int width, int height) {
  const VkExtent2D size{static_cast<std::uint32_t>(std::max(width, 0)),
                        static_cast<std::uint32_t>(std::max(height, 0))};
  stale_ = stale_ || size.width != wanted_.width || size.height != wanted_.height;
  wanted_ = size;
}

void Swapchain::set_pacing(Pacing pacing) {
  stale_ = stale_ || pacing != pacing_;
  pacing_ = pacing;
}

std::optional<TargetImage> Swapchain::acquire() {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (stale_ && !make_images()) return std::nullopt;
    TargetImage image;
    image.ready = ready_[next_ready_].get();
    const VkResult result = vkAcquireNextImageKHR(device_.handle(), swapchain_.get(), kPatience_ns,
                                                  image.ready, VK_NULL_HANDLE, &image.index);
    if (result == VK_SUCCESS || result == VK_SUBOPTIMAL_KHR) {
      stale_ = result == VK_SUBOPTIMAL_KHR;  // this image can be shown; later ones are made again
      next_ready_ = (next_ready_ + 1) % ready_.size();
      const Shown& shown = images_[image.index];
      image.image = takes_copies_ ? shown.image : VK_NULL_HANDLE;
      image.framebuffer = shown.framebuffer.get();
      image.drawn = shown.drawn.get();
      return image;
    }
    if (result == VK_TIMEOUT || result == VK_NOT_READY) return std::nullopt;
    if (result == VK_ERROR_SURFACE_LOST_KHR) {
      replace_surface();
    } else if (result == VK_ERROR_OUT_OF_DATE_KHR) {
      stale_ = true;
    } else {
      device_.check(result, "acquire an image of the window");
    }
  }
  return std::nullopt;
}

void Swapchain::present(const TargetImage& image) {
  const VkSwapchainKHR swapchain = swapchain_.get();
  auto info = structure<VkPresentInfoKHR>(VK_STRUCTURE_TYPE_PRESENT_INFO_KHR);
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &image.drawn;
  info.swapchainCount = 1;
  info.pSwapchains = &swapchain;
  info.pImageIndices = &image.index;
  const VkResult result = vkQueuePresentKHR(device_.queue(), &info);
  if (result == VK_SUBOPTIMAL_KHR || result == VK_ERROR_OUT_OF_DATE_KHR) {
    stale_ = true;
  } else if (result == VK_ERROR_SURFACE_LOST_KHR) {
    replace_surface();
  } else {
    device_.check(result, "show an image");
  }
}

/// Returns false where the window has no area.
bool Swapchain::make_images() {
  if (wanted_.width == 0 || wanted_.height == 0) return false;
  VkSurfaceCapabilitiesKHR able;
  device_.check(
      vkGetPhysicalDeviceSurfaceCapabilitiesKHR(device_.gpu().handle, surface_.get(), &able),
      "query the size of the window");
  const VkExtent2D extent = extent_for(able, wanted_);
  if (extent.width == 0 || extent.height == 0) return false;
  device_.wait_idle();
  images_.clear();
  swapchain_ = make_swapchain(able, extent);
  extent_ = extent;
  takes_copies_ = (able.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT) != 0;
  take_images();
  stale_ = false;
  return true;
}

SwapchainHandle Swapchain::make_swapchain(const VkSurfaceCapabilitiesKHR& able,
                                          VkExtent2D extent) const {
  auto info = structure<VkSwapchainCreateInfoKHR>(VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR);
  info.surface = surface_.get();
  info.minImageCount = images_for(able);
  info.imageFormat = format_.format;
  info.imageColorSpace = format_.colorSpace;
  info.imageExtent = extent;
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                    (able.supportedUsageFlags & VK_IMAGE_USAGE_TRANSFER_DST_BIT);
  info.imageSharingMode = VK_SHARING_MODE_EXCLUSIVE;
  info.preTransform = able.currentTransform;
  info.compositeAlpha = alpha_for(able);
  info.presentMode = choose_mode();
  info.clipped = VK_TRUE;
  info.oldSwapchain = swapchain_.get();
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  device_.check(vkCreateSwapchainKHR(device_.handle(), &info, nullptr, &swapchain),
                "make the window's images");
  return {device_.handle(), swapchain};
}

VkPresentModeKHR Swapchain::choose_mode() const {
  if (pacing_ == Pacing::vsync) return VK_PRESENT_MODE_FIFO_KHR;  // always supported
  std::uint32_t count = 0;
  const VkPhysicalDevice gpu = device_.gpu().handle;
  device_.check(vkGetPhysicalDeviceSurfacePresentModesKHR(gpu, surface_.get(), &count, nullptr),
                "list the window's present modes");
  std::vector<VkPresentModeKHR> modes(count);
  device_.check(
      vkGetPhysicalDeviceSurfacePresentModesKHR(gpu, surface_.get(), &count, modes.data()),
      "list the window's present modes");
  const bool has_mailbox =
      std::find(modes.begin(), modes.end(), VK_PRESENT_MODE_MAILBOX_KHR) != modes.end();
  return has_mailbox ? VK_PRESENT_MODE_MAILBOX_KHR : VK_PRESENT_MODE_FIFO_KHR;
}

void Swapchain::take_images() {
  std::uint32_t count = 0;
  device_.check(vkGetSwapchainImagesKHR(device_.handle(), swapchain_.get(), &count, nullptr),
                "list the window's images");
  std::vector<VkImage> images(count);
  device_.check(vkGetSwapchainImagesKHR(device_.handle(), swapchain_.get(), &count, images.data()),
                "list the window's images");
  for (const VkImage image : images) {
    device_.set_name(VK_OBJECT_TYPE_IMAGE, image, "window");
    Shown shown;
    shown.image = image;
    shown.view = make_image_view(device_, image, format_.format);
    shown.framebuffer = make_framebuffer(device_, passes().clears.get(), shown.view.get(), extent_);
    shown.drawn = make_semaphore(device_);
    images_.push_back(std::move(shown));
  }
}

void Swapchain::replace_surface() {
  device_.wait_idle();
  images_.clear();
  swapchain_ = {};
  surface_.make_anew();
  VkBool32 can = VK_FALSE;
  device_.check(vkGetPhysicalDeviceSurfaceSupportKHR(
                    device_.gpu().handle, device_.gpu().queue_family, surface_.get(), &can),
                "query whether the device can present on the window");
  const auto format = choose_surface_format(device_.gpu().handle, surface_.get());
  if (can != VK_TRUE || !format.has_value() || format->format != format_.format) {
    device_.check(VK_ERROR_SURFACE_LOST_KHR, "present on the window's new surface");
  }
  stale_ = true;
}

}  // namespace mote::present
