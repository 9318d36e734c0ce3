#include "core/interrupt.h"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <utility>

#include "core/cancel_scope.h"

namespace mote {
namespace {

std::atomic<bool> is_interrupted{false};
std::atomic<bool> asked_before{false};  // by SIGINT or SIGTERM
std::atomic<bool> time_is_up{false}, reader_gone{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not lock");

void on_signal(int) {
  constexpr int kInterruptedExit = 130;
  is_interrupted.store(true);
  if (asked_before.exchange(true)) ::_exit(kInterruptedExit);
}

/// For signals that may come together with another one or repeatedly. They neither end the program
/// at once nor make the next signal do so.
void on_gentle_signal(int signal) {
  is_interrupted.store(true);
  if (signal == SIGXCPU) time_is_up.store(true);
  if (signal == SIGPIPE) reader_gone.store(true);
}

thread_local const CancelScope* cancel_scope = nullptr;

/// Does not catch a signal that is already ignored.
void catch_unless_ignored(int signal) {
  if (std::signal(signal, on_gentle_signal) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGXCPU, on_gentle_signal);
  catch_unless_ignored(SIGHUP);
  catch_unless_ignored(SIGPIPE);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() {
  return is_interrupted.load(std::memory_order_relaxed) || CancelScope::is_cancelled();
}

const std::atomic<bool>& interrupt_flag() {
  return is_interrupted;
}

bool CancelScope::is_cancelled() {
  return cancel_scope != nullptr && cancel_scope->cancelled_();
}

CancelScope::CancelScope(std::function<bool()> cancelled)
    : cancelled_(std::move(cancelled)), outer_(std::exchange(cancel_scope, this)) {}

CancelScope::~CancelScope() {
  cancel_scope = outer_;
}

bool reader_is_gone() {
  return reader_gone.load(std::memory_order_relaxed);
}

std::string_view interruption() {
  return time_is_up.load() ? "interrupted: the limit on processor time (ulimit -t) is reached"
                           : "interrupted";
}

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted{};
}

}  // namespace mote
