#include "app/viewer/workers/load_worker.h"

#include "core/worker_fault.h"

namespace mote {

LoadWorker::LoadWorker() : thread_([this] { work(); }) {}

LoadWorker::~LoadWorker() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    cancelled_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void LoadWorker::open(std::filesystem::path path, DatasetOptions options) {
  const auto read = [path, options = std::move(options),
                     memory_gb = splat_memory_gb_](const ProgressCallback& progress) {
    return open_path(path, options, progress, memory_gb);
  };
  open(LoadOrder{.path = std::move(path), .read = read});
}

void LoadWorker::open(LoadOrder order) {
  {
    const std::lock_guard lock(mutex_);
    orders_.push_back(std::move(order));
  }
  changed_.notify_all();
}

void LoadWorker::cancel() {
  const std::lock_guard lock(mutex_);
  if (orders_.empty()) return;
  orders_.erase(orders_.begin() + 1, orders_.end());
  cancelled_ = true;
}

LoadStatus LoadWorker::status() const {
  const std::lock_guard lock(mutex_);
  LoadStatus status;
  for (const LoadOrder& order : orders_) status.waiting.push_back(order.path.string());
  status.fraction = fraction_;
  return status;
}

bool LoadWorker::busy() const {
  const std::lock_guard lock(mutex_);
  return !orders_.empty();
}

void LoadWorker::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !orders_.empty(); });
    if (stopping_) return;
    const LoadOrder order = orders_.front();
    fraction_ = 0;
    lock.unlock();
    LoadResult result = load(order);
    // The result comes first, so that a reader who sees an idle worker finds it.
    results_.put(std::move(result));
    lock.lock();
    orders_.pop_front();
    cancelled_ = false;  // reset only here, so that a waiting path can be cancelled, too
  }
}

LoadResult LoadWorker::load(const LoadOrder& order) {
  LoadResult result{.opened = {.path = order.path}, .tag = order.tag};
  const auto progress = [this](double fraction) {
    fraction_ = fraction;
    if (cancelled_) throw Interrupted{};
  };
  try {
    progress(0);
    const auto fault = fault_of([&] { result.opened = order.read(progress); });
    if (fault) result.fault = *fault;
  } catch (const Interrupted&) {
    result.cancelled = true;
  }
  return result;
}

}  // namespace mote
