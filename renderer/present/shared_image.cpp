#include "present/shared_image.h"

#include "present/handle.h"
#include "present/timeline.h"

namespace mote::present {
namespace {

constexpr VkExternalMemoryHandleTypeFlagBits kMemoryKind =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
constexpr VkExternalSemaphoreHandleTypeFlagBits kSemaphoreKind =
    VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT;
constexpr VkBufferUsageFlags kUsage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;

/// Throws Error where the functions are missing.
template <class Function>
Function function_of(const Device& device, const char* name) {
  const auto function = reinterpret_cast<Function>(vkGetDeviceProcAddr(device.handle(), name));
  if (function == nullptr) device.check(VK_ERROR_EXTENSION_NOT_PRESENT, "share images");
  return function;
}

void check_memory(const Device& device) {
  auto asked = structure<VkPhysicalDeviceExternalBufferInfo>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO);
  asked.usage = kUsage;
  asked.handleType = kMemoryKind;
  auto found = structure<VkExternalBufferProperties>(VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES);
  vkGetPhysicalDeviceExternalBufferProperties(device.gpu().handle, &asked, &found);
  const VkExternalMemoryFeatureFlags features =
      found.externalMemoryProperties.externalMemoryFeatures;
  if (!device.exports_memory() || (features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) == 0) {
    device.check(VK_ERROR_FEATURE_NOT_PRESENT, "export memory");
  }
}

BufferHandle make_buffer(const Device& device, std::size_t bytes, const char* name) {
  auto external = structure<VkExternalMemoryBufferCreateInfo>(
      VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO);
  external.handleTypes = kMemoryKind;
  auto info = structure<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &external);
  info.size = bytes;
  info.usage = kUsage;
  VkBuffer buffer = VK_NULL_HANDLE;
  device.check(vkCreateBuffer(device.handle(), &info, nullptr, &buffer), "make a buffer");
  device.set_name(VK_OBJECT_TYPE_BUFFER, buffer, name);
  return {device.handle(), buffer};
}

}  // namespace

SharedBuffer::SharedBuffer(const Device& device, std::size_t bytes, const char* name)
    : device_(device), bytes_(bytes) {
  check_memory(device);
  buffer_ = make_buffer(device, bytes, name);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device.handle(), buffer_.get(), &needs);
  // Some drivers export only dedicated allocations; all drivers support those.
  auto alone =
      structure<VkMemoryDedicatedAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO);
  alone.buffer = buffer_.get();
  auto exported =
      structure<VkExportMemoryAllocateInfo>(VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO, &alone);
  exported.handleTypes = kMemoryKind;
  auto info = structure<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &exported);
  info.allocationSize = needs.size;
  const auto type = device.memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  if (!type.has_value()) {
    device.check(VK_ERROR_OUT_OF_DEVICE_MEMORY, "find memory of the right kind");
  }
  info.memoryTypeIndex = *type;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  device.check(vkAllocateMemory(device.handle(), &info, nullptr, &memory), "allocate memory");
  memory_ = {device.handle(), memory};
  device.check(vkBindBufferMemory(device.handle(), buffer_.get(), memory, 0), "bind memory");
  allocated_bytes_ = needs.size;
}

bool exports_timelines(const Device& device) {
  auto type = structure<VkSemaphoreTypeCreateInfo>(VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  auto asked = structure<VkPhysicalDeviceExternalSemaphoreInfo>(
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO, &type);
  asked.handleType = kSemaphoreKind;
  auto found =
      structure<VkExternalSemaphoreProperties>(VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES);
  vkGetPhysicalDeviceExternalSemaphoreProperties(device.gpu().handle, &asked, &found);
  return device.exports_semaphores() &&
         (found.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT) != 0;
}

FileDescriptor SharedBuffer::export_memory() const {
  auto info = structure<VkMemoryGetFdInfoKHR>(VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR);
  info.memory = memory_.get();
  info.handleType = kMemoryKind;
  int descriptor = -1;
  const auto get = function_of<PFN_vkGetMemoryFdKHR>(device_, "vkGetMemoryFdKHR");
  device_.check(get(device_.handle(), &info, &descriptor), "export memory");
  return FileDescriptor(descriptor);
}

SharedTimeline::SharedTimeline(const Device& device) : device_(device) {
  if (!exports_timelines(device)) device.check(VK_ERROR_FEATURE_NOT_PRESENT, "export semaphores");
  auto exported =
      structure<VkExportSemaphoreCreateInfo>(VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO);
  exported.handleTypes = kSemaphoreKind;
  semaphore_ = make_timeline_semaphore(device, &exported);
}

FileDescriptor SharedTimeline::export_semaphore() const {
  auto info = structure<VkSemaphoreGetFdInfoKHR>(VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR);
  info.semaphore = semaphore_.get();
  info.handleType = kSemaphoreKind;
  int descriptor = -1;
  const auto get = function_of<PFN_vkGetSemaphoreFdKHR>(device_, "vkGetSemaphoreFdKHR");
  device_.check(get(device_.handle(), &info, &descriptor), "export a semaphore");
  return FileDescriptor(descriptor);
}

}  // namespace mote::present
