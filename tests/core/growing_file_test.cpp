// Files that grow by lines, when others remove them or the disk is full.
#include "core/growing_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "core/error.h"
#include "support/files/file_bytes.h"
#include "support/files/small_disk.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class GrowingFiles : public ::testing::Test {
 protected:
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_ = [] {
    const fs::path folder =
        fs::path(::testing::TempDir()) / ("mote_growing_" + std::to_string(::getpid()));
    fs::create_directories(folder);
    return folder;
  }();
  fs::path path_ = folder_ / "log";
};

TEST_F(GrowingFiles, AreCreatedAgainWithFolderAndHeaderIfRemoved) {
  GrowingFile file(path_, [] { return std::string("beginning\n"); });
  EXPECT_TRUE(file.append("one\n"));
  fs::remove_all(folder_);
  EXPECT_TRUE(file.append("two\n"));
  EXPECT_EQ(text_of(path_), "beginning\ntwo\n");
  fs::remove(path_);
  EXPECT_TRUE(file.append("three\n"));
  EXPECT_EQ(text_of(path_), "beginning\nthree\n");
}

TEST_F(GrowingFiles, FollowTheirPathIfTheFolderWasMoved) {
  GrowingFile file(path_);
  EXPECT_TRUE(file.append("one\n"));
  fs::create_directories(folder_ / "away");
  fs::rename(path_, folder_ / "away/log");
  EXPECT_TRUE(file.append("two\n"));
  EXPECT_EQ(text_of(folder_ / "away/log"), "one\n");
  EXPECT_EQ(text_of(path_), "two\n");
}

TEST_F(GrowingFiles, WriteALineWholeOrNotAtAllOnAFullDisk) {
  const SmallDisk disk(folder_ / "disk", 8 << 10);
  if (!disk.is_there()) GTEST_SKIP() << "this process may not mount a small disk";
  GrowingFile file(folder_ / "disk/log");
  const std::string line = std::string(2999, 'x') + "\n";
  EXPECT_TRUE(file.append(line));
  EXPECT_TRUE(file.append(line));
  EXPECT_FALSE(file.append(line));
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_EQ(text_of(folder_ / "disk/log"), line + line);
  EXPECT_TRUE(file.append("short\n"));
  EXPECT_EQ(text_of(folder_ / "disk/log"), line + line + "short\n");
}

TEST_F(GrowingFiles, ReportAFailureToOpenAndDoNotWaitForAPipe) {
  EXPECT_THROW(GrowingFile("/no/such/folder/log"), Error);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_THROW(GrowingFile{path_}, Error);
}

}  // namespace
}  // namespace mote
