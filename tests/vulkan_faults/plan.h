#pragma once

#include <vulkan/vulkan.h>

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace vulkan_faults {

/// What goes wrong, as two environment variables of the process say when an instance is made:
///   MOTE_VULKAN_FAULTS  "CALL FIRST TIMES RESULT" each, ';' between them: the calls of that name
///                       from number FIRST on, counted from 1, give that VkResult, TIMES of them
///   MOTE_VULKAN_LACKS   words: what no device has
/// Calls are counted until the variables change, over all instances, on the thread that made the
/// first one: what other threads do meanwhile would make the numbers another run's. Thread safe.
class Plan {
 public:
  void read();
  /// Counts the call. The result that it shall give; none where it shall go on.
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

/// The one of this process.
Plan& plan();

}  // namespace vulkan_faults
