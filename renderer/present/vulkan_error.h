#pragma once

// Errors of Vulkan calls. Every result is checked, in every build.

#include <vulkan/vulkan.h>

#include <string>
#include <string_view>

#include "core/error.h"

namespace mote::present {

/// The device was reset, hangs, or was unplugged. All its objects are lost; a new Presenter may
/// work.
using mote::DeviceLost;

/// The window's surface is lost and could not be made again.
class SurfaceLost : public Error {
 public:
  using Error::Error;
};

/// Text such as "VK_ERROR_DEVICE_LOST"; "VkResult -1000" for unknown results.
std::string result_name(VkResult result);

/// Throws unless `result` is VK_SUCCESS. `what`: the call as a phrase, such as "make a buffer".
/// `device`: its name, or "Vulkan" before there is one. The caller must handle results that are not
/// errors (out of date, suboptimal, timeout).
void check(VkResult result, std::string_view what, std::string_view device);

}  // namespace mote::present
