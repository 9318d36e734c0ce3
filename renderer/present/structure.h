#pragma once

#include <vulkan/vulkan.h>

namespace mote::present {

/// A Vulkan structure with its type and `pNext` set; all other members are zero.
template <class T>
T structure(VkStructureType type, void* next = nullptr) {
  T result{};
  result.sType = type;
  result.pNext = next;
  return result;
}

}  // namespace mote::present
