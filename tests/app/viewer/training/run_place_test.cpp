// The folder that the viewer proposes for a run.
#include "app/viewer/training/run_place.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace mote {
namespace {

namespace fs = std::filesystem;

class ARunsPlace : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("mote_run_place_" + std::to_string(::getpid()));
    fs::create_directories(folder_ / "garden");
    ::setenv("XDG_DATA_HOME", (folder_ / "share").c_str(), 1);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void make_run(const fs::path& place) const {
    fs::create_directories(place);
    std::ofstream(place / "config.json") << R"({"#version": "1", "data": "x"})";
  }

  fs::path folder_;
};

TEST_F(ARunsPlace, IsInTheFolderOfTheDataset) {
  EXPECT_EQ(proposed_run_folder(folder_ / "garden"), folder_ / "garden/output");
  EXPECT_EQ(proposed_run_folder((folder_ / "garden").string() + "/"), folder_ / "garden/output");
  std::ofstream(folder_ / "garden/transforms.json") << "{}";
  EXPECT_EQ(proposed_run_folder(folder_ / "garden/transforms.json"), folder_ / "garden/output");
  EXPECT_FALSE(fs::exists(folder_ / "garden/output")) << "nothing is made";
}

TEST_F(ARunsPlace, LeavesEarlierRunsAlone) {
  make_run(folder_ / "garden/output");
  EXPECT_EQ(proposed_run_folder(folder_ / "garden"), folder_ / "garden/output_2");
  make_run(folder_ / "garden/output_2");
  EXPECT_EQ(proposed_run_folder(folder_ / "garden"), folder_ / "garden/output_3");
}

TEST_F(ARunsPlace, IsInTheUsersFolderIfTheDatasetsIsReadOnly) {
  // Nobody may write there, not even root.
  EXPECT_EQ(proposed_run_folder("/proc/sys"), folder_ / "share/mote/sys");
  make_run(folder_ / "share/mote/sys");
  EXPECT_EQ(proposed_run_folder("/proc/sys"), folder_ / "share/mote/sys_2");
  ::setenv("XDG_DATA_HOME", "relative", 1);
  ::setenv("HOME", folder_.c_str(), 1);
  EXPECT_EQ(data_folder(), folder_ / ".local/share/mote");
}

}  // namespace
}  // namespace mote
