#include "core/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "core/error.h"
#include "core/interrupt.h"
#include "core/system_fault.h"

namespace mote {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMaxLine = std::size_t{1} << 16;  // bytes; longer lines are split

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

std::string remedy_for_start(const std::string& program, int fault) {
  return fault == ENOENT
             ? "install it, or give its path"
             : remedy_for(fault, program, "check that it is a program with permission to run");
}

[[noreturn]] void fail_to_start(const std::string& program, int fault) {
  const std::string problem = "cannot be started: " + system_message(fault);
  if (fault == ENOENT) throw ProgramMissing(problem, program, remedy_for_start(program, fault));
  throw Error(problem, program, remedy_for_start(program, fault));
}

/// A pipe that child programs do not inherit.
struct Pipe {
  explicit Pipe(const std::string& program) : Pipe(make(program)) {}

  Descriptor reading, writing;

 private:
  explicit Pipe(std::array<int, 2> ends) : reading(ends[0]), writing(ends[1]) {}
  static std::array<int, 2> make(const std::string& program) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_to_start(program, errno);
    return ends;
  }
};

/// Our environment with some variables replaced: "NAME=value" each.
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

/// All data that the keeper needs. It is prepared before the fork, since nothing may be allocated
/// afterwards.
struct StartPlan {
  std::vector<std::string> words, environment;
  std::vector<char*> arguments, variables;
  int output;  // for stdout and stderr
  int report;  // receives errno if the program cannot be started; closed on success
};

[[noreturn]] void report_and_leave(const StartPlan& plan) {
  const int fault = errno;
  [[maybe_unused]] const ssize_t written = ::write(plan.report, &fault, sizeof fault);
  ::_exit(127);
}

void restore_signals() {
  for (int signal = 1; signal < NSIG; ++signal) std::signal(signal, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void end_the_group(int) {
  ::kill(0, SIGKILL);
}

/// Becomes the program itself, in the keeper's group.
[[noreturn]] void become_program(const StartPlan& plan) {
  restore_signals();
  ::execvpe(plan.arguments[0], plan.arguments.data(), plan.variables.data());
  report_and_leave(plan);
}

/// A small process between us and the program. It leads the program's process group and kills the
/// group when we end, in any way. A parent-death signal on the program itself would not reach its
/// children. The kernel sends the signal when the forking thread ends; run_process() waits in that
/// thread. Calls only functions that are allowed between fork and exec in a multithreaded process.
[[noreturn]] void keep(const StartPlan& plan, pid_t parent) {
  ::setpgid(0, 0);
  restore_signals();
  std::signal(SIGUSR1, end_the_group);
  std::signal(SIGTERM, SIG_IGN);  // meant for the program; the keeper waits for its end
  ::prctl(PR_SET_PDEATHSIG, SIGUSR1);
  if (::getppid() != parent) ::_exit(127);  // the parent ended before the signal was set up
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  for (const int place : {STDOUT_FILENO, STDERR_FILENO}) {
    ::dup2(plan.output, place);
    ::fcntl(place, F_SETFD, 0);  // it may already have this number, where ours were closed
  }
  const pid_t program = ::fork();
  if (program < 0) report_and_leave(plan);
  if (program == 0) become_program(plan);
  ::close_range(0, ~0u, 0);  // the keeper must not hold our locks and pipe ends
  int status = 0;
  while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFSIGNALED(status)) ::_exit(WEXITSTATUS(status));
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::signal(WTERMSIG(status), SIG_DFL);
  ::kill(::getpid(), WTERMSIG(status));
  ::_exit(127);
}

/// Starts the program in its own process group, with `output` as stdout and stderr. Returns its
/// keeper.
pid_t start(const ProcessCall& call, int output) {
  Pipe report(call.program);
  StartPlan plan{.words = {call.program},
                 .environment = environment_with(call.environment),
                 .arguments = {},
                 .variables = {},
                 .output = output,
                 .report = report.writing.number()};
  plan.words.insert(plan.words.end(), call.arguments.begin(), call.arguments.end());
  plan.arguments = pointers_to(plan.words);
  plan.variables = pointers_to(plan.environment);
  const pid_t parent = ::getpid();
  const pid_t keeper = ::fork();
  if (keeper < 0) fail_to_start(call.program, errno);
  if (keeper == 0) keep(plan, parent);
  ::setpgid(keeper, keeper);  // by both processes; whichever runs first
  report.writing.close();
  int fault = 0;
  ssize_t got = 0;
  do {
    got = ::read(report.reading.number(), &fault, sizeof fault);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof fault) return keeper;
  int status = 0;
  while (::waitpid(keeper, &status, 0) < 0 && errno == EINTR) {
  }
  fail_to_start(call.program, fault);
}

/// A started process. The destructor ends it if it still runs.
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
  /// Sends SIGTERM, then kills what has not ended after some seconds.
  void end() {
    constexpr auto kPatience = std::chrono::seconds(5);
    constexpr auto kPause = std::chrono::milliseconds(20);
    ::kill(-id_, SIGTERM);
    const auto last = SteadyClock::now() + kPatience;
    int status = 0;
    while (::waitpid(id_, &status, WNOHANG) == 0) {
      if (SteadyClock::now() > last) {
        ::kill(-id_, SIGKILL);
        ::waitpid(id_, &status, 0);
        break;
      }
      std::this_thread::sleep_for(kPause);
    }
    ::kill(-id_, SIGKILL);  // the rest of its group
  }

  pid_t id_;
};

/// Splits the output of a process into lines; a carriage return ends a line too.
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
  constexpr int kPollMilliseconds = 100;  // delay until an interruption is noticed
  Pipe output(call.program);
  Child child(start(call, output.writing.number()));
  output.writing.close();
  LineCutter lines(on_line);
  std::array<char, 4096> bytes{};
  for (;;) {
    throw_if_interrupted();
    pollfd waiting{.fd = output.reading.number(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, kPollMilliseconds) <= 0) continue;  // nothing yet, or a signal
    const ssize_t got = ::read(output.reading.number(), bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    lines.add({bytes.data(), static_cast<std::size_t>(got)});
  }
  lines.flush();
  return child.wait();
}

}  // namespace mote
