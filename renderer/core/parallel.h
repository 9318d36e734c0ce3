#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace mote {

/// How many CPUs this process may run on (its affinity mask, not the machine).
int usable_cpus();

/// As ThreadPool::run with all usable CPUs, for work that is not worth a pool and pinning.
void run_tasks(std::size_t tasks, const std::function<void(std::size_t task, int thread)>& work);

/// A fixed number of threads that work through numbered tasks. Two and more threads are pinned to a
/// CPU each while they work, where there are enough CPUs: unpinned, two busy threads can share one.
class ThreadPool {
 public:
  /// `threads` 0 takes all usable CPUs.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  /// Calls work(task, thread) for every task in [0, tasks), handed out in ascending order; `thread`
  /// is in [0, threads()) and no two calls share it at a time. Returns when all are done; an
  /// exception of any task is rethrown.
  void run(std::size_t tasks, const std::function<void(std::size_t task, int thread)>& work);

 private:
  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;
};

}  // namespace mote
