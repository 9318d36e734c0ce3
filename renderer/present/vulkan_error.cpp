#include "present/vulkan_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace mote::present {
namespace {

struct ResultText {
  VkResult result;
  const char* name;
  const char* remedy;
};

constexpr const char* kUpdateDriver =
    "update the graphics driver, or choose another device with --gpu";

constexpr ResultText kResults[] = {
    {VK_NOT_READY, "VK_NOT_READY", kUpdateDriver},
    {VK_TIMEOUT, "VK_TIMEOUT",
     "the device is too busy or hangs; close other programs that use it, or choose another device "
     "with --gpu"},
    {VK_INCOMPLETE, "VK_INCOMPLETE", kUpdateDriver},
    {VK_SUBOPTIMAL_KHR, "VK_SUBOPTIMAL_KHR", "resize the window"},
    {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY",
     "close other programs, or make the window or the scene smaller"},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY",
     "close other programs that use the device, make the window smaller, or choose another device "
     "with --gpu"},
    {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED", kUpdateDriver},
    {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST",
     "start again; if it happens again, update the graphics driver or choose another device with "
     "--gpu"},
    {VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED",
     "close other programs, or make the window smaller"},
    {VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT",
     "install the package vulkan-validationlayers, or leave --validation out"},
    {VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT", kUpdateDriver},
    {VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT", kUpdateDriver},
    {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER",
     "install the graphics card's Vulkan driver, or the package mesa-vulkan-drivers, which works "
     "without a graphics card; or work without a window: mote view --offscreen --script FILE"},
    {VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS", kUpdateDriver},
    {VK_ERROR_FORMAT_NOT_SUPPORTED, "VK_ERROR_FORMAT_NOT_SUPPORTED", kUpdateDriver},
    {VK_ERROR_FRAGMENTED_POOL, "VK_ERROR_FRAGMENTED_POOL", kUpdateDriver},
    {VK_ERROR_UNKNOWN, "VK_ERROR_UNKNOWN", kUpdateDriver},
    {VK_ERROR_OUT_OF_POOL_MEMORY, "VK_ERROR_OUT_OF_POOL_MEMORY", kUpdateDriver},
    {VK_ERROR_INVALID_EXTERNAL_HANDLE, "VK_ERROR_INVALID_EXTERNAL_HANDLE", kUpdateDriver},
    {VK_ERROR_SURFACE_LOST_KHR, "VK_ERROR_SURFACE_LOST_KHR",
     "the window or its display is gone; start again"},
    {VK_ERROR_NATIVE_WINDOW_IN_USE_KHR, "VK_ERROR_NATIVE_WINDOW_IN_USE_KHR",
     "the window is shown by another library already; start again"},
    {VK_ERROR_OUT_OF_DATE_KHR, "VK_ERROR_OUT_OF_DATE_KHR", "resize the window"},
};

}  // namespace

std::string result_name(VkResult result) {
  for (const ResultText& text : kResults) {
    if (text.result == result) return text.name;
  }
  return fmt::format("VkResult {}", static_cast<int>(result));
}

void check(VkResult result, std::string_view what, std::string_view device) {
  if (result == VK_SUCCESS) return;
  const auto* text =
      std::find_if(std::begin(kResults), std::end(kResults),
                   [&](const ResultText& candidate) { return candidate.result == result; });
  const char* remedy = text == std::end(kResults) ? kUpdateDriver : text->remedy;
  const std::string problem = fmt::format("could not {}: {}", what, result_name(result));
  if (result == VK_ERROR_DEVICE_LOST) throw DeviceLost(problem, std::string(device), remedy);
  if (result == VK_ERROR_SURFACE_LOST_KHR) throw SurfaceLost(problem, std::string(device), remedy);
  throw Error(problem, std::string(device), remedy);
}

}  // namespace mote::present
