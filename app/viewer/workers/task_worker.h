#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "core/mailbox.h"

namespace mote {

/// Runs small jobs one after the other on its own thread: decoding pictures, writing files.
class TaskWorker {
 public:
  /// Runs after the job, on the thread that added it.
  using Reply = std::function<void()>;
  /// Runs on the worker's thread; take_faults() reports its exceptions.
  using Job = std::function<Reply()>;

  TaskWorker();
  /// Finishes jobs marked as due and drops the others.
  ~TaskWorker();
  TaskWorker(const TaskWorker&) = delete;
  TaskWorker& operator=(const TaskWorker&) = delete;

  /// `due`: the job must finish even when the program ends, for example writing a file.
  void add(Job job, bool due);
  /// Replies of finished jobs, which the caller calls; functions may be empty.
  std::vector<Reply> take() { return replies_.take(); }
  std::vector<std::string> take_faults() { return faults_.take(); }
  /// Number of unfinished jobs.
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
  std::thread thread_;  // last member: the thread uses all of the above
};

}  // namespace mote
