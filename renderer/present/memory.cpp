#include "present/memory.h"

#include "present/handle.h"

namespace mote::present {
namespace {

constexpr VkMemoryPropertyFlags kMapped =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkImageSubresourceRange kWholeImage{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

/// Allocates from the first type of `choices` that the device has.
Memory allocate(const Device& device, const VkMemoryRequirements& needs,
                std::span<const VkMemoryPropertyFlags> choices) {
  for (const VkMemoryPropertyFlags choice : choices) {
    const auto type = device.memory_type(needs.memoryTypeBits, choice);
    if (!type.has_value()) continue;
    auto info = structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
    info.allocationSize = needs.size;
    info.memoryTypeIndex = *type;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    device.check(vkAllocateMemory(device.handle(), &info, nullptr, &memory), "allocate memory");
    return {device.handle(), memory};
  }
  device.check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "find memory of the right kind");
  return {};
}

std::byte* map(const Device& device, const Memory& memory) {
  void* mapped = nullptr;
  device.check(vkMapMemory(device.handle(), memory.get(), 0, VK_WHOLE_SIZE, 0, &mapped),
               "map memory");
  return static_cast<std::byte*>(mapped);
}

ImageHandle make_image(const Device& device, const ImageSpec& spec) {
  auto info = structure<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = spec.format;
  info.extent = {static_cast<std::uint32_t>(spec.width), static_cast<std::uint32_t>(spec.height),
                 1};
  info.mipLevels = 1;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = spec.mapped ? VK_IMAGE_TILING_LINEAR : VK_IMAGE_TILING_OPTIMAL;
  info.usage = spec.usage;
  info.initialLayout = spec.mapped ? VK_IMAGE_LAYOUT_PREINITIALIZED : VK_IMAGE_LAYOUT_UNDEFINED;
  VkImage image = VK_NULL_HANDLE;
  device.check(vkCreateImage(device.handle(), &info, nullptr, &image), "make an image");
  device.set_name(VK_OBJECT_TYPE_IMAGE, image, spec.name);
  return {device.handle(), image};
}

}  // namespace

MappedBuffer::MappedBuffer(const Device& device, std::size_t bytes, VkBufferUsageFlags usage,
                           const char* name)
    : bytes_(bytes) {
  auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  info.size = bytes;
  info.usage = usage;
  VkBuffer buffer = VK_NULL_HANDLE;
  device.check(vkCreateBuffer(device.handle(), &info, nullptr, &buffer), "make a buffer");
  buffer_ = {device.handle(), buffer};
  device.set_name(VK_OBJECT_TYPE_BUFFER, buffer, name);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device.handle(), buffer, &needs);
  // The CPU also reads screenshots from there, which is slow without a cache.
  const VkMemoryPropertyFlags choices[] = {kMapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, kMapped};
  memory_ = allocate(device, needs, choices);
  device.check(vkBindBufferMemory(device.handle(), buffer, memory_.get(), 0), "bind memory");
  mapped_ = map(device, memory_);
}

DeviceImage::DeviceImage(const Device& device, const ImageSpec& spec)
    : image_(make_image(device, spec)),
      width_(spec.width),
      height_(spec.height),
      format_(spec.format) {
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device.handle(), image_.get(), &needs);
  const VkMemoryPropertyFlags mapped[] = {kMapped | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, kMapped};
  const VkMemoryPropertyFlags local[] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
  memory_ = spec.mapped ? allocate(device, needs, mapped) : allocate(device, needs, local);
  device.check(vkBindImageMemory(device.handle(), image_.get(), memory_.get(), 0), "bind memory");
  view_ = make_image_view(device, image_.get(), spec.format);
  if (!spec.mapped) return;
  const VkImageSubresource whole{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0};
  VkSubresourceLayout layout;
  vkGetImageSubresourceLayout(device.handle(), image_.get(), &whole, &layout);
  mapped_ = map(device, memory_) + layout.offset;
  row_bytes_ = layout.rowPitch;
}

ImageView make_image_view(const Device& device, VkImage image, VkFormat format) {
  auto info = structure<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  info.image = image;
  info.viewType = VK_IMAGE_VIEW_TYPE_2D;
  info.format = format;
  info.subresourceRange = kWholeImage;
  VkImageView view = VK_NULL_HANDLE;
  device.check(vkCreateImageView(device.handle(), &info, nullptr, &view), "view an image");
  return {device.handle(), view};
}

bool can_map_images(const Device& device, VkFormat format) {
  VkFormatProperties properties;
  vkGetPhysicalDeviceFormatProperties(device.gpu().handle, format, &properties);
  constexpr VkFormatFeatureFlags kNeeded =
      VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_TRANSFER_SRC_BIT;
  return device.shares_memory() && (properties.linearTilingFeatures & kNeeded) == kNeeded;
}

void record_transition(VkCommandBuffer commands, VkImage image, const ImageUse& before,
                       const ImageUse& after) {
  auto barrier = structure<VkImageMemoryBarrier2>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2);
  barrier.srcStageMask = before.stage;
  barrier.srcAccessMask = before.access;
  barrier.dstStageMask = after.stage;
  barrier.dstAccessMask = after.access;
  barrier.oldLayout = before.layout;
  barrier.newLayout = after.layout;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = kWholeImage;
  auto dependency = structure<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
  dependency.imageMemoryBarrierCount = 1;
  dependency.pImageMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(commands, &dependency);
}

}  // namespace mote::present
