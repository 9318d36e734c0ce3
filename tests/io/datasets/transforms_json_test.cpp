// Cameras of transforms.json: the three dialects, names, and every kind of error.
#include "io/datasets/transforms_json.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <glm/geometric.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "core/error.h"
#include "io/datasets/camera_source.h"

namespace mote {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class TransformsJson : public ::testing::Test {
 protected:
  TransformsJson()
      : folder_(fs::path(::testing::TempDir()) / ("transforms_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~TransformsJson() override { fs::remove_all(folder_); }

  ViewSet read_text(const std::string& text, std::optional<ImageSize> fallback = {}) {
    std::ofstream(file()) << text;
    return as_views(read_transforms_json(file(), {.fallback_size = fallback}).posed,
                    file().string());
  }
  ViewSet read(const json& value, std::optional<ImageSize> fallback = {}) {
    return read_text(value.dump(), fallback);
  }
  std::string message_of_text(const std::string& text) {
    try {
      read_text(text);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(file().string()), std::string::npos) << error.what();
      EXPECT_FALSE(error.remedy().empty());
      return error.what();
    }
    return "";
  }
  std::string message_of(const json& value) { return message_of_text(value.dump()); }
  fs::path file() const { return folder_ / "transforms.json"; }

  fs::path folder_;
};

const json kIdentity = json::parse("[[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]]");

json one_frame(const std::string& path = "images/0001.jpg") {
  return {{"w", 200},
          {"h", 100},
          {"fl_x", 150.0},
          {"frames", {{{"file_path", path}, {"transform_matrix", kIdentity}}}}};
}

TEST_F(TransformsJson, AnOpenGlCameraBecomesOneThatLooksAlongPlusZ) {
  json file = one_frame();
  file["frames"][0]["transform_matrix"] = json::parse("[[1,0,0,1],[0,1,0,2],[0,0,1,3],[0,0,0,1]]");
  const Camera camera = read(file).views.at(0).camera;
  const glm::dvec3 eye = camera.position_world();
  EXPECT_NEAR(glm::length(eye - glm::dvec3(1, 2, 3)), 0, 1e-12);
  const glm::dvec3 ahead = camera.cam_from_world * glm::dvec3(1, 2, -7) + camera.translation;
  EXPECT_NEAR(glm::length(ahead - glm::dvec3(0, 0, 10)), 0, 1e-12);
  const glm::dvec3 above = camera.cam_from_world * glm::dvec3(1, 3, 3) + camera.translation;
  EXPECT_NEAR(glm::length(above - glm::dvec3(0, -1, 0)), 0, 1e-12);
}

TEST_F(TransformsJson, AFieldOfViewAloneTakesTheSizeFromImagesThenFromTheCaller) {
  json file = one_frame("./train/r_0");
  file.erase("w");
  file.erase("h");
  file.erase("fl_x");
  file["camera_angle_x"] = 0.8;
  const View view = read(file, ImageSize{400, 300}).views.at(0);
  EXPECT_EQ(view.name, "r_0");
  EXPECT_EQ(view.camera.width, 400);
  EXPECT_NEAR(view.camera.focal_px.x, 200 / std::tan(0.4), 1e-9);
  EXPECT_EQ(view.camera.focal_px.x, view.camera.focal_px.y);
  EXPECT_EQ(view.camera.center_px, glm::dvec2(200, 150));
  EXPECT_NE(message_of(file).find("--size"), std::string::npos);

  fs::create_directories(folder_ / "train");
  Image image;
  image.resize_discard(80, 60, 3);
  std::fill(image.pixels.span().begin(), image.pixels.span().end(), 0.5f);
  write_png(image, folder_ / "train/r_0.png");
  const Camera camera = read(file, ImageSize{400, 300}).views.at(0).camera;
  EXPECT_EQ(camera.width, 80);
  EXPECT_EQ(camera.height, 60);
}

TEST_F(TransformsJson, IntrinsicsOfAFrameOverrideThoseOfTheFile) {
  json file = one_frame();
  file["frames"].push_back(file["frames"][0]);
  file["frames"][1]["file_path"] = "b.png";
  file["frames"][1].update(
      {{"w", 50}, {"h", 40}, {"camera_angle_x", 1.0}, {"fl_y", 33}, {"cx", 7}});
  const auto views = read(file).views;
  EXPECT_EQ(views.at(0).camera.focal_px, glm::dvec2(150, 150));
  EXPECT_EQ(views.at(1).camera.width, 50);
  EXPECT_NEAR(views.at(1).camera.focal_px.x, 25 / std::tan(0.5), 1e-9);
  EXPECT_EQ(views.at(1).camera.focal_px.y, 33);
  EXPECT_EQ(views.at(1).camera.center_px, glm::dvec2(7, 20));
}

TEST_F(TransformsJson, AMatrixOfThreeRowsIsAccepted) {
  json file = one_frame();
  file["frames"][0]["transform_matrix"].erase(3);
  EXPECT_EQ(read(file).views.size(), 1u);
}

TEST_F(TransformsJson, LensDistortionIsAWarning) {
  json file = one_frame();
  file["k1"] = 0.0;
  EXPECT_TRUE(read(file).warnings.empty());
  file["k1"] = 0.1;
  EXPECT_EQ(read(file).warnings.size(), 1u);
  file = one_frame();
  file["camera_model"] = "OPENCV_FISHEYE";
  EXPECT_EQ(read(file).warnings.size(), 1u);
}

TEST_F(TransformsJson, RepeatedStemsKeepTheirFoldersAndNamesStayInTheOutputFolder) {
  json file = one_frame("left/1.png");
  for (const char* path : {"right/1.png", "2.5", "../../etc/passwd", "/2.png", "2.png", ""}) {
    file["frames"].push_back({{"file_path", path}, {"transform_matrix", kIdentity}});
  }
  const std::vector<std::string> expected{"left/1", "right/1", "2.5",   "passwd",
                                          "2",      "2_2",     "view_6"};
  const auto views = read(file).views;
  ASSERT_EQ(views.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(views[i].name, expected[i]);
}

TEST_F(TransformsJson, MessagesNameTheFrameAndTheKey) {
  const auto broken = [](const char* key, const json& value) {
    json file = one_frame("photos/7.png");
    file["frames"][0][key] = value;
    return file;
  };
  const json matrices[] = {json::parse("[[1,0,0,0],[0,1,0,0],[0,0,0,0],[0,0,0,1]]"),
                           json::parse("[[2,0,0,0],[0,2,0,0],[0,0,2,0],[0,0,0,1]]"),
                           json::parse("[[1,0,0,0],[0,1,0,0],[0,0,-1,0],[0,0,0,1]]"),
                           json::parse("[[1,0,0,0],[0,1,0,0],[0,0,1,0],[5,0,0,1]]"),
                           json::parse("[[1,0,0,0],[0,1,0,0],[0,0,null,0],[0,0,0,1]]"),
                           json::parse("[[1,0,0],[0,1,0],[0,0,1]]"),
                           json::parse("[]"),
                           json(3),
                           json(nullptr)};
  for (const json& matrix : matrices) {
    const std::string message = message_of(broken("transform_matrix", matrix));
    EXPECT_NE(message.find("frame 0 (photos/7.png), transform_matrix"), std::string::npos)
        << matrix << ": " << message;
  }
  const std::pair<const char*, json> values[] = {
      {"w", 0},      {"w", -5},      {"w", 1e9},          {"w", 10.5},
      {"h", "tall"}, {"fl_x", 0},    {"fl_x", "long"},    {"fl_y", -1},
      {"cx", true},  {"k1", "none"}, {"h", json::array()}};
  for (const auto& [key, value] : values) {
    const std::string message = message_of(broken(key, value));
    EXPECT_NE(message.find(std::string("frame 0 (photos/7.png), ") + key), std::string::npos)
        << key << value << ": " << message;
  }
  EXPECT_NE(message_of(broken("file_path", 5)).find("frame 0, file_path"), std::string::npos);
  EXPECT_NE(message_of(broken("file_path", "a\nb")).find("control characters"), std::string::npos);
  EXPECT_NE(message_of(broken("camera_model", "VR180_L")).find("VR180_L"), std::string::npos);
  json scaled = broken("transform_matrix", matrices[1]);
  EXPECT_NE(message_of(scaled).find("scale of 2"), std::string::npos);
}

TEST_F(TransformsJson, PythonsNanAndInfinityCostOnlyTheirFrame) {
  json file = one_frame("a\"NaN, Infinity.png");
  for (const char* path : {"b.png", "c.png", "d.png"}) {
    file["frames"].push_back({{"file_path", path}, {"transform_matrix", kIdentity}});
  }
  std::size_t changed = 1;
  std::string words[] = {"NaN", "Infinity", "-Infinity"};
  for (const std::string& word : words) {
    file["frames"][changed++]["transform_matrix"][1][3] = "<" + word + ">";
  }
  std::string text = file.dump();
  for (const std::string& word : words) {
    const std::string marked = "\"<" + word + ">\"";
    text.replace(text.find(marked), marked.size(), word);
  }
  const ViewSet set = read_text(text);
  ASSERT_EQ(set.views.size(), 1u);
  EXPECT_NE(set.views[0].name.find("\"NaN, Infinity"), std::string::npos) << set.views[0].name;
  ASSERT_EQ(set.warnings.size(), 1u);
  for (const char* phrase :
       {"3 of 4", "frame 1 (b.png)", "the first: transform_matrix", "\"NaN\""}) {
    EXPECT_NE(set.warnings[0].find(phrase), std::string::npos) << set.warnings[0];
  }
  // If no frame may be left out, the message names the value.
  EXPECT_NE(message_of_text(R"({"w": 10, "h": 10, "fl_x": NaN, "frames": [{"file_path": "a"}]})")
                .find("fl_x"),
            std::string::npos);
}

TEST_F(TransformsJson, AFrameWithoutAMatrixIsLeftOutAndTheKeyNamed) {
  json file = one_frame();
  file["frames"].push_back({{"file_path", "b.png"}});
  const ViewSet set = read(file);
  ASSERT_EQ(set.warnings.size(), 1u);
  EXPECT_NE(set.warnings[0].find("the first: transform_matrix is missing"), std::string::npos)
      << set.warnings[0];
}

TEST_F(TransformsJson, FramesWithoutANameAreLeftOutIfImagesAreNeeded) {
  json file = one_frame();
  file["frames"].push_back({{"transform_matrix", kIdentity}});
  std::ofstream(this->file()) << file.dump();
  EXPECT_EQ(read_transforms_json(this->file()).posed.images.size(), 2u);
  const PosedImages posed = read_transforms_json(this->file(), {.images_needed = true}).posed;
  EXPECT_EQ(posed.images.size(), 1u);
  ASSERT_EQ(posed.warnings.size(), 1u);
  EXPECT_NE(posed.warnings[0].find("1 of 2 frames have no file_path and are left out: frame 1"),
            std::string::npos)
      << posed.warnings[0];
}

TEST_F(TransformsJson, AFileWithoutIntrinsicsIsRefusedWithTheKeysToAdd) {
  json file = one_frame();
  file.erase("fl_x");
  const std::string message = message_of(file);
  EXPECT_NE(message.find("no intrinsics"), std::string::npos);
  EXPECT_NE(message.find("camera_angle_x"), std::string::npos);
}

TEST_F(TransformsJson, AFileThatIsNotACameraFileIsAnError) {
  const std::string deep(100000, '[');
  for (const std::string& text :
       {std::string(""), std::string("{"), std::string("[]"), std::string("{}"), std::string("7"),
        std::string(R"({"frames": 3})"), std::string(R"({"frames": []})"),
        std::string(R"({"frames": [3]})"), std::string(R"({"frames": [{}]})"),
        std::string(R"({"w": NaN, "frames": [{}]})"),
        std::string(R"({"w": 1e999, "frames": [{}]})"), deep,
        R"({"frames": [{"transform_matrix": )" + deep + std::string(100000, ']') + "}]}"}) {
    EXPECT_NE(message_of_text(text), "") << text.substr(0, 60);
  }
  const std::string message = message_of_text("{\n\"frames\": [}");
  EXPECT_NE(message.find("line 2: is not valid JSON: unexpected '}'"), std::string::npos)
      << message;
}

TEST_F(TransformsJson, DamagedTextGivesCamerasOrAnErrorAndNeverACrash) {
  const std::string whole = one_frame().dump(1);
  std::mt19937 random(5);
  int errors = 0;
  for (int round = 0; round < 500; ++round) {
    std::string text = whole;
    if (round % 5 == 0) text.resize(random() % text.size());
    if (!text.empty()) text[random() % text.size()] = static_cast<char>(random() % 256);
    if (!message_of_text(text).empty()) ++errors;
  }
  EXPECT_GT(errors, 100);
}

TEST_F(TransformsJson, TheFoxOfInstantNgpIsReadCorrectly) {
  const char* data = std::getenv("MOTE_DATA");
  if (!data) GTEST_SKIP() << "MOTE_DATA is not set";
  const ViewSet set = load_views(fs::path(data) / "fox/transforms.json");
  ASSERT_EQ(set.views.size(), 67u);
  EXPECT_EQ(set.warnings.size(), 1u);
  const View& view = set.views[0];
  EXPECT_EQ(view.name, "0001");
  EXPECT_EQ(view.camera.width, 1080);
  EXPECT_EQ(view.camera.height, 1920);
  EXPECT_EQ(view.camera.focal_px, glm::dvec2(1375.52, 1374.49));
  EXPECT_EQ(view.camera.center_px, glm::dvec2(554.558, 965.268));
  EXPECT_NEAR(view.camera.position_world().x, 3.168359405609479, 1e-9);
}

TEST_F(TransformsJson, TheBikersViewsLookAtTheirCenter) {
  const char* data = std::getenv("MOTE_DATA");
  if (!data) GTEST_SKIP() << "MOTE_DATA is not set";
  const ViewSet set = load_views(fs::path(data) / "splats/biker-cameras.json");
  ASSERT_EQ(set.views.size(), 12u);
  for (const View& view : set.views) {
    const glm::dvec3 center =
        view.camera.cam_from_world * glm::dvec3(-0.06, -1.2, 0.03) + view.camera.translation;
    EXPECT_GT(center.z, 3.0) << view.name;
    EXPECT_NEAR(center.x, 0, 1e-6);
    EXPECT_NEAR(center.y / center.z, 0, 0.02);
  }
}

}  // namespace
}  // namespace mote
