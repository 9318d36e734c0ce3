#pragma once

#include <vulkan/vulkan.h>

#include <utility>

namespace mote::present {

/// Owns one object of a device and destroys it; the device must outlive it. `Destroy` is the Vulkan
/// function for the type.
template <class T, auto Destroy>
class Handle {
 public:
  Handle() = default;
  Handle(VkDevice device, T object) : device_(device), object_(object) {}
  Handle(Handle&& other) noexcept
      : device_(other.device_), object_(std::exchange(other.object_, VK_NULL_HANDLE)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(object_, other.object_);
    return *this;
  }
  ~Handle() {
    if (object_ != VK_NULL_HANDLE) Destroy(device_, object_, nullptr);
  }

  T get() const { return object_; }
  explicit operator bool() const { return object_ != VK_NULL_HANDLE; }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  T object_ = VK_NULL_HANDLE;
};

using BufferHandle = Handle<VkBuffer, vkDestroyBuffer>;
using CommandPool = Handle<VkCommandPool, vkDestroyCommandPool>;
using DescriptorPool = Handle<VkDescriptorPool, vkDestroyDescriptorPool>;
using DescriptorSetLayout = Handle<VkDescriptorSetLayout, vkDestroyDescriptorSetLayout>;
using Framebuffer = Handle<VkFramebuffer, vkDestroyFramebuffer>;
using ImageHandle = Handle<VkImage, vkDestroyImage>;
using ImageView = Handle<VkImageView, vkDestroyImageView>;
using Memory = Handle<VkDeviceMemory, vkFreeMemory>;
using Pipeline = Handle<VkPipeline, vkDestroyPipeline>;
using PipelineLayout = Handle<VkPipelineLayout, vkDestroyPipelineLayout>;
using RenderPass = Handle<VkRenderPass, vkDestroyRenderPass>;
using Sampler = Handle<VkSampler, vkDestroySampler>;
using Semaphore = Handle<VkSemaphore, vkDestroySemaphore>;
using ShaderModule = Handle<VkShaderModule, vkDestroyShaderModule>;
using SwapchainHandle = Handle<VkSwapchainKHR, vkDestroySwapchainKHR>;

/// A Vulkan structure with its type and `pNext` set; all other members are zero.
template <class T>
T structure(VkStructureType type, void* next = nullptr) {
  T result{};
  result.sType = type;
  result.pNext = next;
  return result;
}

}  // namespace mote::present
