#include "crash_report.h"

#include <unistd.h>
#include <csignal>
#include <cstdio>

#include "device_memory.h"
#include "interpreter.h"

namespace cuda_host {
namespace {

struct sigaction previous_action;  // of a sanitizer, or of the system

void report(int, siginfo_t* info, void*) {
  char running[512], address[256], line[900];
  describe_running(running, sizeof running);
  describe_address(info->si_addr, address, sizeof address);
  const int length =
      std::snprintf(line, sizeof line, "cuda_host: %s touches %p: %s\n",
                    running[0] == '\0' ? "the host" : running, info->si_addr, address);
  [[maybe_unused]] const auto written =
      write(STDERR_FILENO, line, static_cast<std::size_t>(length));
  // The access repeats, and meets the previous handler.
  sigaction(SIGSEGV, &previous_action, nullptr);
}

}  // namespace

void report_crashes() {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_sigaction = report;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    return sigaction(SIGSEGV, &action, &previous_action) == 0;
  }();
  static_cast<void>(installed);
}

}  // namespace cuda_host
