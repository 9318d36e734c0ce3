// A Vulkan layer for tests: calls fail and devices lack abilities as plan.h describes. It is above
// the validation layers, which therefore see only valid calls. After "Architecture of the Vulkan
// Loader Interfaces", LoaderLayerInterface.md of Khronos' loader.
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <string_view>
#include <vector>

#include "calls.h"
#include "chains.h"
#include "plan.h"

namespace vulkan_faults {
namespace {

PFN_vkVoidFunction VKAPI_CALL get_instance_call(VkInstance instance, const char* name);
PFN_vkVoidFunction VKAPI_CALL get_device_call(VkDevice device, const char* name);

/// The loader's link to the next layer, in the chain of a create call's structures.
template <class Link>
Link* find_link(const void* next, VkStructureType type) {
  for (auto* each = static_cast<const VkBaseInStructure*>(next); each != nullptr;
       each = each->pNext) {
    auto* link = reinterpret_cast<Link*>(const_cast<VkBaseInStructure*>(each));
    if (each->sType == type && link->function == VK_LAYER_LINK_INFO) return link;
  }
  return nullptr;
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info,
                                               const VkAllocationCallbacks* allocator,
                                               VkInstance* instance) {
  plan().read();
  auto* link = find_link<VkLayerInstanceCreateInfo>(info->pNext,
                                                    VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create =
      reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
  const VkResult result = create(info, allocator, instance);
  if (result != VK_SUCCESS) return result;
  std::vector<std::string_view> names{"vkCreateDevice", "vkDestroyInstance"};
  for (const auto& calls : {lacking_calls(), failing_calls()}) {
    names.insert(names.end(), calls.begin(), calls.end());
  }
  chains().add(
      *instance, [next, made = *instance](const char* name) { return next(made, name); }, names);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance instance,
                                            const VkAllocationCallbacks* allocator) {
  void* key = Chains::key_of(instance);
  reinterpret_cast<PFN_vkDestroyInstance>(chains().next(instance, "vkDestroyInstance"))(instance,
                                                                                        allocator);
  chains().remove(key);
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice gpu, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator,
                                             VkDevice* device) {
  if (const auto fault = plan().fault_of("vkCreateDevice")) return *fault;
  auto* link =
      find_link<VkLayerDeviceCreateInfo>(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
  if (link == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  const PFN_vkGetDeviceProcAddr next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
  link->u.pLayerInfo = link->u.pLayerInfo->pNext;
  const auto create = reinterpret_cast<PFN_vkCreateDevice>(chains().next(gpu, "vkCreateDevice"));
  const VkResult result = create(gpu, info, allocator, device);
  if (result != VK_SUCCESS) return result;
  chains().add(*device, [next, made = *device](const char* name) { return next(made, name); }, {});
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice device, const VkAllocationCallbacks* allocator) {
  void* key = Chains::key_of(device);
  reinterpret_cast<PFN_vkDestroyDevice>(chains().next(device, "vkDestroyDevice"))(device,
                                                                                  allocator);
  chains().remove(key);
}

PFN_vkVoidFunction VKAPI_CALL get_instance_call(VkInstance instance, const char* name) {
  const std::string_view wanted(name);
  const auto as_call = [](auto call) { return reinterpret_cast<PFN_vkVoidFunction>(call); };
  if (wanted == "vkGetInstanceProcAddr") return as_call(get_instance_call);
  if (wanted == "vkGetDeviceProcAddr") return as_call(get_device_call);
  if (wanted == "vkCreateInstance") return as_call(create_instance);
  if (wanted == "vkDestroyInstance") return as_call(destroy_instance);
  if (wanted == "vkCreateDevice") return as_call(create_device);
  if (wanted == "vkDestroyDevice") return as_call(destroy_device);
  if (const PFN_vkVoidFunction call = lacking_call(name)) return call;
  if (const PFN_vkVoidFunction call = failing_call(name)) return call;
  return instance != VK_NULL_HANDLE ? chains().next(instance, name) : nullptr;
}

PFN_vkVoidFunction VKAPI_CALL get_device_call(VkDevice device, const char* name) {
  const std::string_view wanted(name);
  if (wanted == "vkGetDeviceProcAddr") return reinterpret_cast<PFN_vkVoidFunction>(get_device_call);
  if (wanted == "vkDestroyDevice") return reinterpret_cast<PFN_vkVoidFunction>(destroy_device);
  // The layer does not know names that the device does not know.
  const PFN_vkVoidFunction next = chains().next(device, name);
  const PFN_vkVoidFunction call = failing_call(name);
  return next != nullptr && call != nullptr ? call : next;
}

}  // namespace
}  // namespace vulkan_faults

extern "C" VK_LAYER_EXPORT VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface* interface) {
  interface->loaderLayerInterfaceVersion = CURRENT_LOADER_LAYER_INTERFACE_VERSION;
  interface->pfnGetInstanceProcAddr = vulkan_faults::get_instance_call;
  interface->pfnGetDeviceProcAddr = vulkan_faults::get_device_call;
  interface->pfnGetPhysicalDeviceProcAddr = nullptr;
  return VK_SUCCESS;
}
