// Folders of numbered splat files, recognised by their names.
#include "io/splats/splat_sequence.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "core/error.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class AFolderOfFrames : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::path(testing::TempDir()) /
              (std::string("mote_sequence_") + test->name() + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  void make(const Names& names) const {
    for (const std::string& name : names) std::ofstream(folder_ / name) << "x";
  }
  Names found() const {
    Names names;
    const auto sequence = find_sequence(folder_);
    if (!sequence) return names;
    EXPECT_EQ(sequence->folder, folder_);
    for (const fs::path& path : sequence->frames) names.push_back(path.filename().string());
    return names;
  }
  std::string refusal() const {
    try {
      find_sequence(folder_);
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), folder_.string());
      return error.problem();
    }
    return {};
  }

  fs::path folder_;
};

TEST_F(AFolderOfFrames, IsSortedByNumber) {
  make({"frame_10.ply", "frame_9.ply", "frame_0100.ply"});
  EXPECT_EQ(found(), (Names{"frame_9.ply", "frame_10.ply", "frame_0100.ply"}));
}

TEST_F(AFolderOfFrames, MayHaveGapsAndOtherNumbersInItsNames) {
  make({"take2_0003_v1.spz", "take2_0001_v1.SPZ", "take2_0700_v1.spz"});
  EXPECT_EQ(found(), (Names{"take2_0001_v1.SPZ", "take2_0003_v1.spz", "take2_0700_v1.spz"}));
}

TEST_F(AFolderOfFrames, MayContainOtherFiles) {
  make({"1.ply", "2.ply", "1.png", "notes.txt", ".3.ply", "cameras.json"});
  fs::create_directory(folder_ / "x.ply");
  EXPECT_EQ(found(), (Names{"1.ply", "2.ply"}));
}

TEST_F(AFolderOfFrames, HasAtLeastTwoFrames) {
  EXPECT_TRUE(found().empty());
  make({"frame_1.ply"});
  EXPECT_TRUE(found().empty());
  make({"frame_2.ply"});
  EXPECT_EQ(found().size(), 2u);
}

TEST_F(AFolderOfFrames, HasOneFormat) {
  make({"f1.ply", "f2.ply", "f3.spz"});
  EXPECT_NE(refusal().find("'f1.ply' and 'f3.spz' have different formats"), std::string::npos);
}

TEST_F(AFolderOfFrames, RecognisesTheLongerExtension) {
  make({"f1.compressed.ply", "f2.compressed.ply"});
  EXPECT_EQ(found().size(), 2u);
  make({"f3.ply"});
  EXPECT_NE(refusal().find("different formats"), std::string::npos);
}

TEST_F(AFolderOfFrames, ErrorsNameTwoConflictingFiles) {
  make({"frame_1.ply", "frame_2.ply", "mean.ply"});
  EXPECT_EQ(refusal(), "'frame_1.ply' and 'mean.ply' do not have names of frames of one scene");
}

TEST_F(AFolderOfFrames, DiffersInOnlyOneNumber) {
  make({"cam1_1.ply", "cam1_2.ply", "cam2_1.ply"});
  EXPECT_FALSE(refusal().empty());
  fs::remove(folder_ / "cam2_1.ply");
  EXPECT_EQ(found().size(), 2u);
  make({"cam2_2.ply"});
  fs::remove(folder_ / "cam1_2.ply");
  EXPECT_FALSE(refusal().empty());
}

TEST_F(AFolderOfFrames, DiffersInANumberNotInText) {
  make({"left.ply", "right.ply"});
  EXPECT_FALSE(refusal().empty());
}

TEST_F(AFolderOfFrames, HasEachNumberOnlyOnce) {
  make({"f1.ply", "f01.ply", "f2.ply"});
  EXPECT_NE(refusal().find("have the same number"), std::string::npos);
}

TEST_F(AFolderOfFrames, SortsNumbersOfAnyLength) {
  const std::string nines(180, '9'), one = "1" + std::string(180, '0');
  make({one + ".ply", nines + ".ply", "0.ply", "00007.ply"});
  EXPECT_EQ(found(), (Names{"0.ply", "00007.ply", nines + ".ply", one + ".ply"}));
}

TEST_F(AFolderOfFrames, AcceptsAnyNames) {
  make({"a b\n1'\".ply", "a b\n2'\".ply"});
  EXPECT_EQ(found().size(), 2u);
  make({"\xFF\xFE.ply"});
  EXPECT_FALSE(refusal().empty());
}

TEST_F(AFolderOfFrames, MustExist) {
  EXPECT_THROW(find_sequence(folder_ / "missing"), Error);
}

}  // namespace
}  // namespace mote
