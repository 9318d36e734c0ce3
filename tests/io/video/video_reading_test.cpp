// Videos that Mote wrote are read again: size, times and pictures.
#include "io/video/video_reading.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/error.h"
#include "io/video/video.h"
#include "support/dataset_fixture.h"
#include "support/files/display_matrix.h"
#include "support/files/file_bytes.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// A frame with a grey level of its own and a gradient of colour.
Image numbered_frame(int width, int height, int number) {
  Image image;
  image.resize_discard(width, height, 3);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float level = 0.1f + 0.03f * static_cast<float>(number);
      image.row(y)[3 * x] = level + 0.4f * static_cast<float>(x) / static_cast<float>(width);
      image.row(y)[3 * x + 1] = level;
      image.row(y)[3 * x + 2] = level + 0.3f * static_cast<float>(y) / static_cast<float>(height);
    }
  }
  return image;
}

class VideoReading : public ::testing::Test {
 protected:
  VideoReading()
      : file_(fs::path(::testing::TempDir()) / ("reading_" + std::to_string(::getpid()) + ".mp4")) {
  }
  ~VideoReading() override { fs::remove(file_); }

  void write(int frames, double rate, int width = 64, int height = 48) const {
    VideoWriter writer(file_,
                       {.width = width, .height = height, .frames_per_second = rate, .crf = 4});
    for (int i = 0; i < frames; ++i) writer.add(numbered_frame(width, height, i));
    writer.commit();
  }

  fs::path file_;
};

TEST_F(VideoReading, FramesComeBackInOrderWithTheirTimes) {
  write(14, 25);
  const VideoFacts facts = read_video_facts(file_);
  EXPECT_EQ(facts.width, 64);
  EXPECT_EQ(facts.height, 48);
  EXPECT_NEAR(facts.frames_per_second, 25, 1e-6);
  ASSERT_EQ(facts.times_s.size(), 14u);
  VideoReader reader(file_);
  Image8 frame;
  double time_s = 0;
  for (int i = 0; i < 14; ++i) {
    ASSERT_TRUE(reader.next(frame, time_s)) << i;
    EXPECT_NEAR(facts.times_s[static_cast<std::size_t>(i)], i / 25.0, 1e-6);
    EXPECT_NEAR(time_s - facts.first_s, i / 25.0, 1e-6);
    const Image expected = numbered_frame(64, 48, i);
    double worst = 0;
    for (std::size_t k = 0; k < frame.pixels.size(); ++k) {
      worst = std::max(worst, std::abs(frame.pixels[k] / 255.0 - double{expected.pixels[k]}));
    }
    EXPECT_LT(worst, 0.02) << i;
  }
  EXPECT_FALSE(reader.next(frame, time_s));
}

constexpr DisplayMatrix kOrientations[] = {
    {1, 0, 0, 1},  kUprightPhone, {-1, 0, 0, -1}, {0, -1, 1, 0},
    {-1, 0, 0, 1}, {1, 0, 0, -1}, {0, 1, 1, 0},   {0, -1, -1, 0},
};

/// The picture of (p, q) = (x, y) shown at (a p + c q, b p + d q), shifted into the picture.
Image shown_by(const DisplayMatrix& matrix, const Image& coded) {
  const auto [a, b, c, d] = matrix;
  const double right = coded.width - 1, below = coded.height - 1;
  const double first_x = std::min(0.0, a * right) + std::min(0.0, c * below),
               first_y = std::min(0.0, b * right) + std::min(0.0, d * below);
  Image shown;
  const bool is_turned = a == 0;
  shown.resize_discard(is_turned ? coded.height : coded.width,
                       is_turned ? coded.width : coded.height, 3);
  for (int y = 0; y < coded.height; ++y) {
    for (int x = 0; x < coded.width; ++x) {
      const auto shown_x = static_cast<int>(a * x + c * y - first_x),
                 shown_y = static_cast<int>(b * x + d * y - first_y);
      std::copy_n(coded.row(y) + 3 * x, 3, shown.row(shown_y) + 3 * shown_x);
    }
  }
  return shown;
}

TEST_F(VideoReading, FramesAreTurnedAsTheVideoAnnounces) {
  for (const DisplayMatrix& matrix : kOrientations) {
    SCOPED_TRACE(testing::PrintToString(matrix));
    write(1, 25);
    set_display_matrix(file_, matrix);
    const Image expected = shown_by(matrix, numbered_frame(64, 48, 0));
    const VideoFacts facts = read_video_facts(file_);
    EXPECT_EQ(facts.width, expected.width);
    EXPECT_EQ(facts.height, expected.height);
    EXPECT_EQ(read_video_orientation(file_) == VideoOrientation{}, matrix == kOrientations[0]);
    VideoReader reader(file_);
    Image8 frame;
    double time_s = 0;
    ASSERT_TRUE(reader.next(frame, time_s));
    ASSERT_EQ(frame.width, expected.width);
    ASSERT_EQ(frame.height, expected.height);
    double worst = 0;
    for (std::size_t k = 0; k < frame.pixels.size(); ++k) {
      worst = std::max(worst, std::abs(frame.pixels[k] / 255.0 - double{expected.pixels[k]}));
    }
    EXPECT_LT(worst, 0.02);
  }
}

TEST(VideoOrientations, AreTheNearestOfOtherMatrices) {
  const auto of = [](int a, int b, int c, int d) {
    const std::int32_t matrix[9]{a, b, 0, c, d, 0, 0, 0, 1 << 30};
    return orientation_of(matrix);
  };
  EXPECT_EQ(of(0, 0, 0, 0), VideoOrientation{});
  EXPECT_EQ(of(60000, 26000, -26000, 60000), VideoOrientation{}) << "a small tilt";
  EXPECT_EQ(of(131072, 0, 0, 65536), VideoOrientation{}) << "a scale";
  EXPECT_EQ(of(-26000, 60000, -60000, -26000),
            (VideoOrientation{.swaps_axes = true, .flips_x = true, .flips_y = false}));
}

TEST_F(VideoReading, OtherFilesAreRefusedByName) {
  write_bytes(file_, "this is no video, only text that goes on for a while");
  const Error error = thrown_by([&] { read_video_facts(file_); });
  EXPECT_EQ(error.where(), file_.string());
  EXPECT_NE(error.remedy().find("ffmpeg"), std::string::npos);
  fs::remove(file_);
  EXPECT_EQ(thrown_by([&] { const VideoReader reader(file_); }).where(), file_.string());
}

/// A playlist in the form of a video must not make Mote open other files or addresses.
TEST_F(VideoReading, PlaylistsAreRefused) {
  write_bytes(file_,
              "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\nhttp://127.0.0.1:1/a.ts\n"
              "#EXT-X-ENDLIST\n");
  EXPECT_THROW(read_video_facts(file_), Error);
}

TEST_F(VideoReading, VideosThatWereCutOffAreRefused) {
  write(30, 30);
  const std::string bytes = text_of(file_);
  write_bytes(file_, bytes.substr(0, bytes.size() / 2));
  EXPECT_THROW(
      {
        const VideoFacts facts = read_video_facts(file_);
        VideoReader reader(file_);
        Image8 frame;
        double time_s = 0;
        std::size_t frames = 0;
        while (reader.next(frame, time_s)) ++frames;
        if (frames < facts.times_s.size()) throw Error("ends early", file_.string(), "");
      },
      Error);
}

}  // namespace
}  // namespace mote
