// Files that appear whole or not at all, beside or in place of others, and their folders.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "core/folders.h"
#include "core/system_fault.h"
#include "core/unfinished.h"
#include "support/files/denied_call.h"
#include "support/files/file_bytes.h"
#include "support/files/locked_folder.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr int kDone = 0, kRefused = 10, kNotDenied = 77;

class OutputFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(::testing::TempDir()) /
              (std::string("mote_output_") + test->name() + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static void put(const fs::path& path, const std::string& text, Existing existing) {
    OutputFile out(path, existing);
    out.write(text);
    out.commit();
  }
  static mode_t mode_of(const fs::path& path) {
    struct stat info {};
    EXPECT_EQ(::stat(path.c_str(), &info), 0);
    return info.st_mode & 07777u;
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  /// The exit code of a child process in which the calls fail.
  static int with_denied(const std::vector<DeniedCall>& calls, const auto& work) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (!deny_calls(calls)) ::_exit(kNotDenied);
      try {
        work();
      } catch (const Error&) {
        ::_exit(kRefused);
      }
      ::_exit(kDone);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  fs::path folder_;
};

TEST_F(OutputFileTest, AnExistingFileStaysUnlessReplacingIsAllowed) {
  const fs::path path = file("a", "old");
  EXPECT_THROW(OutputFile(path, Existing::keep), Error);
  EXPECT_EQ(text_of(path), "old");
  put(path, "new", Existing::replace);
  EXPECT_EQ(text_of(path), "new");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFileTest, AFileThatAppearsDuringAWriteStays) {
  const fs::path path = folder_ / "a";
  {
    OutputFile out(path, Existing::keep);
    out.write("new");
    file("a", "of another process");
    EXPECT_THROW(out.commit(), Error);
  }
  EXPECT_EQ(text_of(path), "of another process");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFileTest, FilesStayOnFileSystemsWithoutAtomicRename) {
  const std::vector<DeniedCall> no_flags{{SYS_renameat2, EINVAL}};
  const std::vector<DeniedCall> no_links{
      {SYS_renameat2, EINVAL}, {SYS_link, EPERM}, {SYS_linkat, EPERM}};
  for (const auto& denied : {no_flags, no_links}) {
    const fs::path fresh = folder_ / "fresh", taken = folder_ / "taken";
    const int made = with_denied(denied, [&] { put(fresh, "new", Existing::keep); });
    if (made == kNotDenied) GTEST_SKIP() << "no calls can be denied here";
    EXPECT_EQ(made, kDone);
    EXPECT_EQ(text_of(fresh), "new");
    const auto late = [&] {
      OutputFile out(taken, Existing::keep);
      out.write("new");
      file("taken", "old");
      out.commit();
    };
    EXPECT_EQ(with_denied(denied, late), kRefused);
    EXPECT_EQ(text_of(taken), "old");
    fs::remove(fresh);
    fs::remove(taken);
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
}

TEST_F(OutputFileTest, ASymbolicLinkStaysAndItsTargetIsReplaced) {
  fs::create_directories(folder_ / "far");
  const fs::path target = file("far/target", "old");
  fs::create_symlink("far/target", folder_ / "inner");
  fs::create_symlink(folder_ / "inner", folder_ / "link");
  put(folder_ / "link", "new", Existing::replace);
  EXPECT_EQ(fs::read_symlink(folder_ / "link"), folder_ / "inner");
  EXPECT_EQ(fs::read_symlink(folder_ / "inner"), "far/target");
  EXPECT_EQ(text_of(target), "new");
  EXPECT_THROW(put(folder_ / "link", "newer", Existing::keep), Error);
  fs::remove(target);
  put(folder_ / "link", "made", Existing::keep);
  EXPECT_EQ(text_of(target), "made");
}

TEST_F(OutputFileTest, AReplacedFileKeepsItsPermissions) {
  const fs::path path = file("a", "old");
  for (const mode_t mode : {0600u, 0640u, 0444u, 0666u, 0755u}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    put(path, "new", Existing::replace);
    EXPECT_EQ(mode_of(path), mode);
  }
  if (::geteuid() != 0) return;
  constexpr uid_t kSomebody = 12345;
  ASSERT_EQ(::chown(path.c_str(), kSomebody, kSomebody), 0);
  put(path, "newer", Existing::replace);
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, kSomebody);
  EXPECT_EQ(info.st_gid, kSomebody);
}

TEST_F(OutputFileTest, AHardLinkToAReplacedFileKeepsItsBytes) {
  const fs::path path = file("a", "old");
  fs::create_hard_link(path, folder_ / "b");
  put(path, "new", Existing::replace);
  EXPECT_EQ(text_of(folder_ / "b"), "old");
}

TEST_F(OutputFileTest, PartialFilesOfDeadProcessesAreRemovedAndThoseOfLivingOnesStay) {
  constexpr std::array<std::string_view, 1> kEndings{".ply"};
  file("a.ply.partial-1", "of a process that ended, whose number another one has now");
  file("a.ply.partial-4711-2", "x");
  const std::vector<fs::path> others{file("b.txt.partial-1", "x"), file("c.ply.partial-x", "x"),
                                     file(".partial-3", "x"), file("d.ply", "x")};
  std::array<int, 2> started{};
  ASSERT_EQ(::pipe(started.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const OutputFile out(folder_ / "a.ply");
    EXPECT_EQ(::write(started[1], "x", 1), 1);
    ::pause();
    ::_exit(1);
  }
  char byte = 0;
  ASSERT_EQ(::read(started[0], &byte, 1), 1);
  const OutputFile ours(folder_ / "a.ply");
  remove_unfinished(folder_, kEndings);
  EXPECT_TRUE(fs::exists(folder_ / ("a.ply.partial-" + std::to_string(child))));
  EXPECT_TRUE(fs::exists(folder_ / ("a.ply.partial-" + std::to_string(::getpid()))));
  EXPECT_EQ(entries(), 2 + others.size());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  remove_unfinished(folder_, kEndings);
  EXPECT_EQ(entries(), 1 + others.size());
  for (const fs::path& path : others) EXPECT_TRUE(fs::exists(path)) << path;
}

TEST_F(OutputFileTest, WithoutLocksNoFileCountsAsLeftover) {
  constexpr std::array<std::string_view, 1> kEndings{".ply"};
  const fs::path path = file("a.ply.partial-4711", "x");
  const std::vector<DeniedCall> denied{{SYS_fcntl, ENOLCK, true, F_OFD_SETLK}};
  const int end = with_denied(denied, [&] { remove_unfinished(folder_, kEndings); });
  if (end == kNotDenied) GTEST_SKIP() << "no calls can be denied here";
  EXPECT_EQ(end, kDone);
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(OutputFileTest, ManyThreadsMayWriteOneFile) {
  const fs::path path = folder_ / "a";
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k) {
        put(path, std::string(1000, static_cast<char>('a' + i)), Existing::replace);
        remove_unfinished(folder_, std::array<std::string_view, 1>{"a"});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string text = text_of(path);
  EXPECT_EQ(text, std::string(1000, text.front()));
  EXPECT_EQ(entries(), 1u);
}

TEST_F(OutputFileTest, CheckingAFolderLeavesNothingBehind) {
  check_folder(folder_ / "a/b/c");
  EXPECT_EQ(entries(), 0u);
  check_folder(folder_);
  EXPECT_EQ(entries(), 0u);
  file("file", "x");
  fs::create_symlink("nowhere", folder_ / "link");
  for (const fs::path& bad : {folder_ / "file", folder_ / "file/below", folder_ / "link",
                              fs::path("/proc"), fs::path("/proc/mote")}) {
    EXPECT_THROW(check_folder(bad), Error) << bad;
  }
}

TEST_F(OutputFileTest, AFolderThatCannotBeListedDoesNotCountAsEmpty) {
  fs::create_directories(folder_ / "runs/inner");
  file("runs/b", "x");
  file("runs/inner/a", "x");
  const fs::path runs = folder_ / "runs";
  EXPECT_EQ(folder_entries(runs), (std::vector{runs / "b", runs / "inner"}));
  EXPECT_EQ(entries_below(runs), (std::vector{runs / "b", runs / "inner", runs / "inner/a"}));
  EXPECT_TRUE(folder_entries(folder_ / "missing").empty());
  EXPECT_TRUE(entries_below(runs / "b").empty());
  {
    const LockedFolder locked(runs / "inner");
    EXPECT_THROW(folder_entries(runs / "inner"), SystemFault);
    EXPECT_THROW(entries_below(runs), SystemFault);
  }
  EXPECT_THROW(folder_entries(folder_ / std::string(300, 'n')), SystemFault);
}

TEST_F(OutputFileTest, FoldersAreCreatedWhileOthersRemoveThem) {
  const fs::path parent = folder_ / "sweep";
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 300; ++k) {
        check_folder(parent / std::to_string(i) / "deep");
        const auto made = make_folders(parent / std::to_string(i) / "deep");
        EXPECT_FALSE(made.empty());
        remove_empty_folders(made);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto made = make_folders(folder_ / "x/y");
  EXPECT_EQ(made, (std::vector<fs::path>{folder_ / "x", folder_ / "x/y"}));
  file("x/kept", "x");
  remove_empty_folders(made);
  EXPECT_FALSE(fs::exists(folder_ / "x/y"));
  EXPECT_TRUE(fs::exists(folder_ / "x/kept"));
}

}  // namespace
}  // namespace mote
