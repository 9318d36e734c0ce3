#include "app/viewer/workers/task_worker.h"

#include "core/worker_fault.h"

namespace mote {

TaskWorker::TaskWorker() : thread_([this] { work(); }) {}

TaskWorker::~TaskWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    std::erase_if(jobs_, [](const Entry& entry) { return !entry.due; });
  }
  changed_.notify_all();
  thread_.join();
}

void TaskWorker::add(Job job, bool due) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({std::move(job), due});
    ++pending_;
  }
  changed_.notify_all();
}

void TaskWorker::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const Entry entry = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    Reply reply;
    const auto fault = fault_of([&] { reply = entry.job(); });
    if (fault) {
      faults_.put(*fault);
    } else if (reply) {
      replies_.put(std::move(reply));
    }
    lock.lock();
    --pending_;
  }
}

}  // namespace mote
