// Videos are decoded again and compared.
#include "io/video/video.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <random>

#include "core/error.h"
#include "support/files/file_bytes.h"
#include "support/files/small_disk.h"
#include "support/files/video_reader.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr double kPi = 3.14159265358979;

/// Smooth colours that move with time, so that chroma at half resolution can represent them.
Image waves(int width, int height, int time) {
  Image image;
  image.resize_discard(width, height, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < 3; ++c) {
        image.row(y)[3 * x + c] =
            static_cast<float>(0.5 + 0.4 * std::sin(2 * kPi * (x + 3 * time * (c + 1)) / 80.0 + c) *
                                         std::cos(2 * kPi * y / 60.0 + c));
      }
    }
  }
  return image;
}

Image flat(int width, int height, float r, float g, float b) {
  Image image;
  image.resize_discard(width, height, 3);
  for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
    image.pixels[i] = r, image.pixels[i + 1] = g, image.pixels[i + 2] = b;
  }
  return image;
}

double psnr(const Image& frame, const Image8& decoded) {
  double sum = 0;
  for (int y = 0; y < frame.height; ++y) {
    for (int i = 0; i < 3 * frame.width; ++i) {
      const double difference = double{frame.row(y)[i]} - decoded.row(y)[i] / 255.0;
      sum += difference * difference;
    }
  }
  return -10 * std::log10(sum / (3.0 * frame.width * frame.height));
}

class Video : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) / ("mote_video_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(Video, EveryEncoderPreservesTheFramesAndTheirOrder) {
  ASSERT_FALSE(video_encoders().empty());
  for (const VideoEncoder& encoder : video_encoders()) {
    SCOPED_TRACE(encoder.name);
    const fs::path path = folder_ / "a.mp4";
    VideoWriter writer(path, {.width = 96,
                              .height = 64,
                              .frames_per_second = 25,
                              .crf = 12,
                              .encoder = std::string(encoder.name)});
    EXPECT_EQ(writer.encoder().name, encoder.name);
    for (int i = 0; i < 15; ++i) writer.add(waves(96, 64, i));
    EXPECT_EQ(writer.frames(), 15u);
    writer.commit();
    const DecodedVideo video = read_video(path);
    EXPECT_EQ(video.codec, encoder.name == "libx264" ? "h264" : "mpeg4");
    EXPECT_EQ(video.pixel_format, "yuv420p");
    EXPECT_NEAR(video.frames_per_second, 25, 1e-9);
    EXPECT_NEAR(video.duration_s, 0.6, 1e-6);
    ASSERT_EQ(video.frames.size(), 15u);
    for (int i = 0; i < 15; ++i) {
      const Image8& frame = video.frames[static_cast<std::size_t>(i)];
      EXPECT_EQ(frame.width, 96);
      EXPECT_EQ(frame.height, 64);
      EXPECT_GT(psnr(waves(96, 64, i), frame), 30) << i;
      EXPECT_LT(psnr(waves(96, 64, i + 1), frame), 25) << i;
    }
  }
}

TEST_F(Video, ColoursAreEncodedAndTaggedAsBt709) {
  for (const auto& [r, g, b] :
       {std::array{0.8f, 0.2f, 0.1f}, {0.1f, 0.6f, 0.9f}, {1.f, 1.f, 1.f}}) {
    VideoWriter writer(folder_ / "a.mp4", {.width = 64, .height = 64, .crf = 4});
    for (int i = 0; i < 3; ++i) writer.add(flat(64, 64, r, g, b));
    writer.commit();
    const DecodedVideo video = read_video(folder_ / "a.mp4");
    EXPECT_EQ(video.color_space, "bt709");
    EXPECT_EQ(video.color_range, "tv");
    const std::uint8_t* pixel = video.frames.at(1).row(32) + 3 * 32;
    EXPECT_NEAR(pixel[0], 255 * r, 3);
    EXPECT_NEAR(pixel[1], 255 * g, 3);
    EXPECT_NEAR(pixel[2], 255 * b, 3);
  }
}

TEST_F(Video, OddSidesGrowByARepeatedEdge) {
  VideoWriter writer(folder_ / "a.mp4", {.width = 75, .height = 49, .crf = 8});
  EXPECT_EQ(writer.width(), 76);
  EXPECT_EQ(writer.height(), 50);
  for (int i = 0; i < 4; ++i) writer.add(waves(75, 49, i));
  writer.commit();
  const DecodedVideo video = read_video(folder_ / "a.mp4");
  ASSERT_EQ(video.frames.size(), 4u);
  const Image8& frame = video.frames[2];
  ASSERT_EQ(frame.width, 76);
  ASSERT_EQ(frame.height, 50);
  EXPECT_GT(psnr(waves(75, 49, 2), frame), 30);
  for (int y = 0; y < 50; ++y) {
    for (int c = 0; c < 3; ++c) EXPECT_NEAR(frame.row(y)[75 * 3 + c], frame.row(y)[74 * 3 + c], 24);
  }
}

TEST_F(Video, OneChannelIsGrey) {
  Image image = waves(64, 32, 0);
  Image grey;
  grey.resize_discard(64, 32, 1);
  for (std::size_t i = 0; i < grey.pixels.size(); ++i) grey.pixels[i] = image.pixels[3 * i];
  VideoWriter writer(folder_ / "a.mp4", {.width = 64, .height = 32, .crf = 4});
  writer.add(grey);
  writer.commit();
  const DecodedVideo video = read_video(folder_ / "a.mp4");
  ASSERT_EQ(video.frames.size(), 1u);
  for (std::size_t i = 0; i < grey.pixels.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(video.frames[0].pixels[3 * i + c], 255 * grey.pixels[i], 8);
    }
  }
}

TEST_F(Video, ALowerRateFactorIsBetterAndLarger) {
  double last_psnr = 200;
  std::uintmax_t last_size = 1 << 30;
  for (const int crf : {4, 24, 44}) {
    VideoWriter writer(folder_ / "a.mp4", {.width = 160, .height = 96, .crf = crf});
    for (int i = 0; i < 10; ++i) writer.add(waves(160, 96, i));
    writer.commit();
    const double quality = psnr(waves(160, 96, 5), read_video(folder_ / "a.mp4").frames.at(5));
    EXPECT_LT(quality, last_psnr) << crf;
    EXPECT_LT(fs::file_size(folder_ / "a.mp4"), last_size) << crf;
    last_psnr = quality;
    last_size = fs::file_size(folder_ / "a.mp4");
  }
}

TEST_F(Video, AnUnfinishedVideoLeavesNoFileAndKeepsAnEarlierOne) {
  {
    VideoWriter writer(folder_ / "a.mp4", {.width = 64, .height = 64});
    writer.add(waves(64, 64, 0));
    EXPECT_EQ(files(), 1u);
    EXPECT_FALSE(fs::exists(folder_ / "a.mp4"));
  }
  EXPECT_EQ(files(), 0u);
  VideoWriter(folder_ / "a.mp4", {.width = 64, .height = 64});
  EXPECT_EQ(files(), 0u);
}

TEST_F(Video, FractionalRatesAreKept) {
  VideoWriter writer(folder_ / "a.mp4",
                     {.width = 64, .height = 64, .frames_per_second = 30000.0 / 1001});
  for (int i = 0; i < 5; ++i) writer.add(waves(64, 64, i));
  writer.commit();
  EXPECT_NEAR(read_video(folder_ / "a.mp4").frames_per_second, 30000.0 / 1001, 1e-6);
}

TEST_F(Video, AFullDiskIsReported) {
  const SmallDisk disk(folder_ / "disk", 32 << 10);
  if (!disk.is_there()) GTEST_SKIP() << "this process may not mount a disk";
  std::mt19937 random(3);
  Image noise;
  noise.resize_discard(160, 120, 3);
  VideoWriter writer(folder_ / "disk" / "a.mp4", {.width = 160, .height = 120, .crf = 1});
  try {
    for (int i = 0; i < 20; ++i) {
      for (float& value : noise.pixels.span()) value = static_cast<float>(random() % 256) / 255;
      writer.add(noise);
    }
    writer.commit();
    ADD_FAILURE() << "20 frames of noise fitted on 32 KiB";
  } catch (const Error& error) {
    EXPECT_NE(error.problem().find("No space"), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("free space"), std::string::npos);
    EXPECT_NE(error.where().find("a.mp4"), std::string::npos);
  }
}

TEST_F(Video, AnUnwritablePathIsRefused) {
  EXPECT_THROW(VideoWriter(folder_ / "none" / "a.mp4", {.width = 64, .height = 64}), Error);
  EXPECT_THROW(VideoWriter(folder_, {.width = 64, .height = 64}), Error);
}

TEST_F(Video, AnUnknownEncoderAndAnImpossibleRateAreRefused) {
  EXPECT_THROW(VideoWriter(folder_ / "a.mp4", {.width = 64, .height = 64, .encoder = "none"}),
               Error);
  EXPECT_THROW(
      VideoWriter(folder_ / "a.mp4", {.width = 64, .height = 64, .frames_per_second = 1e12}),
      Error);
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace mote
