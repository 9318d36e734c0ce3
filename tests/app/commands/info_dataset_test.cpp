// `mote info DATASET`: descriptions of both kinds of datasets, and of their errors.
#include <nlohmann/json.hpp>

#include "io/images/image_files.h"
#include "support/dataset_fixture.h"
#include "support/program_fixture.h"

namespace mote {
namespace {

using nlohmann::json;

class InfoDataset : public Program {
 protected:
  /// Views of 20x16 px with pictures of `channels`, without poses.
  std::vector<View> write_pictures(int views, int channels = 3) const {
    const std::vector<View> all = tiny_views({.views = views, .width = 20, .height = 16});
    fs::create_directories(folder_ / "data/images");
    for (const View& view : all) {
      write_png(pattern_image(20, 16, channels, 1), folder_ / "data/images" / (view.name + ".png"));
    }
    return all;
  }
  json info(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words{"info", path("data"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return json::parse(outcome.out);
  }
};

TEST_F(InfoDataset, AColmapModelIsCountedWithMissingAndDamagedPhotographs) {
  write_colmap_text(folder_ / "data/sparse/0", write_pictures(12));
  write_bytes(folder_ / "data/sparse/0/points3D.txt", "1 0 0 0 1 2 3 0.5\n2 1 0 0 1 2 3 0.5\n");
  fs::remove(path("data/images/view_02.png"));
  fs::resize_file(path("data/images/view_05.png"), 60);
  write_png(pattern_image(16, 20, 3, 1), path("data/images/view_06.png"));
  fs::create_directories(path("data/masks"));
  write_png(pattern_image(20, 16, 1, 2), path("data/masks/view_03.png"));

  const json found = info();
  EXPECT_EQ(found["dataset"], path("data"));
  EXPECT_EQ(found["format"], "COLMAP model");
  EXPECT_EQ(found["photographs"], json::parse(R"({"listed": 12, "used": 9, "missing": 1,
      "repeated": 0, "damaged": 2, "hidden": 0, "in_no_split": 0,
      "unusable_lens": 0, "in_linear_light": 0, "with_mask": 1, "with_alpha": 0})"));
  const json size{{"width", 20}, {"height", 16}};
  EXPECT_EQ(found["kinds"], json::array({{{"camera_model", "PINHOLE"},
                                          {"photographs", 9},
                                          {"undistorted", false},
                                          {"stored", size},
                                          {"without_lens", size},
                                          {"trained", size}}}));
  EXPECT_EQ(found["points"], 2);
  EXPECT_EQ(found["split"], json::parse(R"({"train": 7, "test": 2, "by": "place"})"));
  EXPECT_EQ(found["decoded_bytes"], 9 * 20 * 16 * 3 + 20 * 16);
  EXPECT_EQ(found["warnings"].size(), 3u);

  const Outcome text = run({"info", path("data")});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* phrase : {"COLMAP model", "9 of 12, 1 missing, 2 damaged", "PINHOLE, 20x16",
                             "7 for training, 2 for testing", "warning: ", "view_02.png"}) {
    EXPECT_NE(text.out.find(phrase), std::string::npos) << phrase << " in\n" << text.out;
  }
}

TEST_F(InfoDataset, ATransformsFileShowsLensAlphaSplitAndTheRequestedSize) {
  write_pictures(3, 4);
  json file{{"fl_x", 20}, {"k1", -0.1}, {"frames", json::array()}};
  json matrix = json::parse("[[1,0,0,0],[0,1,0,0],[0,0,1,4],[0,0,0,1]]");
  for (const char* name : {"images/view_00.png", "images/view_01.png", "images/view_02.png"}) {
    matrix[0][3] = matrix[0][3].get<double>() + 1;
    file["frames"].push_back({{"file_path", name}, {"transform_matrix", matrix}});
  }
  file["train_filenames"] = {"images/view_00.png", "images/view_02.png"};
  file["test_filenames"] = {"images/view_01.png"};
  write_bytes(path("data/transforms.json"), file.dump());

  const json found = info({"--resize", "0.5"});
  EXPECT_EQ(found["format"], "transforms.json");
  EXPECT_EQ(found["photographs"]["with_alpha"], 3);
  ASSERT_EQ(found["kinds"].size(), 1u);
  const json& kind = found["kinds"][0];
  EXPECT_EQ(kind["camera_model"], "OPENCV");
  EXPECT_EQ(kind["undistorted"], true);
  EXPECT_EQ(kind["stored"]["width"], 20);
  EXPECT_LE(kind["trained"]["width"], 10);
  EXPECT_EQ(found["split"], json::parse(R"({"train": 2, "test": 1, "by": "dataset"})"));
  EXPECT_EQ(info()["decoded_bytes"], json(4 * found["decoded_bytes"].get<int>()));
  const Outcome text = run({"info", path("data/transforms.json"), "--resize", "0.5"});
  EXPECT_NE(text.out.find("OPENCV, 20x16, undistorted to "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("resized to"), std::string::npos) << text.out;
}

TEST_F(InfoDataset, TheExtentIsTheOneThatTrainingUses) {
  write_colmap_text(folder_ / "data/sparse/0", write_pictures(4));
  EXPECT_NEAR(info()["extent"].get<double>(), 1.1 * 4, 1.2);
  std::vector<View> views = write_pictures(4);
  for (View& view : views) view.camera.translation = {0, 0, 0};
  write_colmap_text(folder_ / "data/sparse/0", views);
  EXPECT_EQ(info()["extent"], 0.1);
  const Outcome text = run({"info", path("data")});
  EXPECT_NE(text.out.find("0.1 world units, of the visible region"), std::string::npos);
  EXPECT_NE(text.out.find("all 3 training cameras"), std::string::npos) << text.out;
}

TEST_F(InfoDataset, ADatasetUnfitForTrainingEndsWithExitCodeOneAndAMessage) {
  fs::create_directories(path("empty"));
  expect_refusal({"info", path("empty")}, 1, {path("empty"), "without cameras", "; "});
  expect_refusal({"info", path("empty"), "--json"}, 1, {path("empty")});
  expect_refusal({"info", path("nothing")}, 1, {"nothing", "No such file"});
  write_colmap_text(folder_ / "data/sparse/0", write_pictures(2));
  expect_refusal({"info", path("data"), "--images", "no_such"}, 1, {"no_such"});
  expect_refusal({"info", path("data"), "--resize", "0"}, 2, {"--resize"});
  fs::remove_all(path("data/images"));
  expect_refusal({"info", path("data")}, 1, {"none of the 2 listed photographs", "--images"});
  write_bytes(path("data/sparse/0/cameras.txt"), "1 EQUIRECTANGULAR 20 16 20 16\n");
  expect_refusal({"info", path("data")}, 1, {"EQUIRECTANGULAR"});
  write_bytes(path("broken/transforms.json"), "{\"frames\": [");
  expect_refusal({"info", path("broken")}, 1, {"transforms.json"});
  expect_refusal({"info", write_scene(), "--resize", "0.5"}, 2, {"--resize", "scene.ply"});
}

}  // namespace
}  // namespace mote
