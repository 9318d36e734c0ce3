#pragma once

#include <vulkan/vulkan.h>

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace vulkan_faults {

/// The planned faults. They are read from two environment variables when an instance is created:
///   MOTE_VULKAN_FAULTS  entries "CALL FIRST TIMES RESULT" separated by ';': TIMES calls of that
///                       name, beginning with number FIRST (from 1), return that VkResult
///   MOTE_VULKAN_LACKS   names of features that no device has
/// Calls are counted over all instances until the variables change. Only calls of the thread that
/// created the first instance count, so that the numbers do not depend on other threads. Thread
/// safe.
class Plan {
 public:
  void read();
  /// Counts the call. Returns its planned result; empty if the call is to proceed.
  std::optional<VkResult> fault_of(std::string_view call);
  bool lacks(std::string_view word) const;

 private:
  struct Fault {
    std::string call;
    long first = 1, times = 1, calls = 0;
    VkResult result = VK_ERROR_UNKNOWN;
  };

  mutable std::mutex mutex_;
  std::string text_;
  std::thread::id counted_{};
  std::vector<Fault> faults_;
  std::vector<std::string> lacking_;
};

/// The plan of this process.
Plan& plan();

}  // namespace vulkan_faults
