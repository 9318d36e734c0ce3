#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/mailbox.h"

namespace mote {

/// Progress of a long task.
struct LongTaskStatus {
  bool busy = false, cancelling = false;
  std::string name = {};       // what it works on, for the user
  double done = 0, total = 0;  // in the task's own steps; total 0: not known yet
  double seconds = 0;          // since its start
};

/// Result of a long task.
struct LongTaskEnd {
  std::string name;
  std::string fault = {};  // complete error message; empty on success
  bool cancelled = false;
};

/// Runs one long job at a time on its own thread, for example a video or a benchmark. A job can be
/// stopped.
class LongTask {
 public:
  /// Runs on the thread that started the task.
  using Reply = std::function<void()>;

  /// The task as seen by its job.
  class Control {
   public:
    explicit Control(LongTask& task) : task_(task) {}
    /// Throws Interrupted if the job is to stop.
    void progress(std::size_t done, std::size_t total) const;
    /// Whether the job is to stop.
    bool cancelling() const;
    void reply(Reply what) const { task_.replies_.put(std::move(what)); }

   private:
    LongTask& task_;
  };
  /// Runs on the task's thread. An exception becomes the task's fault.
  using Job = std::function<void(const Control& control)>;

  LongTask();
  /// Stops the running job.
  ~LongTask();
  LongTask(const LongTask&) = delete;
  LongTask& operator=(const LongTask&) = delete;

  /// Throws Error if a job is already running.
  void start(std::string name, Job job);
  /// Stops the job at its next progress call; does nothing if no job runs.
  void cancel();
  LongTaskStatus status() const;
  bool busy() const { return status().busy; }
  /// Pending replies, which the caller calls in their order.
  std::vector<Reply> take() { return replies_.take(); }
  std::vector<LongTaskEnd> take_ends() { return ends_.take(); }

 private:
  void work();
  LongTaskEnd run(const Job& job, std::string name);

  Mailbox<Reply> replies_;
  Mailbox<LongTaskEnd> ends_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Job> job_;
  LongTaskStatus status_;
  double started_s_ = 0;
  bool stopping_ = false;
  std::thread thread_;  // last member: the thread uses all of the above
};

}  // namespace mote
