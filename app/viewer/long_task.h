#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "app/viewer/mailbox.h"

namespace mote {

/// How far a long task is.
struct LongTaskStatus {
  bool busy = false, cancelling = false;
  std::string name = {};       // what it works on, for a person
  double done = 0, total = 0;  // in steps of its own; total 0: not known yet
  double seconds = 0;          // since its start
};

/// How a long task ended.
struct LongTaskEnd {
  std::string name;
  std::string fault = {};  // what went wrong, whole; empty where nothing did
  bool cancelled = false;
};

/// One thing at a time that takes long and can be stopped, on a thread of its own: a video to be
/// rendered, a benchmark.
class LongTask {
 public:
  /// What is to be done by the thread that asked.
  using Reply = std::function<void()>;

  /// What a job has of the task that does it.
  class Control {
   public:
    explicit Control(LongTask& task) : task_(task) {}
    /// Throws Interrupted where the job is to stop.
    void progress(std::size_t done, std::size_t total) const;
    void reply(Reply what) const { task_.replies_.put(std::move(what)); }

   private:
    LongTask& task_;
  };
  /// Runs on the task's thread; what it throws becomes its end.
  using Job = std::function<void(const Control& control)>;

  LongTask();
  /// Stops the job that is at work.
  ~LongTask();
  LongTask(const LongTask&) = delete;
  LongTask& operator=(const LongTask&) = delete;

  /// Throws Error where a job is at work.
  void start(std::string name, Job job);
  /// The job ends as soon as it looks up; without one nothing happens.
  void cancel();
  LongTaskStatus status() const;
  bool busy() const { return status().busy; }
  /// For the caller to call, in their order.
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
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace mote
