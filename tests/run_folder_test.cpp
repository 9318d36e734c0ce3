// The folder of a training run: what counts as a run, what is cleared, and who may write there.
#include "train/run_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "core/error.h"

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

TEST_F(RunFolderTest, HoldsARunWhereOneWasStarted) {
  EXPECT_FALSE(RunFolder(base_).holds_run());
  EXPECT_FALSE(RunFolder(base_ / "none").holds_run());
  make("splat_x.ply");
  make("splat_7.spz");
  EXPECT_FALSE(RunFolder(base_).holds_run());
  make("splat_7.ply");
  EXPECT_TRUE(RunFolder(base_).holds_run());
  make("a/config.json");
  EXPECT_TRUE(RunFolder(base_ / "a").holds_run());
}

TEST_F(RunFolderTest, TheNewestSceneIsThatOfTheMostSteps) {
  EXPECT_FALSE(RunFolder(base_).newest_scene());
  for (const char* name : {"splat_900.ply", "splat_30000.ply", "splat_7000.ply", "splat_99999.spz",
                           "splat_40000.ply.partial-3"}) {
    make(name);
  }
  EXPECT_EQ(RunFolder(base_).newest_scene()->filename(), "splat_30000.ply");
}

TEST_F(RunFolderTest, ClearingRemovesWhatRunsLeaveAndNothingElse) {
  const std::vector<std::string> others{"cameras.txt",   "checkpoints/mine.bin", "eval/notes.md",
                                        "eval/step_x/a", "holiday.ply",          "splat_7000",
                                        "splatter.ply"};
  for (const std::string& name : others) make(name);
  for (const char* name :
       {"config.json", "train.log", "metrics.csv", "metrics.svg", "stats.json", "cameras.json",
        "splat_7000.ply", "splat_30000.spz", "checkpoints/ckpt_000001000.bin",
        "checkpoints/ckpt_000002000.bin.partial-77", "eval/step_7000/gt/a.png",
        "eval/step_7000/metrics.json", "stats.json.partial-12"}) {
    make(name);
  }
  RunFolder(base_).clear();
  EXPECT_EQ(files(), others);
}

TEST_F(RunFolderTest, UnfinishedFilesAreRemovedAndWholeOnesStay) {
  make("eval/step_10/gt/a.png");
  make("eval/step_10/gt/b.png.partial-4711");
  make("splat_10.ply.partial-1");
  make("my.partial-work");
  RunFolder(base_).remove_unfinished();
  EXPECT_EQ(files(), (std::vector<std::string>{"eval/step_10/gt/a.png", "my.partial-work"}));
}

TEST_F(RunFolderTest, CheckingLeavesNothingBehindAndRefusesWhatCannotBeWritten) {
  RunFolder(base_ / "a/b/c").check_usable();
  EXPECT_FALSE(fs::exists(base_ / "a"));
  RunFolder(base_).check_usable();
  EXPECT_TRUE(files().empty());
  make("file");
  EXPECT_THROW(RunFolder(base_ / "file").check_usable(), Error);
  EXPECT_THROW(RunFolder(base_ / "file/below").check_usable(), Error);
  EXPECT_THROW(RunFolder("/proc/mote").check_usable(), Error);
  EXPECT_THROW(RunFolder("/proc").check_usable(), Error);
}

TEST_F(RunFolderTest, TwoRunsCannotShareIt) {
  {
    RunFolder first(base_);
    first.open();
    RunFolder second(base_);
    EXPECT_THROW(second.open(), Error);
  }
  RunFolder third(base_);
  third.open();
}

}  // namespace
}  // namespace mote
