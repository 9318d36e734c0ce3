#pragma once

#include <vulkan/vulkan.h>

#include <string_view>
#include <vector>

namespace vulkan_faults {

/// What the layer has in the place of the call of that name; null where it has nothing.
PFN_vkVoidFunction failing_call(const char* name);
PFN_vkVoidFunction lacking_call(const char* name);
/// The names of these calls.
std::vector<std::string_view> failing_calls();
std::vector<std::string_view> lacking_calls();

}  // namespace vulkan_faults
