#pragma once

#include <mutex>
#include <utility>
#include <vector>

namespace mote {

/// Ordered messages from a worker's thread to another thread. Waits for its lock only.
template <class Message>
class Mailbox {
 public:
  void put(Message message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
  }
  /// All messages since the last call.
  std::vector<Message> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Message> messages_;
};

}  // namespace mote
