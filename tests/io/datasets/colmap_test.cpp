// COLMAP models: both encodings, every camera model, damage, and the search for cameras.
#include "io/datasets/colmap.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <glm/geometric.hpp>
#include <random>

#include "core/error.h"
#include "core/file.h"
#include "io/datasets/camera_source.h"
#include "io/datasets/colmap_points.h"
#include "support/files/file_bytes.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class Colmap : public ::testing::Test {
 protected:
  Colmap() : folder_(fs::path(::testing::TempDir()) / ("colmap_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~Colmap() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  void write_pair(const std::string& cameras, const std::string& images) {
    write("cameras.bin", cameras);
    write("images.bin", images);
  }
  std::string message() {
    try {
      load_views(folder_);
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(folder_.string()), std::string::npos);
      EXPECT_FALSE(error.remedy().empty());
      return error.what();
    }
    return "";
  }

  fs::path folder_;
};

std::string camera_bytes(int model, int parameters) {
  std::string bytes =
      packed(std::uint64_t{1}, std::uint32_t{3}, model, std::uint64_t{640}, std::uint64_t{480});
  const double pinhole[] = {500, 501, 320, 240};
  for (int i = 0; i < parameters; ++i) bytes += packed(i < 4 ? pinhole[i] : 0.0);
  return bytes;
}

std::string image_bytes(const std::string& name, std::uint64_t points = 2) {
  return packed(std::uint32_t{9}, 0.5, 0.5, 0.5, 0.5, 1.0, 2.0, 3.0, std::uint32_t{3}) + name +
         std::string(1, '\0') + packed(points) + std::string(24 * 2, 'x');
}

std::string two_images() {
  return packed(std::uint64_t{2}) + image_bytes("b.jpg") + image_bytes("a.jpg");
}

TEST_F(Colmap, BinaryImagesAreSortedByNameAndPosedAsWritten) {
  write_pair(camera_bytes(1, 4), two_images());
  const ViewSet set = load_views(folder_);
  ASSERT_EQ(set.views.size(), 2u);
  EXPECT_TRUE(set.warnings.empty());
  EXPECT_EQ(set.views[0].name, "a");
  EXPECT_EQ(set.views[1].name, "b");
  const Camera& camera = set.views[0].camera;
  EXPECT_EQ(camera.focal_px, glm::dvec2(500, 501));
  EXPECT_EQ(camera.center_px, glm::dvec2(320, 240));
  // The quaternion (1,1,1,1)/2 maps x to y, y to z and z to x.
  EXPECT_NEAR(glm::length(camera.cam_from_world * glm::dvec3(1, 0, 0) - glm::dvec3(0, 1, 0)), 0,
              1e-12);
  EXPECT_EQ(camera.translation, glm::dvec3(1, 2, 3));
}

TEST_F(Colmap, TextAndBinaryGiveTheSameViews) {
  write_pair(camera_bytes(4, 8), two_images());
  const ViewSet binary = load_views(folder_);
  fs::remove(folder_ / "cameras.bin");
  fs::remove(folder_ / "images.bin");
  write("cameras.txt", "# a comment\n3 OPENCV 640 480 500 501 320 240 0 0 0 0\r\n");
  write("images.txt",
        "# a comment\n9 0.5 0.5 0.5 0.5 1 2 3 3 b.jpg\n\n8 .5 .5 .5 .5 1 2 3 3 a.jpg\n1 2 -1\n");
  const ViewSet text = load_views(folder_);
  ASSERT_EQ(text.views.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(text.views[i].name, binary.views[i].name);
    EXPECT_EQ(text.views[i].camera.focal_px, binary.views[i].camera.focal_px);
    EXPECT_EQ(text.views[i].camera.center_px, binary.views[i].camera.center_px);
    EXPECT_EQ(text.views[i].camera.cam_from_world, binary.views[i].camera.cam_from_world);
  }
}

TEST_F(Colmap, EveryPerspectiveModelIsReadAndFisheyesWarn) {
  const int parameters[] = {3, 4, 4, 5, 8, 8, 12, 5, 4, 5, 12, 16, 4, 5, 3, 4, 6};
  for (int model = 0; model < 17; ++model) {
    write_pair(camera_bytes(model, parameters[model]), two_images());
    const ViewSet set = load_views(folder_);
    EXPECT_EQ(set.views.size(), 2u) << model;
    EXPECT_EQ(set.views[0].camera.focal_px.x, 500) << model;
    const bool fisheye = model == 5 || (model >= 8 && model <= 11) || model == 14 || model == 15;
    if (fisheye) {
      EXPECT_EQ(set.warnings.size(), 1u) << model;
    }
  }
  write_pair(camera_bytes(17, 4), two_images());
  EXPECT_NE(message().find("camera model 17"), std::string::npos);
}

TEST_F(Colmap, HostileCountsAndValuesAreErrorsWithoutAllocation) {
  const std::string camera = camera_bytes(1, 4);
  const std::string many = packed(std::uint64_t{1} << 60);
  write_pair(many + camera.substr(8), two_images());
  EXPECT_NE(message().find("truncated"), std::string::npos);
  write_pair(camera, many + image_bytes("a.jpg"));
  EXPECT_NE(message().find("truncated"), std::string::npos);
  write_pair(camera, packed(std::uint64_t{1}) + image_bytes("a.jpg", std::uint64_t{1} << 61));
  EXPECT_NE(message().find("truncated"), std::string::npos);
  write_pair(camera, packed(std::uint64_t{1}) + image_bytes(std::string(5000, 'n')));
  EXPECT_NE(message().find("is missing"), std::string::npos);
  write_pair(camera, packed(std::uint64_t{0}));
  EXPECT_NE(message().find("no registered image"), std::string::npos);
  write_pair(packed(std::uint64_t{0}), two_images());
  EXPECT_NE(message().find("refers to camera 3"), std::string::npos);
  std::string zero_size = camera;
  zero_size.replace(16, 8, packed(std::uint64_t{0}));
  write_pair(zero_size, two_images());
  EXPECT_NE(message().find("0x480"), std::string::npos);
}

TEST_F(Colmap, CountsThatAreTooLowAreWarningsWithTheNumberLeftOver) {
  const std::string images = packed(std::uint64_t{1}) + two_images().substr(8);
  const std::string cameras = camera_bytes(1, 4) + camera_bytes(1, 4).substr(8);
  write_pair(cameras, images);
  const ViewSet set = load_views(folder_);
  EXPECT_EQ(set.views.size(), 1u);
  ASSERT_EQ(set.warnings.size(), 2u);
  EXPECT_NE(set.warnings[0].find("cameras.bin: announces 1 cameras, but 56 more bytes"),
            std::string::npos)
      << set.warnings[0];
  EXPECT_NE(set.warnings[1].find("images.bin: announces 1 images, but 126 more bytes"),
            std::string::npos)
      << set.warnings[1];
  write_pair(packed(std::uint64_t{0}) + cameras.substr(8), images);
  EXPECT_NE(message().find("cameras.bin: announces 0 cameras, but 112 more bytes"),
            std::string::npos);
}

TEST_F(Colmap, EveryTruncationIsAnErrorAndFlippedBitsNeverCrash) {
  const std::string cameras = camera_bytes(4, 8), images = two_images();
  for (std::size_t size = 0; size < images.size(); size += 3) {
    write_pair(cameras, images.substr(0, size));
    EXPECT_NE(message(), "") << size;
  }
  for (std::size_t size = 0; size < cameras.size(); size += 3) {
    write_pair(cameras.substr(0, size), images);
    EXPECT_NE(message(), "") << size;
  }
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::string parts[] = {cameras, images};
    std::string& part = parts[round % 2];
    part[random() % part.size()] ^= static_cast<char>(1 << random() % 8);
    write_pair(parts[0], parts[1]);
    message();
  }
}

TEST_F(Colmap, DamagedTextIsAnErrorWithItsLine) {
  write("cameras.txt", "3 PINHOLE 640 480 500 501 320\n");
  write("images.txt", "9 0.5 0.5 0.5 0.5 1 2 3 3 b.jpg\n\n");
  EXPECT_NE(message().find("cameras.txt, line 1"), std::string::npos);
  write("cameras.txt", "3 PINHOLE 640 480 500 501 320 240\n");
  write("images.txt", "# one\n9 0.5 0.5 0.5\n\n");
  EXPECT_NE(message().find("images.txt, line 2"), std::string::npos);
  write("images.txt", "9 0 0 0 0 1 2 3 3 b.jpg\n\n");
  EXPECT_NE(message().find("not a rotation"), std::string::npos);
}

TEST_F(Colmap, ImagesWithoutPointLinesAreAllRead) {
  write("cameras.txt", "3 PINHOLE 640 480 500 500 320 240\n");
  const std::string a = "1 1 0 0 0 1 2 3 3 a.jpg\n", b = "2 1 0 0 0 1 2 3 3 0002 b.jpg\n",
                    c = "3 1 0 0 0 1 2 3 3 77\n", d = "4 1 0 0 0 1 2 3 3 nan.jpg\n";
  const std::string points = "10.5 20.5 -1 11 21 7 12 22 8 13 23 9\n";
  for (const std::string& text :
       {a + b + c + d, a + "\n" + b + c + "\n" + d + "\n", a + points + b + points + c + d + points,
        a + b + points + "# between\n" + c + d, a + "1 2 3\n" + b + c + "\r\n" + d}) {
    write("images.txt", "# Number of images: 4, mean observations per image: 2.5\n" + text);
    const PosedImages images = read_colmap_model(folder_);
    EXPECT_TRUE(images.warnings.empty()) << ::testing::PrintToString(images.warnings);
    ASSERT_EQ(images.images.size(), 4u) << text;
    EXPECT_EQ(images.images[0].file, "0002 b.jpg");
    EXPECT_EQ(images.images[1].file, "77");
  }
  write("images.txt", a + b + c + d);
  ASSERT_EQ(read_colmap_model(folder_).notes.size(), 1u);
  EXPECT_NE(read_colmap_model(folder_).notes[0].find("3 of 4 images have no line"),
            std::string::npos);
}

TEST_F(Colmap, ALineThatIsNeitherPointsNorAPoseIsAnErrorWithItsNumber) {
  write("cameras.txt", "3 PINHOLE 640 480 500 500 320 240\n");
  for (const char* line : {"2 1 0 0 0 1 2 b.jpg", "1 2", "1 2 3 4", "hello"}) {
    write("images.txt", std::string("1 1 0 0 0 1 2 3 3 a.jpg\n") + line + "\n");
    EXPECT_NE(message().find("images.txt, line 2: expected the 2D points"), std::string::npos)
        << line;
  }
}

TEST_F(Colmap, AnImageCountDifferentFromTheHeaderIsAnError) {
  write("cameras.txt", "3 PINHOLE 640 480 500 500 320 240\n");
  const std::string image = "1 1 0 0 0 1 2 3 3 a.jpg\n\n";
  for (const char* promised : {"0", "2", "50, mean observations per image: 3"}) {
    write("images.txt", std::string("# Number of images: ") + promised + "\n" + image);
    EXPECT_NE(message().find("images, but it contains 1"), std::string::npos) << promised;
    EXPECT_NE(message().find("images.txt"), std::string::npos);
  }
  write("images.txt", "# Number of images: 1\n" + image);
  EXPECT_EQ(read_colmap_model(folder_).images.size(), 1u);
}

TEST_F(Colmap, ACameraOrPointCountDifferentFromTheHeaderIsAWarning) {
  write("cameras.txt", "# Number of cameras: 2\n3 PINHOLE 640 480 500 500 320 240\n");
  write("images.txt", "1 1 0 0 0 1 2 3 3 a.jpg\n\n");
  write("points3D.txt", "# Number of points: 4, mean track length: 3\n1 0 0 0 1 2 3 0.5\n");
  std::vector<std::string> warnings = read_colmap_model(folder_).warnings;
  read_colmap_points(folder_, warnings);
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("cameras.txt: announces 2 cameras"), std::string::npos);
  EXPECT_NE(warnings[1].find("points3D.txt: announces 4 points"), std::string::npos);
}

TEST_F(Colmap, MoreParametersThanACameraModelHasAreAnError) {
  write("cameras.txt", "3 SIMPLE_PINHOLE 640 480 500 500 320 240\n");
  write("images.txt", "1 1 0 0 0 1 2 3 3 a.jpg\n\n");
  EXPECT_NE(message().find("expected 3 parameters of SIMPLE_PINHOLE"), std::string::npos);
}

TEST_F(Colmap, AModelIsFoundFromTheDatasetTheFolderOrOneOfItsFiles) {
  write_pair(camera_bytes(1, 4), two_images());
  const fs::path dataset = folder_ / "dataset";
  fs::create_directories(dataset / "sparse/0");
  for (const char* name : {"cameras.bin", "images.bin"}) {
    fs::rename(folder_ / name, dataset / "sparse/0" / name);
  }
  for (const char* path : {"", "sparse", "sparse/0", "sparse/0/", "sparse/0/images.bin"}) {
    EXPECT_EQ(load_views(dataset / path).views.size(), 2u) << path;
  }
}

TEST_F(Colmap, AFolderWithoutCamerasIsRefusedWithTheAcceptedFormats) {
  EXPECT_NE(message().find("transforms.json"), std::string::npos);
  write("notes.txt", "hello");
  EXPECT_THROW(load_views(folder_ / "notes.txt"), Error);
  EXPECT_THROW(load_views(folder_ / "missing.json"), Error);
}

TEST_F(Colmap, RealModelsMatchTheDescriptionOfColmap) {
  const char* data = std::getenv("MOTE_DATA");
  if (!data) GTEST_SKIP() << "MOTE_DATA is not set";
  const ViewSet fox = load_views(fs::path(data) / "fox");
  ASSERT_EQ(fox.views.size(), 50u);
  EXPECT_EQ(fox.warnings.size(), 1u);
  EXPECT_EQ(fox.views.front().name, "0001");
  EXPECT_EQ(fox.views.back().name, "0115");
  EXPECT_EQ(fox.views[0].camera.width, 540);
  EXPECT_EQ(fox.views[0].camera.height, 960);
  EXPECT_NEAR(fox.views[0].camera.focal_px.x, 688.04, 0.01);
  EXPECT_EQ(fox.views[0].camera.center_px, glm::dvec2(270, 480));
  const ViewSet tree = load_views(fs::path(data) / "monstree");
  ASSERT_EQ(tree.views.size(), 23u);
  EXPECT_EQ(tree.views[0].name, "IMG_1025");
  EXPECT_EQ(tree.views[0].camera.width, 1000);
}

}  // namespace
}  // namespace mote
