// The log's file: its content, and a full disk does not stop the work.
#include "core/log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.h"
#include "support/files/file_bytes.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

TEST(LogFile, KeepsEveryMessageAtAnyLevelOfOutputAndAppends) {
  const fs::path path = fs::path(::testing::TempDir()) / ("mote_log_" + std::to_string(::getpid()));
  std::ofstream(path) << "before\n";
  set_log_level(LogLevel::error);
  log_info("too early");
  {
    LogFile file(path);
    log_detail("a detail {}", 1);
    log_info("a message {}", 2);
    log_warning("a warning {}", 3);
    file.write(LogLevel::error, "for the file alone");
  }
  log_info("too late");
  set_log_level(LogLevel::info);
  const std::string text = text_of(path);
  fs::remove(path);
  EXPECT_TRUE(text.starts_with("before\n"));
  for (const char* phrase :
       {"a detail 1\n", "a message 2\n", "warning: a warning 3\n", "for the file alone\n"}) {
    EXPECT_NE(text.find(phrase), std::string::npos) << phrase << " in " << text;
  }
  EXPECT_EQ(text.find("too"), std::string::npos) << text;
}

TEST(LogFile, AFullDiskDoesNotStopTheWorkAndAMissingFolderIsAnError) {
  {
    LogFile file("/dev/full");
    log_detail("lost");
  }
  EXPECT_THROW(LogFile("/no/such/folder/train.log"), Error);
}

}  // namespace
}  // namespace mote
