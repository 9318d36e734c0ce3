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
#include <span>
#include <vector>

#include <cuda_host/shared_memory.h>
#include <cuda_runtime.h>

#include "access_check.h"
#include "block_in_flight.h"
#include "block_memory.h"
#include "controls.h"
#include "defined_bytes.h"
#include "fiber.h"
#include "race_check.h"
#include "schedule.h"
#include "shared_wavefronts.h"
#include "stuck_threads.h"

uint3 threadIdx;
uint3 blockIdx;
dim3 blockDim;
dim3 gridDim;

namespace cuda_host {

unsigned block_place = 0;
unsigned long long block_serial = 0;

namespace {

constexpr unsigned kAccessesPerInterruption = 61;  // on average

/// Thrown through a kernel's code to leave it.
struct Abandoned {};

class Interpreter {
 public:
  std::string run(const KernelRun& run);
  int block_barrier(bool predicate, Site site);
  void warp_operation(unsigned mask, void* record, Combine combine, Site site);
  [[noreturn]] void fault(const std::string& what);
  void describe_running(char* text, std::size_t capacity) const;
  void let_others_run();

 private:
  static void live(void* thread);
  void start_next_block(Block& block);
  void abandon_blocks();
  void enter(const Block& block);
  bool nothing_ready() const;
  void thread_returned(Thread& thread);
  void wait(const Waiting& waiting);
  void let_others_go_first();
  Thread& take_ready();
  void run_thread(Thread& thread);
  void record_stuck_threads();

  const KernelRun* run_ = nullptr;
  std::array<Block, kMaxBlocksInFlight> blocks_;
  std::span<Block> in_flight_;
  std::vector<unsigned> order_;  // of the blocks
  std::size_t next_ = 0;         // in the order
  unsigned long long started_ = 0;
  Fiber caller_;
  Fiber* running_fiber_ = nullptr;
  Thread* running_ = nullptr;  // null: the caller
  std::string fault_;
  bool faulted_ = false;
  bool interrupts_ = false;
  Draw draw_{0};
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
  order_.resize(run.blocks);
  std::iota(order_.begin(), order_.end(), 0u);
  if (run.seed != 0) {
    for (unsigned k = run.blocks; k > 1; --k) std::swap(order_[k - 1], order_[draw_.below(k)]);
  }
  next_ = 0;
  const unsigned in_flight =
      run.seed == 0 ? 1 : std::min({run.blocks_in_flight, run.blocks, kMaxBlocksInFlight});
  in_flight_ = std::span(blocks_).first(in_flight);
  interrupts_ = in_flight > 1;
  ::blockDim = dim3(run.threads);
  ::gridDim = dim3(run.blocks);
  start_access_check(run.call.get(), run.call_bytes, run.check_accesses);
  start_race_check(run.blocks, run.check_accesses);
  if (!run.check_accesses || !accesses_can_be_checked()) note_unreported_writes();
  start_wavefronts(run.name, run.counts_wavefronts && in_flight == 1);
  for (unsigned place = 0; place < in_flight; ++place) {
    Block& block = in_flight_[place];
    block.place = place;
    while (block.threads.size() < run.threads) {
      block.threads.push_back(
          std::make_unique<Thread>(live, block, static_cast<unsigned>(block.threads.size())));
    }
    start_next_block(block);
  }
  running_fiber_ = &caller_;
  run_thread(take_ready());
  if (faulted_) abandon_blocks();
  interrupts_ = false;
  end_wavefronts();
  // A race can be the cause of a read of what nothing has written.
  for (const std::string& bad : {end_race_check(), end_access_check()}) {
    if (fault_.empty() && !bad.empty()) fault_ = "kernel " + run.name + ": " + bad;
  }
  run_ = nullptr;
  return fault_;
}

/// Makes it the running block.
void Interpreter::enter(const Block& block) {
  ::blockIdx = {block.index, 0, 0};
  block_place = block.place;
  block_serial = block.serial;
}

void Interpreter::start_next_block(Block& block) {
  block.start(order_[next_++], ++started_, run_->threads);
  enter(block);
  start_block_memory(run_->dynamic_bytes, run_->shared_limit_bytes);
  start_race_check_of_block(run_->threads);
  start_wavefronts_of_block();
}

/// Makes the threads that are in the kernel's code leave it. A thread that was interrupted cannot
/// leave, since the compiler takes for granted that an access throws nothing: its stack is given
/// up.
void Interpreter::abandon_blocks() {
  for (Block& block : in_flight_) {
    for (auto& thread : block.threads) {
      if (!thread->inside) continue;
      if (thread->interrupted) {
        static_cast<void>(thread.release());
      } else {
        run_thread(*thread);
      }
    }
    for (unsigned k = 0; k < block.threads.size(); ++k) {
      if (!block.threads[k]) block.threads[k] = std::make_unique<Thread>(live, block, k);
    }
    block.running = false;
  }
}

void Interpreter::run_thread(Thread& thread) {
  Fiber& from = *running_fiber_;
  enter(thread.block);
  ::threadIdx.x = thread.index;
  running_ = &thread;
  running_fiber_ = &thread.fiber;
  if (&from != &thread.fiber) from.switch_to(thread.fiber);
}

bool Interpreter::nothing_ready() const {
  return std::ranges::all_of(
      in_flight_, [](const Block& block) { return !block.running || block.ready.empty(); });
}

/// One of the threads that can continue. There must be one.
Thread& Interpreter::take_ready() {
  unsigned place =
      in_flight_.size() == 1 ? 0 : draw_.below(static_cast<unsigned>(in_flight_.size()));
  while (!in_flight_[place].running || in_flight_[place].ready.empty()) {
    place = (place + 1) % static_cast<unsigned>(in_flight_.size());
  }
  Block& block = in_flight_[place];
  return *block.threads[run_->seed == 0 ? block.ready.take_last() : block.ready.take_drawn(draw_)];
}

void Interpreter::thread_returned(Thread& thread) {
  Block& block = thread.block;
  ++block.returned;
  if (!faulted_ && block.returned == run_->threads) {
    end_race_check_of_block();
    end_wavefronts_of_block();
    block.running = false;
    if (next_ < order_.size()) start_next_block(block);
  }
  if (!faulted_ && !nothing_ready()) {
    run_thread(take_ready());
    return;
  }
  const auto runs = [](const Block& other) { return other.running; };
  if (!faulted_ && std::ranges::any_of(in_flight_, runs)) record_stuck_threads();
  running_ = nullptr;
  running_fiber_ = &caller_;
  thread.fiber.switch_to(caller_);
}

/// Lets other threads run until this one is ready and has its turn.
void Interpreter::wait(const Waiting& waiting) {
  Thread& thread = *running_;
  thread.waiting = waiting;
  if (nothing_ready()) {
    record_stuck_threads();
    throw Abandoned();
  }
  run_thread(take_ready());
  if (faulted_) throw Abandoned();
}

/// The last thread to arrive continues at once, unless the order is to be shuffled.
void Interpreter::let_others_go_first() {
  if (run_->seed == 0) return;
  running_->block.ready.add(running_->index);
  run_thread(take_ready());
  if (faulted_) throw Abandoned();
}

void Interpreter::let_others_run() {
  if (!interrupts_ || faulted_ || running_ == nullptr) return;
  if (draw_.below(kAccessesPerInterruption) != 0) return;
  Thread& thread = *running_;
  thread.interrupted = true;
  thread.block.ready.add(thread.index);
  run_thread(take_ready());
  thread.interrupted = false;
}

int Interpreter::block_barrier(bool predicate, Site site) {
  Block& block = running_->block;
  if (block.at_barrier == 0) block.barrier_site = site;
  if (!(site == block.barrier_site)) {
    fault("waits " + describe({0, site}) + " while others of its block wait " +
          describe({0, block.barrier_site}));
  }
  block.barrier_count += predicate ? 1 : 0;
  if (++block.at_barrier < run_->threads) {
    wait({0, site});
    return block.barrier_result;
  }
  order_block();
  block.barrier_result = block.barrier_count;
  block.barrier_count = 0;
  block.at_barrier = 0;
  for (unsigned k = run_->threads; k > 0; --k) {
    if (k - 1 != running_->index) block.ready.add(k - 1);
  }
  // No thread can complete another barrier before this thread has read the result.
  let_others_go_first();
  return block.barrier_result;
}

void Interpreter::warp_operation(unsigned mask, void* record, Combine combine, Site site) {
  const unsigned lane = running_->index % kWarp;
  Block& block = running_->block;
  Warp& warp = block.warps[running_->index / kWarp];
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
    block.ready.add(first + highest);
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
  const auto stuck =
      std::ranges::find_if(in_flight_, [](const Block& block) { return block.running; });
  enter(*stuck);
  char where[512];
  describe_running(where, sizeof where);
  std::vector<Waiting> waiting(run_->threads);
  for (unsigned k = 0; k < run_->threads; ++k) {
    const Thread& thread = *stuck->threads[k];
    waiting[k] = thread.inside ? thread.waiting : Waiting{};
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

void let_others_run() {
  interpreter().let_others_run();
}

void thread_fence() {
  fence_thread();
}

void trap(Site site) {
  fault("trapped " + describe({0, site}));
}

}  // namespace cuda_host
