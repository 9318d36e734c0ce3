#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace mote {

/// Number of CPUs that this process may run on: its affinity mask, not the machine.
int usable_cpus();

/// Like ThreadPool::run() on all usable CPUs, without a pool and without pinning.
void run_tasks(std::size_t tasks, const std::function<void(std::size_t task, int thread)>& work);

/// For a pool of the calling thread alone.
struct CallerOnly {};

/// A fixed number of threads that work through numbered tasks. Two or more threads are each pinned
/// to a CPU while they work, where there are enough CPUs. Unpinned, two busy threads can share one
/// CPU.
class ThreadPool {
 public:
  /// `threads` = 0: all usable CPUs. As long as it exists, no other pool and no run_tasks() gets
  /// more threads, so that a program with one thread has one everywhere.
  explicit ThreadPool(int threads);
  /// For work beside that of other pools, which keep their threads.
  explicit ThreadPool(CallerOnly);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  /// Calls work(task, thread) for every task in [0, tasks), started in ascending order. `thread` is
  /// in [0, threads()); no two concurrent calls share it. Returns when all tasks are done. An
  /// exception of a task is rethrown.
  void run(std::size_t tasks, const std::function<void(std::size_t task, int thread)>& work);

 private:
  struct Arena;
  int threads_;
  std::unique_ptr<Arena> arena_;  // null: the calling thread does all the work
};

}  // namespace mote
