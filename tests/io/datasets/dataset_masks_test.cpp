// Missing masks and unreadable folders are always reported.
#include "dataset_faults_fixture.h"
#include "support/files/locked_folder.h"

namespace mote {
namespace {

class DatasetMasks : public DatasetFaults {
 protected:
  void write_mask(const std::string& name) const {
    fs::create_directories((folder_ / name).parent_path());
    write_png(pattern_image(20, 16, 1, 2), folder_ / name);
  }
  void expect_phrases(const std::string& text, const std::vector<std::string>& phrases) const {
    for (const std::string& phrase : phrases) {
      EXPECT_NE(text.find(phrase), std::string::npos) << phrase << " in: " << text;
    }
  }
};

TEST_F(DatasetMasks, ANamedFolderWithoutMasksIsAnErrorWithTheExpectedNames) {
  write_dataset(5);
  write_mask("other/mask_000.png");
  expect_phrases(message({.masks = "other"}),
                 {(folder_ / "other").string(), "no mask for any of the 5 photographs",
                  "view_00.png.png or view_00.png", "leave --masks out"});
  fs::create_directories(folder_ / "empty");
  expect_phrases(message({.masks = "empty"}), {"no mask for any"});
}

TEST_F(DatasetMasks, AMaskFolderOfTheDatasetWithoutMasksIsAWarning) {
  write_dataset(5);
  write_mask("masks/mask_000.png");
  expect_left(5, {(folder_ / "masks").string(), "no mask for any of the 5 photographs",
                  "view_00.png.png", "--masks"});
}

TEST_F(DatasetMasks, MissingMasksAreCountedAndTheFirstIsNamed) {
  write_dataset(9);
  for (const char* name : {"view_00.png", "view_02.png.png", "view_03.png"}) {
    write_mask(std::string("mine/") + name);
  }
  const Dataset dataset = load({.masks = "mine"});
  ASSERT_EQ(dataset.warnings.size(), 1u);
  expect_phrases(dataset.warnings[0],
                 {"6 of 9 photographs have no mask", "view_01.png, view_04.png", "and 2 more"});
}

TEST_F(DatasetMasks, ANamedFolderOverridesTheMasksOfTheDataset) {
  write_dataset(1);
  fs::remove_all(folder_ / "sparse");
  write_bytes(folder_ / "transforms.json", R"({"fl_x": 20, "frames": [{"file_path":
      "images/view_00.png", "mask_path": "theirs/a.png", "transform_matrix":
      [[1,0,0,0],[0,1,0,0],[0,0,1,4],[0,0,0,1]]}]})");
  write_mask("theirs/a.png");
  write_mask("mine/view_00.png");
  EXPECT_EQ(load().photographs[0].mask, folder_ / "theirs/a.png");
  EXPECT_EQ(load({.masks = "mine"}).photographs[0].mask, folder_ / "mine/view_00.png");
}

TEST_F(DatasetMasks, AFileInPlaceOfTheFolderAndAMissingFolderHaveDifferentMessages) {
  write_dataset(3);
  write_bytes(folder_ / "file", "x");
  expect_phrases(message({.masks = "file"}), {"file", "is a file", "--masks"});
  expect_phrases(message({.masks = "none"}), {"none", "does not exist", "--masks"});
}

TEST_F(DatasetMasks, UnreadableFoldersAreNamedWithARemedy) {
  write_dataset(3);
  write_mask("masks/view_00.png");
  for (const char* name : {"masks", "images", "sparse", "sparse/0"}) {
    SCOPED_TRACE(name);
    const LockedFolder locked(folder_ / name);
    expect_phrases(message(), {(folder_ / name).string() + ":", "Permission denied",
                               "change its permissions", "chmod u+rx"});
  }
  const LockedFolder locked(folder_ / "masks");
  expect_phrases(message({.masks = "masks"}), {"Permission denied", "chmod u+rx"});
}

TEST_F(DatasetMasks, AnUnreadableFolderOfFramesIsNamed) {
  write_dataset(1);
  fs::remove_all(folder_ / "sparse");
  write_bytes(folder_ / "transforms.json", R"({"fl_x": 20, "frames": [{"file_path":
      "images/view_00.png", "transform_matrix": [[1,0,0,0],[0,1,0,0],[0,0,1,4],[0,0,0,1]]}]})");
  const LockedFolder locked(folder_ / "images");
  expect_phrases(message(), {(folder_ / "images").string() + ":", "chmod u+rx"});
}

}  // namespace
}  // namespace mote
