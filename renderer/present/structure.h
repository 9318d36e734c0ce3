#pragma once

#include <vulkan/vulkan.h>

namespace mote::present {

/// A Vulkan structure that says what it is and what follows it, zero otherwise.
template <class T>
T structure(VkStructureType type, void* next = nullptr) {
  T result{};
  result.sType = type;
  result.pNext = next;
  return result;
}

}  // namespace mote::present
