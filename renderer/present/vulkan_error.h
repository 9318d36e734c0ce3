#pragma once

// What becomes of the results of Vulkan calls: none is left unread, in any build.

#include <vulkan/vulkan.h>

#include <string>
#include <string_view>

#include "core/error.h"

namespace mote::present {

/// Reset, hung, or unplugged. All that was made on it is gone; a new Presenter may work.
using mote::DeviceLost;

/// The window's surface is gone and could not be made anew.
class SurfaceLost : public Error {
 public:
  using Error::Error;
};

/// "VK_ERROR_DEVICE_LOST"; "VkResult -1000" for one that has no name here.
std::string result_name(VkResult result);

/// Throws unless `result` is VK_SUCCESS. `what`: the call as a phrase, "make a buffer"; `device`:
/// its name, or "Vulkan" before there is one. Results that are no faults (out of date, suboptimal,
/// timeout) are for the caller to take out before.
void check(VkResult result, std::string_view what, std::string_view device);

}  // namespace mote::present
