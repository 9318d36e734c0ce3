#include "interpreter.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <new>
#include <numeric>
#include <vector>

#include <cuda_runtime.h>

#include "access_check.h"
#include "block_memory.h"
#include "fiber.h"
#include "race_check.h"
#include "schedule.h"
#include "stuck_threads.h"

uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;

namespace cuda_host {

unsigned long long block_serial = 0;

namespace {

constexpr unsigned kWarp = 32;
constexpr unsigned kMaxWarps = kMaxThreads / kWarp;

/// Thrown through a kernel's code to leave it.
struct Abandoned {};

struct Thread {
  Thread(void (*body)(void*), unsigned thread_index) : index(thread_index), fiber(body, this) {}

  unsigned index;
  Fiber fiber;
  Waiting waiting;
  bool inside = false;  // in the kernel's code
};

/// Lanes of a warp that wait for each other.
struct Meeting {
  unsigned mask = 0, arrived = 0;
  Combine combine = nullptr;
};

struct Warp {
  std::array<void*, kWarp> records;
  std::array<Meeting, kWarp> meetings;
  unsigned meeting_count = 0;
};

class Interpreter {
 public:
  std::string run(const KernelRun& run);
  int block_barrier(bool predicate, Site site);
  void warp_operation(unsigned mask, void* record, Combine combine, Site site);
  [[noreturn]] void fault(const std::string& what);
  void describe_running(char* text, std::size_t capacity) const;

 private:
  static void live(void* thread);
  void run_block(unsigned block);
  void abandon_block();
  void thread_returned(Thread& thread);
  void wait(const Waiting& waiting);
  void let_others_go_first();
  Thread& take_ready();
  void run_thread(Thread& thread);
  void record_stuck_threads();

  const KernelRun* run_ = nullptr;
  std::vector<std::unique_ptr<Thread>> threads_;  // reused by all blocks
  Fiber caller_;
  Fiber* running_fiber_ = nullptr;
  Thread* running_ = nullptr;  // null: the caller
  std::string fault_;
  bool faulted_ = false;
  Draw draw_{0};
  ReadyThreads ready_;

  // Of the block.
  unsigned returned_ = 0;
  unsigned at_barrier_ = 0;
  int barrier_count_ = 0;   // threads at the barrier with a true predicate
  int barrier_result_ = 0;  // result of the last barrier
  Site barrier_site_;
  std::array<Warp, kMaxWarps> warps_;
};

/// Never destroyed, because its fibers cannot end. It lies in static memory, which kernels may
/// read, since warp operations do.
Interpreter& interpreter() {
  alignas(Interpreter) static std::byte memory[sizeof(Interpreter)];
  static Interpreter& interpreter = *new (memory) Interpreter;
  return interpreter;
}

void flush_to_zero([[maybe_unused]] bool on) {
#if defined(__x86_64__)
  constexpr unsigned kResultsAndArguments = 0x8040;
  _mm_setcsr((_mm_getcsr() & ~kResultsAndArguments) | (on ? kResultsAndArguments : 0));
#endif
}

/// The loop of a thread's fiber: the kernel's code once per block.
void Interpreter::live(void* argument) {
  Thread& thread = *static_cast<Thread*>(argument);
  Interpreter& self = interpreter();
  for (;;) {
    flush_to_zero(self.run_->flush_to_zero);  // each fiber has its own mode
    try {
      thread.inside = true;
      self.run_->thread(self.run_->call.get());
    } catch (const Abandoned&) {  // run_block() ends the other threads
    }
    thread.inside = false;
    self.thread_returned(thread);
  }
}

std::string Interpreter::run(const KernelRun& run) {
  run_ = &run;
  fault_.clear();
  faulted_ = false;
  draw_ = Draw(run.seed);
  while (threads_.size() < run.threads) {
    threads_.push_back(std::make_unique<Thread>(live, static_cast<unsigned>(threads_.size())));
  }
  std::vector<unsigned> order(run.blocks);
  std::iota(order.begin(), order.end(), 0u);
  if (run.seed != 0) {
    for (unsigned k = run.blocks; k > 1; --k) std::swap(order[k - 1], order[draw_.below(k)]);
  }
  ::blockDim = dim3(run.threads);
  ::gridDim = dim3(run.blocks);
  start_access_check(run.call.get(), run.call_bytes, run.check_accesses);
  start_race_check(run.blocks, run.check_accesses);
  for (const unsigned block : order) {
    run_block(block);
    if (faulted_) break;
  }
  for (const std::string& bad : {end_access_check(), end_race_check()}) {
    if (fault_.empty() && !bad.empty()) fault_ = "kernel " + run.name + ": " + bad;
  }
  run_ = nullptr;
  return fault_;
}

void Interpreter::run_block(unsigned block) {
  ::blockIdx = {block, 0, 0};
  ++block_serial;
  start_block_memory(run_->dynamic_bytes, run_->shared_limit_bytes);
  start_race_check_of_block(run_->threads);
  returned_ = at_barrier_ = 0;
  barrier_count_ = 0;
  for (Warp& warp : warps_) warp.meeting_count = 0;
  ready_.clear();
  for (unsigned k = run_->threads; k > 0; --k) ready_.add(k - 1);
  running_fiber_ = &caller_;
  run_thread(take_ready());
  if (faulted_) abandon_block();
}

/// Makes the threads that are in the kernel's code leave it.
void Interpreter::abandon_block() {
  for (const auto& thread : threads_) {
    if (thread->inside) run_thread(*thread);
  }
}

void Interpreter::run_thread(Thread& thread) {
  Fiber& from = *running_fiber_;
  ::threadIdx.x = thread.index;
  running_ = &thread;
  running_fiber_ = &thread.fiber;
  from.switch_to(thread.fiber);
}

Thread& Interpreter::take_ready() {
  return *threads_[run_->seed == 0 ? ready_.take_last() : ready_.take_drawn(draw_)];
}

void Interpreter::thread_returned(Thread& thread) {
  ++returned_;
  if (!faulted_ && !ready_.empty()) {
    run_thread(take_ready());
    return;
  }
  if (!faulted_ && returned_ < run_->threads) record_stuck_threads();
  running_ = nullptr;
  running_fiber_ = &caller_;
  thread.fiber.switch_to(caller_);
}

/// Lets other threads run until this one is ready and has its turn.
void Interpreter::wait(const Waiting& waiting) {
  Thread& thread = *running_;
  thread.waiting = waiting;
  if (ready_.empty()) {
    record_stuck_threads();
    throw Abandoned();
  }
  run_thread(take_ready());
  if (faulted_) throw Abandoned();
}

/// The last thread to arrive continues at once, unless the order is to be shuffled.
void Interpreter::let_others_go_first() {
  if (run_->seed == 0) return;
  ready_.add(running_->index);
  Thread& next = take_ready();
  if (&next != running_) run_thread(next);
  if (faulted_) throw Abandoned();
}

int Interpreter::block_barrier(bool predicate, Site site) {
  if (at_barrier_ == 0) barrier_site_ = site;
  if (!(site == barrier_site_)) {
    fault("waits " + describe({0, site}) + " while others of its block wait " +
          describe({0, barrier_site_}));
  }
  barrier_count_ += predicate ? 1 : 0;
  if (++at_barrier_ < run_->threads) {
    wait({0, site});
    return barrier_result_;
  }
  order_block();
  barrier_result_ = barrier_count_;
  barrier_count_ = 0;
  at_barrier_ = 0;
  for (unsigned k = run_->threads; k > 0; --k) {
    if (k - 1 != running_->index) ready_.add(k - 1);
  }
  // No thread can complete another barrier before this thread has read the result.
  let_others_go_first();
  return barrier_result_;
}

void Interpreter::warp_operation(unsigned mask, void* record, Combine combine, Site site) {
  const unsigned lane = running_->index % kWarp;
  Warp& warp = warps_[running_->index / kWarp];
  if ((mask >> lane & 1u) == 0) fault("is not in its own mask " + describe({mask, site}));

  Meeting* const end = warp.meetings.data() + warp.meeting_count;
  Meeting* meeting = std::find_if(warp.meetings.data(), end,
                                  [&](const Meeting& other) { return other.mask == mask; });
  if (meeting == end) {
    *meeting = {mask, 0, combine};
    ++warp.meeting_count;
  } else if (meeting->combine != combine) {
    fault("does another operation than the lanes that it meets " + describe({mask, site}));
  }
  warp.records[lane] = record;
  meeting->arrived |= 1u << lane;
  if (meeting->arrived != mask) {
    wait({mask, site});
    return;
  }
  *meeting = warp.meetings[--warp.meeting_count];
  if (combine == meet) order_lanes(running_->index / kWarp, mask);
  combine(warp.records.data(), mask);
  const unsigned first = running_->index - lane;
  for (unsigned others = mask & ~(1u << lane); others != 0;) {
    const unsigned highest = 31u - static_cast<unsigned>(__builtin_clz(others));
    ready_.add(first + highest);
    others &= ~(1u << highest);
  }
  let_others_go_first();
}

void Interpreter::fault(const std::string& what) {
  char where[512];
  describe_running(where, sizeof where);
  fault_ = std::string(where) + ' ' + what;
  faulted_ = true;
  throw Abandoned();
}

/// The fault that no thread can continue.
void Interpreter::record_stuck_threads() {
  running_ = nullptr;
  char where[512];
  describe_running(where, sizeof where);
  std::vector<Waiting> waiting(run_->threads);
  for (unsigned k = 0; k < run_->threads; ++k) {
    waiting[k] = threads_[k]->inside ? threads_[k]->waiting : Waiting{};
  }
  fault_ = std::string(where) + " is stuck: " + describe_stuck(waiting);
  faulted_ = true;
}

void Interpreter::describe_running(char* text, std::size_t capacity) const {
  if (run_ == nullptr) {
    text[0] = '\0';
    return;
  }
  const int used = std::snprintf(text, capacity, "kernel %.300s, block %u of %u",
                                 run_->name.c_str(), ::blockIdx.x, run_->blocks);
  if (running_ != nullptr) {
    std::snprintf(text + used, capacity - static_cast<std::size_t>(used), ", thread %u",
                  running_->index);
  }
}

}  // namespace

std::string run_kernel(const KernelRun& run) {
  return interpreter().run(run);
}

void fault(const std::string& what) {
  interpreter().fault(what);
}

void describe_running(char* text, std::size_t capacity) {
  interpreter().describe_running(text, capacity);
}

int block_barrier(bool predicate, Site site) {
  return interpreter().block_barrier(predicate, site);
}

void warp_operation(unsigned mask, void* record, Combine combine, Site site) {
  interpreter().warp_operation(mask, record, combine, site);
}

void thread_fence() {
  fence_thread();
}

void trap(Site site) {
  fault("trapped " + describe({0, site}));
}

}  // namespace cuda_host
