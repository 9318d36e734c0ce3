#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "io/splats/scene_format.h"
#include "program_run.h"
#include "random_cloud.h"
#include "support/files/file_bytes.h"

namespace mote {

namespace fs = std::filesystem;

/// Runs the built program in a temporary folder and captures its output.
class Program : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) /
              (std::string("mote_program_") + test->name() + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::string write_file(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

  std::string write_scene(std::size_t count = 100, int degree = 1) const {
    save_scene(random_cloud(count, degree, 1), path("scene.ply"));
    return path("scene.ply");
  }

  pid_t start(const std::vector<std::string>& words) const {
    return start_program(words, path(".out"), path(".err"));
  }

  Outcome finish(pid_t child) const { return finish_program(child, path(".out"), path(".err")); }

  Outcome run(const std::vector<std::string>& words) const { return finish(start(words)); }

  /// Runs with a file size limit of `bytes`, as on a nearly full disk.
  Outcome run_on_small_disk(const std::vector<std::string>& command, rlim_t bytes) const {
    rlimit before{};
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);  // the child inherits it
    rlimit small = before;
    small.rlim_cur = bytes;
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const pid_t child = start(command);
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    return finish(child);
  }

  /// Runs the program and expects this exit code, nothing on stdout, and one line on stderr that
  /// contains every phrase. A line about the chosen device is allowed as well.
  void expect_refusal(const std::vector<std::string>& words, int exit_code,
                      const std::vector<std::string>& phrases) const {
    Outcome outcome = run(words);
    if (outcome.err.starts_with("--device auto takes ")) {
      outcome.err.erase(0, outcome.err.find('\n') + 1);
    }
    SCOPED_TRACE(::testing::PrintToString(words) + "\n" + outcome.err);
    EXPECT_EQ(outcome.exit_code, exit_code);
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(outcome.err.starts_with("mote: "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
    for (const std::string& phrase : phrases) {
      EXPECT_NE(outcome.err.find(phrase), std::string::npos) << phrase;
    }
  }

  /// Names of the files in the folder, without the captured output.
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      const std::string name = entry.path().filename().string();
      if (name != ".out" && name != ".err") names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
};

}  // namespace mote
