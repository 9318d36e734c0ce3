#pragma once

// Runs the built program, for any fixture.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/files/file_bytes.h"

namespace mote {

struct Outcome {
  int exit_code = -1;  // or minus the number of the terminating signal
  std::string out, err;
};

/// Environment of this process, for the program. With a leak sanitizer Mesa's software Vulkan stays
/// loaded: after unloading, its own memory would count as leaked, without symbol names.
inline std::vector<char*> program_environment() {
  std::vector<char*> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  static char preload[] = "LD_PRELOAD=libvulkan_lvp.so";
  variables.push_back(preload);
#endif
#endif
  variables.push_back(nullptr);
  return variables;
}

/// Starts the program; its output goes to the files `out` and `err`.
inline pid_t start_program(std::vector<std::string> words, const std::string& out,
                           const std::string& err) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, out.c_str(), kFlags, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, err.c_str(), kFlags, 0600);
  words.insert(words.begin(), MOTE_PROGRAM);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<char*> environment = program_environment();
  pid_t child = -1;
  const int fault =
      ::posix_spawn(&child, MOTE_PROGRAM, &files, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  EXPECT_EQ(fault, 0);
  return child;
}

/// Waits for the end of the program; `out` and `err` are the files of start_program().
inline Outcome finish_program(pid_t child, const std::string& out, const std::string& err) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text_of(out), text_of(err)};
}

}  // namespace mote
