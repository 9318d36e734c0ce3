#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <thread>

#include "present/gpu_list.h"
#include "present/instance.h"

namespace mote::present {

/// One device with one queue that draws and presents. Not thread safe. It must outlive the objects
/// made on it and not outlive the instance.
class Device {
 public:
  /// `gpu` is a result of choose_gpu(). Throws Error where the driver refuses.
  Device(const Instance& instance, const GpuInfo& gpu, bool with_swapchains);
  /// Waits until the device is idle.
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  VkDevice handle() const { return device_; }
  VkQueue queue() const { return queue_; }
  const GpuInfo& gpu() const { return gpu_; }
  /// The device is the processor, or shares its memory: the CPU's writes need no copy.
  bool shares_memory() const { return shares_memory_; }
  /// The device is the processor: shaders take CPU time.
  bool is_processor() const { return gpu_.type == VK_PHYSICAL_DEVICE_TYPE_CPU; }
  /// Largest side of an image, px.
  int largest_image_side() const { return largest_image_side_; }
  /// Memory can be exported to another API as file descriptors (present/shared_image.h).
  bool exports_memory() const { return exports_memory_; }
  bool exports_semaphores() const { return exports_semaphores_; }

  /// The cache for all pipelines; null until it is set.
  VkPipelineCache pipeline_cache() const { return pipeline_cache_; }
  void set_pipeline_cache(VkPipelineCache cache) { pipeline_cache_ = cache; }
  /// Counts the pipelines made by the thread that opened the device. Thread safe.
  void note_pipeline() const {
    if (std::this_thread::get_id() == opened_by_) ++pipelines_made_here_;
  }
  int pipelines_made_here() const { return pipelines_made_here_; }

  /// As the free function check(), with the device's name.
  void check(VkResult result, std::string_view what) const;

  /// A memory type among `allowed` (one bit each) with all properties of `wanted`; empty where
  /// there is none.
  std::optional<std::uint32_t> memory_type(std::uint32_t allowed,
                                           VkMemoryPropertyFlags wanted) const;

  /// Names an object for debuggers and for the validation layers, if they are enabled.
  template <class T>
  void set_name(VkObjectType type, T object, const char* name) const {
    set_object_name(type, reinterpret_cast<std::uint64_t>(object), name);
  }

  /// Waits until all submitted work is done. Throws DeviceLost, Error.
  void wait_idle() const;

 private:
  void set_object_name(VkObjectType type, std::uint64_t object, const char* name) const;

  GpuInfo gpu_;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  VkPhysicalDeviceMemoryProperties memory_{};
  bool shares_memory_ = false;
  bool exports_memory_ = false;
  bool exports_semaphores_ = false;
  int largest_image_side_ = 0;
  PFN_vkSetDebugUtilsObjectNameEXT set_object_name_ = nullptr;
  VkPipelineCache pipeline_cache_ = VK_NULL_HANDLE;
  std::thread::id opened_by_ = std::this_thread::get_id();
  mutable std::atomic<int> pipelines_made_here_{0};
};

}  // namespace mote::present
