#pragma once

#include <vulkan/vulkan.h>

#include <string_view>
#include <vector>

namespace vulkan_faults {

/// The layer's replacement for the named call; null if there is none.
PFN_vkVoidFunction failing_call(const char* name);
PFN_vkVoidFunction lacking_call(const char* name);
/// Names of these calls.
std::vector<std::string_view> failing_calls();
std::vector<std::string_view> lacking_calls();

}  // namespace vulkan_faults
