// Training and test views of datasets whose files name them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/spelling.h"
#include "io/datasets/camera_source.h"
#include "io/datasets/dataset_source.h"
#include "io/images/image_files.h"
#include "support/dataset_fixture.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Names = std::vector<std::string>;

class DatasetSplit : public ::testing::Test {
 protected:
  DatasetSplit()
      : folder_(fs::path(::testing::TempDir()) / ("split_" + std::to_string(::getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "test");
    for (char name = 'a'; name <= 'f'; ++name) {
      write_png(pattern_image(20, 16, 3, 1), folder_ / "test" / (std::string(1, name) + ".png"));
    }
  }
  ~DatasetSplit() override { fs::remove_all(folder_); }

  /// Frames with the names `prefix`a.png to `prefix`f.png and these lists.
  void write(const json& lists, const std::string& prefix = "test/",
             const std::string& file = "transforms.json") const {
    json whole{{"fl_x", 20}, {"frames", json::array()}};
    whole.update(lists);
    json matrix = json::parse("[[1,0,0,0],[0,1,0,0],[0,0,1,4],[0,0,0,1]]");
    for (char name = 'a'; name <= 'f'; ++name) {
      matrix[0][3] = name - 'a';
      whole["frames"].push_back(
          {{"file_path", prefix + name + ".png"}, {"transform_matrix", matrix}});
    }
    write_bytes(folder_ / file, whole.dump());
  }
  LoadedDataset load() const { return load_dataset(folder_, {}); }
  static Names names(const Dataset& dataset, const std::vector<std::uint32_t>& indices) {
    Names result;
    for (const std::uint32_t index : indices) result.push_back(dataset.photographs[index].name);
    return result;
  }
  static bool has(const std::vector<std::string>& phrases, const std::string& part) {
    return std::ranges::any_of(
        phrases, [&](const std::string& one) { return one.find(part) != std::string::npos; });
  }
  void expect_split(const Names& train, const Names& test) const {
    const Dataset dataset = load().dataset;
    EXPECT_EQ(names(dataset, dataset.train), train);
    EXPECT_EQ(names(dataset, dataset.test), test);
  }

  fs::path folder_;
};

TEST_F(DatasetSplit, FramesInNoListAreLeftOutAndCounted) {
  write({{"train_filenames", {"test/a.png", "test/d.png", "test/e.png"}},
         {"test_filenames", {"test/b.png"}}});
  expect_split({"a", "d", "e"}, {"b"});
  const LoadedDataset loaded = load();
  EXPECT_TRUE(has(loaded.dataset.notes, "2 of 6 frames are in no list"));
  EXPECT_EQ(loaded.facts.unused, 2u);
  EXPECT_TRUE(loaded.dataset.warnings.empty());
  // The cameras of all frames are requested.
  EXPECT_EQ(load_views(folder_).views.size(), 6u);
}

TEST_F(DatasetSplit, ValidationViewsAreTestViewsOnlyIfThereAreNoOthers) {
  json lists{{"train_filenames", {"test/a.png", "test/d.png", "test/e.png"}},
             {"val_filenames", {"test/c.png", "test/f.png"}},
             {"test_filenames", {"test/b.png"}}};
  write(lists);
  expect_split({"a", "d", "e"}, {"b"});
  EXPECT_TRUE(has(load().dataset.notes, "2 frames of val_filenames are left out"));
  lists.erase("test_filenames");
  write(lists);
  expect_split({"a", "d", "e"}, {"c", "f"});
}

TEST_F(DatasetSplit, ASingleListIsEnough) {
  write({{"test_filenames", {"test/b.png"}}});
  expect_split({"a", "c", "d", "e", "f"}, {"b"});
  EXPECT_TRUE(has(load().dataset.notes, "no train_filenames"));
  write({{"train_filenames", {"test/b.png", "test/c.png"}}});
  expect_split({"b", "c"}, {});
  EXPECT_TRUE(has(load().dataset.warnings, "no test photograph"));
}

TEST_F(DatasetSplit, EquivalentSpellingsOfNamesMatch) {
  write({{"train_filenames", {"test//a.png", "./test/../test/d.png"}},
         {"test_filenames", {"test\\b.png", (folder_ / "test/c.png").string()}}},
        "./test/");
  expect_split({"a", "d"}, {"b", "c"});
  EXPECT_TRUE(load().dataset.warnings.empty());
}

TEST_F(DatasetSplit, NamesOfNoFrameAndNamesInTwoListsAreWarnings) {
  write({{"train_filenames", {"test/a.png", "test/b.png", "test/x.png"}},
         {"test_filenames", {"test/b.png"}}});
  expect_split({"a"}, {"b"});
  const std::vector<std::string> warnings = load().dataset.warnings;
  EXPECT_TRUE(has(warnings, "1 frame is listed both")) << ::testing::PrintToString(warnings);
  EXPECT_TRUE(has(warnings, "1 of 4 names")) << ::testing::PrintToString(warnings);
  EXPECT_TRUE(has(warnings, "test/x.png"));
}

TEST_F(DatasetSplit, ListsThatNameNoFrameAtAllAreAnError) {
  write({{"train_filenames", {"elsewhere/a.png"}}});
  try {
    load();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("none of the 6 frames"), std::string::npos);
    EXPECT_NE(error.remedy().find("remove the lists"), std::string::npos);
  }
}

TEST_F(DatasetSplit, AValidationFileBesideATestFileIsReportedAsLeftOut) {
  write(json::object(), "test/", "transforms_train.json");
  write(json::object(), "./test/../test/", "transforms_val.json");
  EXPECT_FALSE(has(load().dataset.notes, "transforms_val.json is left out"));
  write(json::object(), "./test/../test/", "transforms_test.json");
  EXPECT_TRUE(has(load().dataset.notes, "transforms_val.json is left out"));
}

/// Photographs without a split, taken along a walk, as a COLMAP model.
class FewPhotographs : public DatasetSplit {
 protected:
  void write_walk(int count) const {
    fs::remove_all(folder_);
    std::vector<View> views;
    for (int i = 0; i < count; ++i) {
      Camera camera;
      camera.width = 20;
      camera.height = 16;
      camera.focal_px = {16, 16};
      camera.center_px = {10, 8};
      camera.translation = {-0.8 * i, 0, 0};
      views.push_back({std::string(1, static_cast<char>('a' + i)), camera});
      write_bytes(folder_ / "images/x", "");
      write_png(pattern_image(20, 16, 3, 1), folder_ / "images" / (views.back().name + ".png"));
    }
    write_colmap_text(folder_ / "sparse/0", views);
    std::string points;
    for (int i = 0; i < 8 * count; ++i)
      points += std::to_string(i) + " " + std::to_string(0.1 * i) + " " +
                std::to_string(i % 3 - 1) + " 4 1 2 3 0.5\n";
    write_bytes(folder_ / "sparse/0/points3D.txt", points);
  }
  Dataset load_by(const std::string& choice, int every = 8) const {
    return load_dataset(folder_, {.test_every = every, .test_choice = choice}).dataset;
  }
};

TEST_F(FewPhotographs, BelowTwentyTestViewsLieAmongTheOthersWithANote) {
  write_walk(11);
  for (const int every : {8, 6, 100}) {
    const Dataset dataset = load_by("auto", every);
    ASSERT_EQ(dataset.test.size(), every == 100 ? 1u : 2u);
    EXPECT_GT(dataset.test.front(), 0u);
    EXPECT_LT(dataset.test.back(), 10u);
    const std::string name = dataset.photographs[dataset.test.front()].name;
    EXPECT_TRUE(has(dataset.notes, number_of(dataset.test.size(), "test photograph") + ": " + name))
        << ::testing::PrintToString(dataset.notes);
    EXPECT_TRUE(has(dataset.notes, "chosen among the others"));
    EXPECT_TRUE(has(dataset.notes, "--test-choice name"));
    EXPECT_TRUE(dataset.warnings.empty());
  }
  EXPECT_EQ(names(load_by("name"), load_by("name").test), (Names{"a", "i"}));
  EXPECT_TRUE(load_by("auto", 0).test.empty());
  EXPECT_EQ(load_dataset(folder_, {.resize = 0.5}).dataset.test, load_by("auto").test);
}

TEST_F(FewPhotographs, FromTwentyOnEveryEighthByNameIsATestView) {
  write_walk(20);
  EXPECT_EQ(names(load_by("auto"), load_by("auto").test), (Names{"a", "i", "q"}));
  write_walk(19);
  EXPECT_NE(names(load_by("auto"), load_by("auto").test), (Names{"a", "i", "q"}));
}

TEST_F(FewPhotographs, OneToThreeAreTrainedOnWithAWarning) {
  for (const int count : {1, 2, 3}) {
    write_walk(count);
    const Dataset dataset = load_by("auto");
    EXPECT_EQ(dataset.train.size(), static_cast<std::size_t>(count));
    EXPECT_TRUE(dataset.test.empty());
    EXPECT_TRUE(has(dataset.warnings, "there is no test view; use 20 or more")) << count;
    EXPECT_TRUE(has(dataset.notes, " 0 test photographs"));
  }
  write_walk(4);
  EXPECT_EQ(load_by("auto").test.size(), 1u);
  EXPECT_TRUE(load_by("auto").warnings.empty());
}

}  // namespace
}  // namespace mote
