#include "core/parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <vector>

#include "core/log.h"

namespace mote {
namespace {

/// Makes the order of the threads' work visible to the thread sanitizer. oneTBB orders them
/// correctly, but the system's library is not instrumented.
void meet() {
  static constinit std::atomic<unsigned> meetings{0};
  meetings.fetch_add(1, std::memory_order_acq_rel);
}

std::vector<int> usable_cpu_list() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
  }
  if (cpus.empty()) cpus.push_back(0);
  return cpus;
}

/// Pins each thread that joins the arena to the CPU of its slot and unpins it on leaving.
class Pinning : public tbb::task_scheduler_observer {
 public:
  Pinning(tbb::task_arena& arena, std::vector<int> cpus)
      : tbb::task_scheduler_observer(arena), cpus_(std::move(cpus)) {
    CPU_ZERO(&all_);
    for (const int cpu : cpus_) CPU_SET(cpu, &all_);
    observe(true);
  }
  ~Pinning() override {
    observe(false);
    meet();
  }

  void on_scheduler_entry(bool) override {
    meet();
    const int slot = tbb::this_task_arena::current_thread_index();
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpus_[static_cast<std::size_t>(slot) % cpus_.size()], &one);
    ::sched_setaffinity(0, sizeof(one), &one);
    meet();
  }
  void on_scheduler_exit(bool) override {
    ::sched_setaffinity(0, sizeof(all_), &all_);
    meet();
  }

 private:
  std::vector<int> cpus_;
  cpu_set_t all_;
};

/// The tasks of one run. Each free thread takes the next.
struct Drain {
  std::size_t tasks;
  const std::function<void(std::size_t task, int thread)>& work;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};  // `work` threw an exception

  void operator()() {
    meet();
    const int thread = tbb::this_task_arena::current_thread_index();
    try {
      for (std::size_t task; (task = next.fetch_add(1)) < tasks;) work(task, thread);
    } catch (...) {
      failed.store(true);
      meet();
      throw;
    }
    meet();
  }
};

/// The callable that oneTBB copies.
struct Entry {
  Drain* drain;
  void operator()(int) const { (*drain)(); }
};

void say_that_threads_are_missing() {
  static std::once_flag said;
  std::call_once(said, [] {
    log_warning(
        "the system starts no more threads, so there are fewer than requested; raise the limit on "
        "processes and threads (ulimit -u), or lower --threads");
  });
}

/// Up to `threads` threads run the drain. If the system starts no threads, or the library lacks
/// memory, the existing threads do all the work. Tasks that have not begun by then are left to the
/// caller.
void run_on(int threads, Drain& drain) {
  try {
    tbb::parallel_for(0, threads, Entry{&drain}, tbb::simple_partitioner());
  } catch (...) {
    if (drain.failed.load()) throw;
    say_that_threads_are_missing();
    drain();
  }
}

}  // namespace

int usable_cpus() {
  return static_cast<int>(usable_cpu_list().size());
}

void run_tasks(std::size_t tasks, const std::function<void(std::size_t task, int thread)>& work) {
  Drain drain{.tasks = tasks, .work = work};
  meet();
  run_on(usable_cpus(), drain);
  meet();
}

struct ThreadPool::Arena {
  explicit Arena(int threads)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena(threads) {
    const std::vector<int> cpus = usable_cpu_list();
    if (threads > 1 && cpus.size() >= static_cast<std::size_t>(threads)) {
      pinning = std::make_unique<Pinning>(arena, cpus);
    }
  }

  tbb::global_control limit;
  tbb::task_arena arena;
  std::unique_ptr<Pinning> pinning;
};

ThreadPool::ThreadPool(int threads)
    : threads_(threads > 0 ? threads : usable_cpus()), arena_(std::make_unique<Arena>(threads_)) {}

ThreadPool::ThreadPool(CallerOnly) : threads_(1) {}

ThreadPool::~ThreadPool() = default;

void ThreadPool::run(std::size_t tasks,
                     const std::function<void(std::size_t task, int thread)>& work) {
  if (!arena_) {
    for (std::size_t task = 0; task < tasks; ++task) work(task, 0);
    return;
  }
  Drain drain{.tasks = tasks, .work = work};
  meet();
  arena_->arena.execute([&] {
    if (threads_ == 1) return drain();
    run_on(threads_, drain);
  });
  meet();
}

}  // namespace mote
