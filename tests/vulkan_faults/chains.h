#pragma once

#include <vulkan/vulkan.h>

#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace vulkan_faults {

/// The next layer's function of that name.
using NextLayer = std::function<PFN_vkVoidFunction(const char* name)>;

/// The functions below this layer, for each instance and each device. The first word of either
/// object is the address of the loader's dispatch table, which identifies the instance or the
/// device. Thread safe.
class Chains {
 public:
  static void* key_of(const void* object) { return *static_cast<void* const*>(object); }

  /// Looks up all calls at once. Later the loader would return the first layer's functions for an
  /// instance.
  void add(const void* object, NextLayer next, std::span<const std::string_view> names);
  void remove(void* key);
  PFN_vkVoidFunction next(const void* object, const char* name) const;

  /// A lost device stays lost.
  void lose(const void* object);
  bool is_lost(const void* object) const;

 private:
  struct Chain {
    NextLayer next;
    std::map<std::string, PFN_vkVoidFunction, std::less<>> known{};
    bool is_lost = false;
  };

  mutable std::mutex mutex_;
  std::map<void*, Chain> chains_;
};

/// The chains of this process.
Chains& chains();

}  // namespace vulkan_faults
