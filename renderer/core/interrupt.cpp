#include "core/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>

namespace mote {
namespace {

std::atomic<bool> interrupt_flag{false};
std::atomic<bool> asked_before{false};  // by SIGINT or SIGTERM
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not lock");

void on_signal(int) {
  constexpr int kInterruptedExit = 130;
  interrupt_flag.store(true);
  if (asked_before.exchange(true)) ::_exit(kInterruptedExit);
}

/// Shells and service managers send it before or behind another signal, or twice: it neither ends
/// at once nor makes the next one do so.
void on_hang_up(int) {
  interrupt_flag.store(true);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  if (std::signal(SIGHUP, on_hang_up) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup's wish
}

bool interrupted() {
  return interrupt_flag.load(std::memory_order_relaxed);
}

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted{};
}

}  // namespace mote
