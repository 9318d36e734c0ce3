// The folder of a training run: recognition, clean-up, and exclusive access.
#include "train/run/run_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fstream>
#include <vector>

#include "core/error.h"
#include "support/files/denied_call.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class RunFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    base_ = fs::path(::testing::TempDir()) /
            (std::string("mote_run_folder_") + test->name() + std::to_string(::getpid()));
    fs::create_directories(base_);
  }
  void TearDown() override { fs::remove_all(base_); }
  void make(const std::string& name) const {
    fs::create_directories((base_ / name).parent_path());
    std::ofstream(base_ / name) << "x";
  }
  void make_run(const std::string& name) const {
    fs::create_directories(base_ / name);
    std::ofstream(base_ / name / "config.json") << R"({"#version": "1", "data": "x"})";
  }
  static std::string refusal(const auto& work) {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(base_)) {
      if (entry.is_regular_file()) names.push_back(fs::relative(entry.path(), base_).string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  fs::path base_;
};

TEST_F(RunFolderTest, HasARunOnceOneWasStarted) {
  EXPECT_FALSE(RunFolder(base_).holds_run());
  EXPECT_FALSE(RunFolder(base_ / "none").holds_run());
  for (const char* name : {"splat_x.ply", "splat_7.txt", "splat_007.ply", "splat_7.edited.ply",
                           "checkpoints/ckpt_old.bin", "checkpoints/ckpt_7.bin", "eval/notes.txt",
                           "eval/step_7/notes.txt"}) {
    make(name);
  }
  EXPECT_TRUE(RunFolder(base_).is_free());
  make("splat_7.ply");
  EXPECT_FALSE(RunFolder(base_).holds_run());
  EXPECT_FALSE(RunFolder(base_).is_free());
  make("a/config.json");
  EXPECT_FALSE(RunFolder(base_ / "a").holds_run()) << "of another program";
  make_run("b");
  EXPECT_TRUE(RunFolder(base_ / "b").holds_run());
}

TEST_F(RunFolderTest, TheNewestSceneHasTheMostSteps) {
  EXPECT_FALSE(RunFolder(base_).newest_scene());
  for (const char* name : {"splat_900.ply", "splat_30000.ply", "splat_7000.ply", "splat_99999.spz",
                           "splat_40000.ply.partial-3"}) {
    make(name);
  }
  EXPECT_EQ(RunFolder(base_).newest_scene()->filename(), "splat_30000.ply");
}

TEST_F(RunFolderTest, ReplacingRemovesOnlyFilesOfRuns) {
  const std::vector<std::string> others{"cameras.txt",
                                        "checkpoints/ckpt_7.bin",
                                        "checkpoints/ckpt_old.bin",
                                        "checkpoints/mine.bin",
                                        "eval/notes.md",
                                        "eval/step_7000/gt/mine.png",
                                        "eval/step_7000/gt/notes.txt",
                                        "eval/step_7000/notes.txt",
                                        "eval/step_x/metrics.json",
                                        "holiday.ply",
                                        "remarks.txt",
                                        "splat_007.ply",
                                        "splat_100.edited.ply",
                                        "splat_7000",
                                        "splatter.ply"};
  for (const std::string& name : others) make(name);
  make_run(".");
  for (const char* name :
       {"train.log", "metrics.csv", "metrics.svg", "stats.json", "splat_7000.ply",
        "splat_30000.spz", "splat_7000.compressed.ply", "checkpoints/ckpt_000001000.bin",
        "checkpoints/ckpt_000002000.bin.partial-77", "eval/step_7000/metrics.json",
        "eval/step_7000/gt/left/a.png", "eval/step_9/gt/left/a.png", "stats.json.partial-12",
        "eval/reference.bin", "eval/reference.bin.partial-34"}) {
    make(name);
  }
  std::ofstream(base_ / "cameras.json") << R"({"frames": [{"file_path": "left/a.png"}]})";
  RunFolder folder(base_);
  folder.open(RunStart::replace);
  folder.clear();
  std::vector<std::string> left = files();
  std::erase(left, ".mote-lock");
  EXPECT_EQ(left, others);
  EXPECT_FALSE(fs::exists(base_ / "eval/step_9"));
}

TEST_F(RunFolderTest, ForeignFilesAreNeverCountedAsFilesOfRuns) {
  for (const char* name : {"cameras.json", "stats.json", "metrics.csv", "train.log", "config.json",
                           "splat_7.ply", "eval/step_7/metrics.json", "eval/step_7/gt/a.png",
                           "eval/reference.bin", "checkpoints/ckpt_000000007.bin"}) {
    make(name);
    for (const RunStart start : {RunStart::fresh, RunStart::replace}) {
      const std::string message = refusal([&] { RunFolder(base_).open(start); });
      EXPECT_NE(message.find(fs::path(name).begin()->string()), std::string::npos) << message;
      EXPECT_NE(message.find("choose another folder"), std::string::npos) << message;
    }
    EXPECT_EQ(files(), std::vector<std::string>{name});
    fs::remove_all(base_);
    fs::create_directories(base_);
  }
}

TEST_F(RunFolderTest, AnInputInsideARunFolderIsNotRemoved) {
  make_run(".");
  make("splat_7.ply");
  fs::create_hard_link(base_ / "splat_7.ply", base_ / "other_name");
  InputFiles inputs;
  inputs.add(base_ / "other_name");
  const std::string message = refusal([&] { RunFolder(base_).open(RunStart::replace, inputs); });
  EXPECT_NE(message.find("splat_7.ply"), std::string::npos) << message;
  EXPECT_TRUE(fs::exists(base_ / "splat_7.ply"));
}

TEST_F(RunFolderTest, LinksInPlaceOfFilesStayWhenTheRunIsReplaced) {
  make_run(".");
  make("far/train.log");
  fs::create_symlink("far/train.log", base_ / "train.log");
  RunFolder folder(base_);
  folder.open(RunStart::replace);
  folder.clear();
  EXPECT_TRUE(fs::is_symlink(base_ / "train.log"));
  EXPECT_EQ(fs::file_size(base_ / "far/train.log"), 0u);
}

TEST_F(RunFolderTest, UnfinishedFilesAreRemovedAndWholeOnesStay) {
  make("eval/step_10/gt/a.png");
  make("eval/step_10/gt/b.png.partial-4711");
  make("splat_10.ply.partial-1");
  make("my.partial-work");
  RunFolder(base_).remove_unfinished();
  EXPECT_EQ(files(), (std::vector<std::string>{"eval/step_10/gt/a.png", "my.partial-work"}));
}

TEST_F(RunFolderTest, CheckingLeavesNoFileAndRefusesAnUnwritableFolder) {
  RunFolder(base_ / "a/b/c").check(RunStart::fresh);
  EXPECT_FALSE(fs::exists(base_ / "a"));
  RunFolder(base_).check(RunStart::fresh);
  EXPECT_TRUE(files().empty());
  make("file");
  for (const fs::path& bad :
       {base_ / "file", base_ / "file/below", fs::path("/proc/mote"), fs::path("/proc")}) {
    EXPECT_THROW(RunFolder(bad).check(RunStart::fresh), Error) << bad;
  }
}

TEST_F(RunFolderTest, ARunWithoutResultsLeavesNoFolder) {
  make("sweep/notes.txt");
  {
    RunFolder folder(base_ / "sweep/a/b");
    folder.open(RunStart::fresh);
    EXPECT_TRUE(fs::exists(base_ / "sweep/a/b/checkpoints"));
  }
  EXPECT_FALSE(fs::exists(base_ / "sweep/a"));
  EXPECT_TRUE(fs::exists(base_ / "sweep"));
}

TEST_F(RunFolderTest, TwoRunsCannotShareIt) {
  {
    RunFolder first(base_);
    first.open(RunStart::fresh);
    const std::string holder = "process number " + std::to_string(::getpid());
    RunFolder second(base_);
    for (const std::string& message : {refusal([&] { second.open(RunStart::fresh); }),
                                       refusal([&] { second.check(RunStart::resume); })}) {
      EXPECT_NE(message.find(holder), std::string::npos) << message;
    }
  }
  EXPECT_TRUE(files().empty()) << "the lock goes with the run";
  RunFolder third(base_);
  third.open(RunStart::fresh);
}

TEST_F(RunFolderTest, ARemovedFolderIsLockedAgainWhenItIsRecreated) {
  RunFolder first(base_);
  first.open(RunStart::fresh);
  fs::remove_all(base_);
  first.make_again();
  EXPECT_THROW(RunFolder(base_).open(RunStart::fresh), Error);
  fs::remove_all(base_);
  RunFolder second(base_);
  second.open(RunStart::fresh);
  EXPECT_THROW(first.make_again(), Error);
}

TEST_F(RunFolderTest, ALockEndsWithItsProcess) {
  std::array<int, 2> locked{};
  ASSERT_EQ(::pipe(locked.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    RunFolder folder(base_);
    folder.open(RunStart::fresh);
    EXPECT_EQ(::write(locked[1], "x", 1), 1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  ASSERT_EQ(::read(locked[0], &byte, 1), 1);
  EXPECT_THROW(RunFolder(base_).open(RunStart::fresh), Error);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(files(), std::vector<std::string>{".mote-lock"});
  { RunFolder(base_).open(RunStart::fresh); }
  EXPECT_TRUE(files().empty());
}

TEST_F(RunFolderTest, AForeignFileInPlaceOfTheLockStays) {
  make(".mote-lock");
  EXPECT_THROW(RunFolder(base_).open(RunStart::fresh), Error);
  EXPECT_EQ(files(), std::vector<std::string>{".mote-lock"});
}

TEST_F(RunFolderTest, WithoutLocksItWarns) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!deny_calls({{SYS_fcntl, ENOLCK, true, F_OFD_SETLK}})) ::_exit(77);
    ::dup2(ends[1], STDERR_FILENO);
    { RunFolder(base_).open(RunStart::fresh); }
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, ::read(ends[0], text.data(), 4096))));
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no calls can be denied here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_NE(text.find("warning: "), std::string::npos) << text;
  EXPECT_NE(text.find("no locks"), std::string::npos) << text;
}

TEST_F(RunFolderTest, OneOfManyRunsStartedAtOnceGetsTheFolder) {
  constexpr int kRuns = 16;
  std::array<int, 2> gate{};
  ASSERT_EQ(::pipe(gate.data()), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < kRuns; ++i) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    ::close(gate[1]);
    char byte = 0;
    while (::read(gate[0], &byte, 1) > 0) continue;
    RunFolder own(base_ / "sweep" / std::to_string(i)), shared(base_ / "deep/shared");
    own.open(RunStart::fresh);
    std::ofstream(own.scene(kSplatModel, 1, "ply")) << "x";
    try {
      shared.open(RunStart::fresh);
      std::ofstream(shared.path() / "config.json") << R"({"#version": "1", "data": "x"})";
    } catch (const Error&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(gate[0]);
  ::close(gate[1]);
  int winners = 0;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    winners += WEXITSTATUS(status) == 0 ? 1 : 0;
  }
  EXPECT_EQ(winners, 1);
  for (int i = 0; i < kRuns; ++i) {
    EXPECT_TRUE(fs::exists(base_ / "sweep" / std::to_string(i) / "splat_1.ply")) << i;
  }
}

}  // namespace
}  // namespace mote
