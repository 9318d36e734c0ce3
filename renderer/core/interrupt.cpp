#include "core/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace mote {
namespace {

std::atomic<bool> interrupt_flag{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not lock");

void on_signal(int) {
  constexpr int kInterruptedExit = 130;
  if (interrupt_flag.exchange(true)) ::_exit(kInterruptedExit);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

bool interrupted() {
  return interrupt_flag.load(std::memory_order_relaxed);
}

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted{};
}

}  // namespace mote
