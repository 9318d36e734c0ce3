#include "plan.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace faults {
namespace {

struct Plan {
  Call call = Call::write;
  long number = 0;  // 0: nothing fails
  bool from_then_on = false;
  int error = 0, signal = 0;
};

Plan plan;
char counts_file[4096] = "";
std::atomic<long> counts[kCallCount];
std::atomic<bool> ready{false};

/// Runs before the program's own constructors. Removes the variables, so that child processes do
/// not inherit them.
__attribute__((constructor)) void read_plan() {
  if (const char* file = std::getenv("MOTE_FAULT_COUNTS")) {
    std::strncpy(counts_file, file, sizeof counts_file - 1);
  }
  if (const char* text = std::getenv("MOTE_FAULT")) {
    char name[16] = "", number[24] = "", what[24] = "";
    int signal = 0;
    if (std::sscanf(text, "%15s %23s %23s %d", name, number, what, &signal) < 3) ::_exit(99);
    std::size_t call = 0;
    while (call < kCallCount && std::strcmp(kCalls[call], name) != 0) ++call;
    if (call == kCallCount) ::_exit(99);
    plan.call = static_cast<Call>(call);
    plan.number = std::atol(number);
    plan.from_then_on = std::strchr(number, '+') != nullptr;
    if (std::strcmp(what, "signal") == 0) {
      plan.signal = signal;
    } else {
      plan.error = std::atoi(what);
    }
  }
  ::unsetenv("MOTE_FAULT");
  ::unsetenv("MOTE_FAULT_COUNTS");
  ::unsetenv("LD_PRELOAD");
  ready.store(true);
}

__attribute__((destructor)) void write_counts() {
  ready.store(false);
  if (counts_file[0] == 0) return;
  char text[1024];
  int size = 0;
  for (std::size_t i = 0; i < kCallCount; ++i) {
    size += std::snprintf(text + size, sizeof text - static_cast<std::size_t>(size), "%s %ld\n",
                          kCalls[i], counts[i].load());
  }
  const long file =
      ::syscall(SYS_openat, AT_FDCWD, counts_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (::syscall(SYS_write, file, text, size) != size) ::_exit(99);
}

}  // namespace

int fault_of(Call call) {
  if (!ready.load(std::memory_order_relaxed)) return 0;
  const long number = ++counts[static_cast<std::size_t>(call)];
  if (plan.number == 0 || plan.call != call) return 0;
  if (number != plan.number && !(plan.from_then_on && number > plan.number)) return 0;
  if (plan.signal != 0) ::kill(::getpid(), plan.signal);
  return plan.error;
}

}  // namespace faults
