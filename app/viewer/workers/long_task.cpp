#include "app/viewer/workers/long_task.h"

#include <utility>

#include "app/viewer/workers/seconds.h"
#include "core/worker_fault.h"

namespace mote {

void LongTask::Control::progress(std::size_t done, std::size_t total) const {
  const std::lock_guard lock(task_.mutex_);
  if (task_.status_.cancelling) throw Interrupted{};
  task_.status_.done = static_cast<double>(done);
  task_.status_.total = static_cast<double>(total);
}

bool LongTask::Control::cancelling() const {
  const std::lock_guard lock(task_.mutex_);
  return task_.status_.cancelling;
}

LongTask::LongTask() : thread_([this] { work(); }) {}

LongTask::~LongTask() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = status_.cancelling = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LongTask::start(std::string name, Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (status_.busy) {
      throw Error("another task is active already", status_.name,
                  "wait for its end, or cancel it first");
    }
    status_ = {.busy = true, .name = std::move(name)};
    started_s_ = now_s();
    job_ = std::move(job);
  }
  changed_.notify_all();
}

void LongTask::cancel() {
  const std::lock_guard lock(mutex_);
  status_.cancelling = status_.busy;
}

LongTaskStatus LongTask::status() const {
  const std::lock_guard lock(mutex_);
  LongTaskStatus status = status_;
  if (status.busy) status.seconds = now_s() - started_s_;
  return status;
}

void LongTask::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || job_.has_value(); });
    if (stopping_) return;
    const Job job = *std::exchange(job_, {});
    const std::string name = status_.name;
    lock.unlock();
    ends_.put(run(job, name));
    lock.lock();
    status_ = {};
  }
}

LongTaskEnd LongTask::run(const Job& job, std::string name) {
  LongTaskEnd end{.name = std::move(name)};
  try {
    if (const auto fault = fault_of([&] { job(Control(*this)); })) end.fault = *fault;
  } catch (const Interrupted&) {
    end.cancelled = true;
  }
  return end;
}

}  // namespace mote
