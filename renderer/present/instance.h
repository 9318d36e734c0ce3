#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mote::present {

/// Messages of the validation layers. Thread safe.
class ValidationLog {
 public:
  void add(std::string text);
  int count() const { return count_; }
  /// The first messages, up to a limit.
  std::vector<std::string> texts() const;

 private:
  std::atomic<int> count_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
};

struct InstanceOptions {
  std::vector<std::string> extensions{};  // required by the window system; empty without a window
  bool validation = false;                // enables Khronos' validation layers
  std::shared_ptr<ValidationLog> log{};   // destination of their messages; null: its own
};

/// The connection to the Vulkan drivers of this machine.
class Instance {
 public:
  /// Throws Error, with the remedy, where there is no driver, the loader is older than Vulkan 1.3,
  /// no driver supports windows of the required kind, or validation is requested and not installed.
  explicit Instance(const InstanceOptions& options);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance handle() const { return instance_; }
  /// Whether objects can be named for debuggers and validation layers.
  bool has_names() const { return has_names_; }
  const ValidationLog& validation() const { return *validation_; }

 private:
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  bool has_names_ = false;
  std::shared_ptr<ValidationLog> validation_;
};

}  // namespace mote::present
