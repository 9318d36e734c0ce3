#include "core/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "core/error.h"
#include "core/interrupt.h"

namespace mote {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxLine = std::size_t{1} << 16;  // bytes; longer lines come in parts

/// One end of a pipe.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

/// Our environment with some of it set anew: "NAME=value" each.
std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& set) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('='));
    bool replaced = false;
    for (const auto& [key, value] : set) replaced = replaced || key == name;
    if (!replaced) result.emplace_back(text);
  }
  for (const auto& [key, value] : set) result.push_back(key + "=" + value);
  return result;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Starts it in a process group of its own, with `output` as stdout and stderr.
pid_t start(const ProcessCall& call, int output) {
  std::vector<std::string> words{call.program};
  words.insert(words.end(), call.arguments.begin(), call.arguments.end());
  std::vector<std::string> environment = environment_with(call.environment);

  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = -1;
  const int fault = ::posix_spawnp(&child, call.program.c_str(), &files, &attributes,
                                   pointers_to(words).data(), pointers_to(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (fault != 0) {
    throw Error("cannot be started: " + system_message(fault), call.program,
                fault == ENOENT ? "install it, or give its path"
                                : "check that it is a program that you may run");
  }
  return child;
}

/// A started process. Ends it where its owner leaves early.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  ~Child() {
    if (id_ > 0) end();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  ProcessEnd wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0) CHECK(errno == EINTR);
    id_ = -1;
    if (WIFSIGNALED(status)) return {.exit_code = 0, .signal = WTERMSIG(status)};
    return {.exit_code = WEXITSTATUS(status), .signal = 0};
  }

 private:
  /// A request first; what has not ended after some seconds is killed.
  void end() {
    constexpr auto kPatience = std::chrono::seconds(5);
    constexpr auto kPause = std::chrono::milliseconds(20);
    ::kill(-id_, SIGTERM);
    const auto last = Clock::now() + kPatience;
    int status = 0;
    while (::waitpid(id_, &status, WNOHANG) == 0) {
      if (Clock::now() > last) {
        ::kill(-id_, SIGKILL);
        ::waitpid(id_, &status, 0);
        break;
      }
      std::this_thread::sleep_for(kPause);
    }
    ::kill(-id_, SIGKILL);  // whatever of its group is left
  }

  pid_t id_;
};

/// Cuts what a process writes into lines; a carriage return ends one as well.
class LineCutter {
 public:
  explicit LineCutter(const std::function<void(std::string_view)>& on_line) : on_line_(on_line) {}

  void add(std::string_view bytes) {
    for (const char c : bytes) {
      if (c == '\n' || c == '\r') {
        flush();
      } else {
        line_.push_back(c);
        if (line_.size() >= kMaxLine) flush();
      }
    }
  }
  void flush() {
    if (!line_.empty()) on_line_(line_);
    line_.clear();
  }

 private:
  const std::function<void(std::string_view)>& on_line_;
  std::string line_;
};

}  // namespace

ProcessEnd run_process(const ProcessCall& call,
                       const std::function<void(std::string_view line)>& on_line) {
  constexpr int kPollMilliseconds = 100;  // how soon an interruption is noticed
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw Error("no pipe: " + system_message(errno), call.program, "close other programs");
  }
  Descriptor reading(ends[0]), writing(ends[1]);
  Child child(start(call, writing.number()));
  writing.close();
  LineCutter lines(on_line);
  std::array<char, 4096> bytes{};
  for (;;) {
    throw_if_interrupted();
    pollfd waiting{.fd = reading.number(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kPollMilliseconds) <= 0) continue;  // nothing yet, or a signal
    const ssize_t got = ::read(reading.number(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    lines.add({bytes.data(), static_cast<std::size_t>(got)});
  }
  lines.flush();
  return child.wait();
}

}  // namespace mote
