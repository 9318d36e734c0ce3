#pragma once

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <set>
#include <sstream>
#include <thread>

#include "dataset_fixture.h"
#include "program_fixture.h"

namespace mote {

/// Runs `mote train` on the tiny dataset in path("data").
class TrainCommand : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    fs::current_path(folder_);  // for files that the program writes into its working directory
    make_tiny_dataset(path("data"));
  }
  void TearDown() override {
    fs::current_path(::testing::TempDir());
    Program::TearDown();
  }
  std::vector<std::string> words(const std::string& out, std::vector<std::string> more = {},
                                 const std::string& steps = "60") const {
    std::vector<std::string> all{"train",
                                 path("data"),
                                 "-o",
                                 path(out),
                                 "--steps",
                                 steps,
                                 "--checkpoint-every",
                                 "10",
                                 "--metrics-every",
                                 "5",
                                 "--progress",
                                 "none",
                                 "--max-splats",
                                 "80",
                                 "--test-choice",
                                 "name"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::vector<std::string> on(const std::string& out) const {
    return {"train", "--resume", "-o", path(out), "--progress", "none"};
  }
  fs::path checkpoint(const std::string& out, int step) const {
    return path(fmt::format("{}/checkpoints/ckpt_{:09}.bin", out, step));
  }
  std::vector<std::string> checkpoints(const std::string& out) const {
    std::set<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(path(out + "/checkpoints"), ignored)) {
      if (entry.path().extension() == ".bin") names.insert(entry.path().filename().string());
    }
    return {names.begin(), names.end()};
  }
  /// Lines of metrics.csv without the columns with times.
  std::vector<std::string> timeless_metrics(const std::string& out) const {
    constexpr std::size_t kSeconds = 1, kFirstTime = 8;
    std::vector<std::string> lines;
    std::istringstream text(text_of(path(out + "/metrics.csv")));
    for (std::string line; std::getline(text, line);) {
      std::istringstream cells(line);
      std::string kept, cell;
      for (std::size_t i = 0; std::getline(cells, cell, ','); ++i) {
        if (i != kSeconds && i < kFirstTime) kept += cell + ",";
      }
      lines.push_back(kept);
    }
    return lines;
  }
  void expect_same_result(const std::string& a, const std::string& b, int steps) const {
    const std::string scene = fmt::format("/splat_{}.ply", steps);
    ASSERT_TRUE(fs::exists(path(a + scene)));
    EXPECT_EQ(text_of(path(a + scene)), text_of(path(b + scene)));
    EXPECT_EQ(timeless_metrics(a), timeless_metrics(b));
  }
  /// Starts the program and returns when it has written a new checkpoint or has ended.
  pid_t start_until_new_checkpoint(const std::vector<std::string>& command,
                                   const std::string& out) const {
    const std::vector<std::string> before = checkpoints(out);
    const pid_t child = start(command);
    siginfo_t ended{};
    while (ended.si_pid == 0 && (checkpoints(out) == before || checkpoints(out).empty())) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      EXPECT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT), 0);
    }
    return child;
  }
  void spoil(const fs::path& file, std::uint64_t offset) const {
    std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(static_cast<std::streamoff>(offset));
    bytes.put('\x5a').put('\x5b').put('\x5c');
  }
};

}  // namespace mote
