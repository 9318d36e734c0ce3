// Other programs run as requested, their output arrives line by line, and they end when they must.
#include "core/process.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/cancel_scope.h"
#include "core/error.h"
#include "core/interrupt.h"

namespace mote {
namespace {

struct Ran {
  ProcessEnd end;
  std::vector<std::string> lines;
};

Ran run_shell(const std::string& script, const std::vector<std::string>& words = {}) {
  ProcessCall call{.program = "sh", .arguments = {"-c", script, "sh"}, .environment = {}};
  call.arguments.insert(call.arguments.end(), words.begin(), words.end());
  Ran ran;
  ran.end = run_process(call, [&](std::string_view line) { ran.lines.emplace_back(line); });
  return ran;
}

TEST(Process, LinesOfBothOutputsArriveWithoutLineEnds) {
  const Ran ran = run_shell("echo one; echo two >&2; printf 'three\\rfour'");
  EXPECT_TRUE(ran.end.succeeded());
  EXPECT_EQ(ran.lines, (std::vector<std::string>{"one", "two", "three", "four"}));
}

TEST(Process, ArgumentsArriveUnchanged) {
  const std::vector<std::string> words{"with space", "$HOME", "*", "a\"b'c", "grün", ""};
  const Ran ran = run_shell("for word; do echo \"<$word>\"; done", words);
  ASSERT_EQ(ran.lines.size(), words.size());
  for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(ran.lines[i], "<" + words[i] + ">");
}

TEST(Process, ExitCodesAndSignalsAreReported) {
  EXPECT_EQ(run_shell("exit 7").end.exit_code, 7);
  const ProcessEnd killed = run_shell("kill -9 $$").end;
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_FALSE(killed.succeeded());
}

TEST(Process, TheEnvironmentIsInheritedWithChanges) {
  ::setenv("MOTE_PROCESS_TEST", "old", 1);
  std::vector<std::string> lines;
  run_process({.program = "sh",
               .arguments = {"-c", "echo \"$MOTE_PROCESS_TEST$MOTE_PROCESS_NEW\"; echo \"$PATH\""},
               .environment = {{"MOTE_PROCESS_TEST", "new"}, {"MOTE_PROCESS_NEW", "er"}}},
              [&](std::string_view line) { lines.emplace_back(line); });
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0], "newer");
  EXPECT_EQ(lines[1], std::getenv("PATH"));
}

TEST(Process, ItsInputIsEmpty) {
  EXPECT_EQ(run_shell("cat; echo end").lines, std::vector<std::string>{"end"});
}

TEST(Process, LongLinesArriveInParts) {
  std::size_t bytes = 0, longest = 0;
  run_process({.program = "sh",
               .arguments = {"-c", "head -c 300000 /dev/zero | tr '\\0' x"},
               .environment = {}},
              [&](std::string_view line) {
                bytes += line.size();
                longest = std::max(longest, line.size());
              });
  EXPECT_EQ(bytes, 300000u);
  EXPECT_LE(longest, 65536u);
}

TEST(Process, AProgramThatCannotStartIsNamed) {
  for (const std::string program : {"/no/such/program", "mote-no-such-program", "/tmp"}) {
    try {
      run_process({.program = program, .arguments = {}, .environment = {}},
                  [](std::string_view) {});
      ADD_FAILURE() << program;
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), program);
    }
  }
}

TEST(Process, OnlyAnAbsentProgramIsCalledMissing) {
  const auto start = [](const std::string& program) {
    run_process({.program = program, .arguments = {}, .environment = {}}, [](std::string_view) {});
  };
  EXPECT_THROW(start("mote-no-such-program"), ProgramMissing);
  try {
    start("/tmp");
    FAIL();
  } catch (const ProgramMissing&) {
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(error.remedy().find("permission to run"), std::string::npos);
  }
}

/// Waits for a process whose killed parent left it to us; returns the signal that ended it.
int signal_that_ended(pid_t process) {
  int status = 0;
  EXPECT_EQ(::waitpid(process, &status, 0), process);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST(Process, ItsChildrenEndIfOurProcessIsKilled) {
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t parent = ::fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    run_process(
        {.program = "sh",
         .arguments = {"-c", "trap '' HUP TERM; sleep 1000 & echo $PPID; echo $$; echo $!; wait"},
         .environment = {}},
        [&](std::string_view line) {
          const std::string text = std::string(line) + "\n";
          if (::write(ends[1], text.data(), text.size()) < 0) ::_exit(1);
        });
    ::_exit(0);
  }
  std::array<pid_t, 3> processes{};  // the keeper, the program, and the program's child
  for (pid_t& process : processes) {
    std::string line;
    for (char c = 0; c != '\n' && ::read(ends[0], &c, 1) == 1;) line += c;
    process = std::stoi(line);
  }
  ::kill(parent, SIGKILL);
  EXPECT_EQ(signal_that_ended(parent), SIGKILL);
  // Each process becomes our child when its parent has ended.
  for (const pid_t process : processes) EXPECT_EQ(signal_that_ended(process), SIGKILL);
  for (const int end : ends) ::close(end);
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

TEST(Process, AnExceptionOfTheCallbackEndsIt) {
  pid_t child = 0;
  EXPECT_THROW(
      run_process(
          {.program = "sh", .arguments = {"-c", "echo $$; exec sleep 1000"}, .environment = {}},
          [&](std::string_view line) {
            child = std::stoi(std::string(line));
            throw std::runtime_error("enough");
          }),
      std::runtime_error);
  ASSERT_GT(child, 0);
  EXPECT_EQ(::kill(child, 0), -1);
}

TEST(Process, ACancelledScopeEndsItWithoutOutput) {
  const auto start = std::chrono::steady_clock::now();
  const auto is_enough = [start] {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(50);
  };
  const CancelScope scope(is_enough);
  EXPECT_THROW(run_process({.program = "sleep", .arguments = {"1000"}, .environment = {}},
                           [](std::string_view) {}),
               Interrupted);
}

TEST(CancelScope, CountsForItsThreadAndWhileItIsTheInnermost) {
  EXPECT_FALSE(interrupted());
  {
    const CancelScope outer([] { return true; });
    EXPECT_TRUE(interrupted());
    EXPECT_THROW(throw_if_interrupted(), Interrupted);
    bool elsewhere = true;
    std::thread([&elsewhere] { elsewhere = interrupted(); }).join();
    EXPECT_FALSE(elsewhere);
    {
      const CancelScope inner([] { return false; });
      EXPECT_FALSE(interrupted());
    }
    EXPECT_TRUE(interrupted());
  }
  EXPECT_FALSE(interrupted());
}

}  // namespace
}  // namespace mote
