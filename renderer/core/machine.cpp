#include "core/machine.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "core/parallel.h"
#include "core/progress.h"

namespace mote {
namespace {

/// The text after "KEY   :" in a list of the kernel; empty where the key is missing.
std::string kernel_value(const char* path, std::string_view key) {
  std::ifstream list(path);
  for (std::string line; std::getline(list, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t start = line.find_first_not_of(" \t", line.find(':') + 1);
    return start == std::string::npos ? "" : line.substr(start);
  }
  return {};
}

std::uint64_t kernel_kilobytes(std::string_view key) {
  const std::string text = kernel_value("/proc/meminfo", key);
  return text.empty() ? 0 : std::strtoull(text.c_str(), nullptr, 10) * 1024;
}

/// A number of this process's control group (version 2). The largest number for "max" and where
/// there is no such group.
std::uint64_t group_bytes(const char* name) {
  std::ifstream file(std::string("/sys/fs/cgroup/") + name);
  std::uint64_t bytes = 0;
  return file >> bytes ? bytes : std::numeric_limits<std::uint64_t>::max();
}

/// Bytes left under the limit on this process's address space (ulimit -v).
std::uint64_t address_bytes_left() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  const std::string kilobytes = kernel_value("/proc/self/status", "VmSize");
  const std::uint64_t used = std::strtoull(kilobytes.c_str(), nullptr, 10) * 1024;
  return limit.rlim_cur - std::min<std::uint64_t>(used, limit.rlim_cur);
}

}  // namespace

Machine this_machine() {
  Machine machine;
  machine.cpu_model = kernel_value("/proc/cpuinfo", "model name");
  if (machine.cpu_model.empty()) machine.cpu_model = "unknown CPU";
  machine.usable_cpus = usable_cpus();
  const std::uint64_t limit = group_bytes("memory.max");
  machine.memory_bytes = std::min(kernel_kilobytes("MemTotal"), limit);
  machine.available_bytes = kernel_kilobytes("MemAvailable");
  if (limit <= machine.memory_bytes) {
    const std::uint64_t used = std::min(group_bytes("memory.current"), limit);
    machine.available_bytes = std::min(machine.available_bytes, limit - used);
  }
  machine.available_bytes = std::min(machine.available_bytes, address_bytes_left());
  return machine;
}

std::uint64_t peak_memory_bytes() {
  // getrusage() would include the process that started this one.
  const std::string kilobytes = kernel_value("/proc/self/status", "VmHWM");
  if (!kilobytes.empty()) return std::strtoull(kilobytes.c_str(), nullptr, 10) * 1024;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::uint64_t resident_memory_bytes() {
  const std::string kilobytes = kernel_value("/proc/self/status", "VmRSS");
  return kilobytes.empty() ? 0 : std::strtoull(kilobytes.c_str(), nullptr, 10) * 1024;
}

std::string bytes_text(std::uint64_t bytes) {
  const std::string text = short_number(static_cast<double>(bytes));
  const bool prefixed = text.find(' ') != std::string::npos;
  return text + (prefixed ? "B" : " B");
}

}  // namespace mote
