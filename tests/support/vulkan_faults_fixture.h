#pragma once

// Makes Vulkan calls fail at chosen points, through the layer in tests/vulkan_faults.

#include <fmt/format.h>
#include <vulkan/vulkan.h>

#include <string>

#include "present_fixture.h"

namespace mote {

/// `times` calls of that name fail, beginning with call number `first` (from 1).
struct VulkanFault {
  std::string call;
  VkResult result = VK_ERROR_DEVICE_LOST;
  int first = 1, times = 1;
};

/// While the object exists, Vulkan instances of this process and of its child processes have the
/// layer.
class FaultyVulkan {
 public:
  /// `lacks`: a name from tests/vulkan_faults/lacking_calls.cpp.
  explicit FaultyVulkan(const std::vector<VulkanFault>& faults, const std::string& lacks = "")
      : folder_("VK_ADD_LAYER_PATH", MOTE_VULKAN_FAULTS),
        layer_("VK_INSTANCE_LAYERS", "VK_LAYER_MOTE_faults"),
        faults_("MOTE_VULKAN_FAULTS", text_of(faults).c_str()),
        lacks_("MOTE_VULKAN_LACKS", lacks.c_str()) {}

 private:
  /// The number makes each plan unique, so that its calls are counted from 1.
  static std::string text_of(const std::vector<VulkanFault>& faults) {
    static int plans = 0;
    std::string text = fmt::format("plan {} 0 0", ++plans);
    for (const VulkanFault& fault : faults) {
      text += fmt::format(";{} {} {} {}", fault.call, fault.first, fault.times,
                          static_cast<int>(fault.result));
    }
    return text;
  }

  ScopedVariable folder_, layer_, faults_, lacks_;
};

}  // namespace mote
