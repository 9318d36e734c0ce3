#include "hostile_run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "support/files/file_bytes.h"
#include "support/program_run.h"

namespace mote::hostile {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;
constexpr int kCannotRun = 126;  // as shells report it

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

/// The child's part after the fork: only calls that are safe there.
[[noreturn]] void become_program(char* const* arguments, char* const* environment,
                                 const RunOptions& options, int out, int err) {
  const int empty = ::open("/dev/null", O_RDONLY);
  ::dup2(empty, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (::chdir(options.folder.c_str()) != 0) ::_exit(kCannotRun);
  if (options.unprivileged && ::geteuid() == 0) {
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(kCannotRun);
  }
  ::execve(MOTE_PROGRAM, arguments, environment);
  ::_exit(kCannotRun);
}

/// An unnamed file for the program's output.
class Capture {
 public:
  explicit Capture(const fs::path& folder)
      : descriptor_(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) {}
  ~Capture() { ::close(descriptor_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  int descriptor() const { return descriptor_; }
  std::string text() const { return text_of(fmt::format("/proc/self/fd/{}", descriptor_)); }

 private:
  int descriptor_;
};

/// Waits for the end, and kills a process that does not end.
int wait_for(pid_t child, rusage& usage, bool& hung) {
  constexpr auto kPatience = std::chrono::seconds(60);
  constexpr auto kPause = std::chrono::milliseconds(1);
  const auto last = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (::wait4(child, &status, WNOHANG, &usage) == 0) {
    if (!hung && std::chrono::steady_clock::now() > last) {
      hung = true;
      ::kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(kPause);
  }
  return status;
}

std::string described(const fs::directory_entry& entry) {
  std::error_code fault;
  const fs::file_status status = entry.symlink_status(fault);
  std::string text = fmt::format("kind {}, mode {:o}: ", static_cast<int>(status.type()),
                                 static_cast<unsigned>(status.permissions()));
  if (fs::is_symlink(status)) return text + fs::read_symlink(entry.path(), fault).string();
  return fs::is_regular_file(status) ? text + text_of(entry.path()) : text;
}

}  // namespace

RunResult run_program(const std::vector<std::string>& words, const RunOptions& options) {
  std::vector<std::string> all{MOTE_PROGRAM};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> arguments;
  for (std::string& word : all) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::vector<char*> environment = program_environment();
  const Capture out(::testing::TempDir()), err(::testing::TempDir());
  const pid_t child = ::fork();
  if (child == 0) {
    become_program(arguments.data(), environment.data(), options, out.descriptor(),
                   err.descriptor());
  }
  RunResult result;
  rusage usage{};
  const int status = wait_for(child, usage, result.hung);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  result.out = out.text();
  result.err = err.text();
  result.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) << 10;
  result.processor_s = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  return result;
}

bool can_run_unprivileged() {
  return run_program({"--version"}, {.folder = "/", .unprivileged = true}).exit_code == 0;
}

std::map<std::string, std::string> snapshot(const fs::path& folder) {
  std::map<std::string, std::string> entries;
  for (const auto& entry :
       fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied)) {
    entries[entry.path().lexically_relative(folder).string()] = described(entry);
  }
  return entries;
}

}  // namespace mote::hostile
