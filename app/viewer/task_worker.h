#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "app/viewer/mailbox.h"

namespace mote {

/// Does small jobs one after the other on a thread of its own: pictures to decode, files to write.
class TaskWorker {
 public:
  /// What is to be done there, once the job is done, by the thread that asked.
  using Reply = std::function<void()>;
  /// Runs on the worker's thread; what it throws is told by take_faults().
  using Job = std::function<Reply()>;

  TaskWorker();
  /// Jobs that are due at the end are still done; the others are dropped.
  ~TaskWorker();
  TaskWorker(const TaskWorker&) = delete;
  TaskWorker& operator=(const TaskWorker&) = delete;

  /// `due`: must be done even when the program ends, as writing a file must.
  void add(Job job, bool due);
  /// Replies of finished jobs, for the caller to call; may be empty functions.
  std::vector<Reply> take() { return replies_.take(); }
  std::vector<std::string> take_faults() { return faults_.take(); }
  /// Jobs that are not finished.
  int pending() const { return pending_; }

 private:
  struct Entry {
    Job job;
    bool due;
  };
  void work();

  Mailbox<Reply> replies_;
  Mailbox<std::string> faults_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Entry> jobs_;
  bool stopping_ = false;
  std::atomic<int> pending_{0};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace mote
