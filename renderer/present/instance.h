#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace mote::present {

/// What the validation layers had to say. Thread safe.
class ValidationLog {
 public:
  void add(std::string text);
  int count() const { return count_; }
  /// The first messages, as many as are worth keeping.
  std::vector<std::string> texts() const;

 private:
  std::atomic<int> count_{0};
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
};

struct InstanceOptions {
  std::vector<std::string> extensions{};  // that the window system needs; none without a window
  bool validation = false;                // Khronos' validation layers watch every call
  std::shared_ptr<ValidationLog> log{};   // where what they say goes; null: one of its own
};

/// The connection to the Vulkan drivers of this machine.
class Instance {
 public:
  /// Throws Error, with the remedy, where there is no driver, where the loader is older than Vulkan
  /// 1.3, where no driver can show windows of the wanted kind, or where validation is wanted and
  /// not installed.
  explicit Instance(const InstanceOptions& options);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  VkInstance handle() const { return instance_; }
  /// Objects can be named for debuggers and for the messages of the validation layers.
  bool has_names() const { return has_names_; }
  const ValidationLog& validation() const { return *validation_; }

 private:
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  bool has_names_ = false;
  std::shared_ptr<ValidationLog> validation_;
};

}  // namespace mote::present
