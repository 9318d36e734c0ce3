// PNG and JPEG in, PNG and EXR out: exact round trips, damaged files, sizes at the limits.
#include "io/images/image_files.h"

#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <turbojpeg.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <random>

#include "core/error.h"
#include "core/file.h"
#include "io/images/exr_header.h"
#include "support/files/file_bytes.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

class ImageFiles : public ::testing::Test {
 protected:
  ImageFiles()
      : folder_(fs::path(::testing::TempDir()) / ("image_files_" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
  }
  ~ImageFiles() override { fs::remove_all(folder_); }

  fs::path write(const std::string& name, const std::string& bytes) {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }

  fs::path folder_;
};

Image random_image(int width, int height, int channels) {
  Image image;
  image.resize_discard(width, height, channels);
  std::mt19937 random(7);
  for (float& value : image.pixels.span()) {
    value = static_cast<float>(random() % 256) / 255.0f;
  }
  return image;
}

std::string jpeg_of_format(int width, int height, int format, int subsampling) {
  std::string pixels(static_cast<std::size_t>(width * height * 3), '\0');
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<char>(i * 7 % 251);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  const tjhandle encoder = tjInitCompress();
  tjCompress2(encoder, reinterpret_cast<unsigned char*>(pixels.data()), width, 0, height, format,
              &bytes, &size, subsampling, 90, 0);
  std::string result(reinterpret_cast<char*>(bytes), size);
  tjFree(bytes);
  tjDestroy(encoder);
  return result;
}

std::string message_of(const fs::path& path) {
  try {
    read_image8(path);
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "";
}

TEST_F(ImageFiles, PngOfOneToFourChannelsSurvivesTheRoundTrip) {
  for (int channels = 1; channels <= 4; ++channels) {
    const Image image = random_image(37, 23, channels);
    const fs::path path = folder_ / "image.png";
    write_png(image, path);
    const Image8 back = read_image8(path);
    ASSERT_EQ(back.width, 37);
    ASSERT_EQ(back.height, 23);
    ASSERT_EQ(back.channels, channels);
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      ASSERT_EQ(back.pixels[i], std::lround(image.pixels[i] * 255.0f)) << channels << ", " << i;
    }
  }
}

TEST_F(ImageFiles, PngClampsAndWritesNanAsBlack) {
  Image image;
  image.resize_discard(5, 1, 1);
  const float values[] = {-1.0f, 2.0f, std::numeric_limits<float>::quiet_NaN(), 0.5f,
                          0.4999f / 255};
  std::copy(std::begin(values), std::end(values), image.pixels.data());
  write_png(image, folder_ / "image.png");
  const Image8 back = read_image8(folder_ / "image.png");
  EXPECT_EQ(back.pixels[0], 0);
  EXPECT_EQ(back.pixels[1], 255);
  EXPECT_EQ(back.pixels[2], 0);
  EXPECT_EQ(back.pixels[3], 128);
  EXPECT_EQ(back.pixels[4], 0);
}

TEST_F(ImageFiles, SidesOfSixteenThousandPixelsAreWrittenAndRead) {
  Image image;
  image.resize_discard(kMaxImageSide, 2, 1);
  std::fill(image.pixels.span().begin(), image.pixels.span().end(), 1.0f);
  write_png(image, folder_ / "wide.png");
  EXPECT_EQ(read_image8(folder_ / "wide.png").width, kMaxImageSide);
  EXPECT_EQ(read_image_size(folder_ / "wide.png").width, kMaxImageSide);
}

TEST_F(ImageFiles, SidesBeyondTheLimitAreRefusedBeforeAnythingIsAllocated) {
  Image image;
  image.resize_discard(kMaxImageSide + 1, 1, 1);
  std::fill(image.pixels.span().begin(), image.pixels.span().end(), 0.0f);
  write_png(image, folder_ / "wide.png");
  EXPECT_NE(message_of(folder_ / "wide.png").find("16385x1"), std::string::npos);
}

TEST_F(ImageFiles, JpegHasThreeChannelsOrOneIfItIsGrey) {
  const fs::path color = write("color.jpg", jpeg_of_format(40, 24, TJPF_RGB, TJSAMP_420));
  const Image8 image = read_image8(color);
  EXPECT_EQ(image.width, 40);
  EXPECT_EQ(image.height, 24);
  EXPECT_EQ(image.channels, 3);
  EXPECT_EQ(read_image_size(color).height, 24);
  const fs::path gray = write("gray.jpg", jpeg_of_format(40, 24, TJPF_GRAY, TJSAMP_GRAY));
  EXPECT_EQ(read_image8(gray).channels, 1);
}

TEST_F(ImageFiles, EveryTruncationOfAPngIsAnError) {
  write_png(random_image(16, 16, 3), folder_ / "whole.png");
  const std::string whole = read_text_file(folder_ / "whole.png");
  for (std::size_t size = 0; size < whole.size(); size += 5) {
    EXPECT_NE(message_of(write("part.png", whole.substr(0, size))), "") << size;
  }
}

TEST_F(ImageFiles, EveryTruncationOfAJpegIsAnError) {
  const std::string whole = jpeg_of_format(48, 48, TJPF_RGB, TJSAMP_444);
  for (std::size_t size = 0; size + 2 < whole.size(); size += 7) {
    EXPECT_NE(message_of(write("part.jpg", whole.substr(0, size))), "") << size;
  }
}

TEST_F(ImageFiles, FlippedBitsGiveAnImageOrAnErrorAndNeverACrash) {
  write_png(random_image(16, 16, 4), folder_ / "whole.png");
  const std::string images[] = {read_text_file(folder_ / "whole.png"),
                                jpeg_of_format(32, 32, TJPF_RGB, TJSAMP_420)};
  std::mt19937 random(11);
  int errors = 0;
  for (int round = 0; round < 500; ++round) {
    std::string bytes = images[round % 2];
    bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    if (!message_of(write("flipped", bytes)).empty()) ++errors;
  }
  EXPECT_GT(errors, 250);
}

TEST_F(ImageFiles, AnyOtherFileIsReportedAsNeitherPngNorJpeg) {
  EXPECT_NE(message_of(write("text.png", "hello")).find("neither PNG nor JPEG"), std::string::npos);
  EXPECT_NE(message_of(write("empty.png", "")).find("neither PNG nor JPEG"), std::string::npos);
  EXPECT_NE(message_of(folder_ / "missing.png"), "");
  const fs::path photograph = write("photograph.png", "hello");  // EXR is read, too
  const Error fault = thrown_by([&] { check_image(photograph); });
  EXPECT_EQ(fault.problem(), "is neither PNG, JPEG nor EXR");
}

TEST_F(ImageFiles, ExrKeepsEveryFloatExactly) {
  Image image = random_image(33, 65, 3);
  image.pixels[0] = -1e30f;
  image.pixels[1] = std::numeric_limits<float>::infinity();
  image.pixels[2] = 1e-30f;
  const fs::path path = folder_ / "image.exr";
  write_exr(image, {"R", "G", "B"}, path);
  Imf::InputFile file(path.c_str());
  ASSERT_EQ(file.header().dataWindow().max.x, 32);
  ASSERT_EQ(file.header().dataWindow().max.y, 64);
  const std::string names = "RGB";
  for (std::size_t c = 0; c < 3; ++c) {
    std::vector<float> plane(33 * 65);
    Imf::FrameBuffer frame;
    frame.insert(std::string(1, names[c]),
                 Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(plane.data()), sizeof(float),
                            33 * sizeof(float)));
    file.setFrameBuffer(frame);
    file.readPixels(0, 64);
    for (std::size_t i = 0; i < plane.size(); ++i) ASSERT_EQ(plane[i], image.pixels[i * 3 + c]);
  }
}

TEST_F(ImageFiles, HeadersThatAskForMoreMemoryThanTheFileHasAreRefused) {
  Image image;
  image.resize_discard(4, 3, 3);
  std::ranges::fill(image.pixels.span(), 0.5f);
  const fs::path exr = folder_ / "a.exr";
  write_exr(image, {"R", "G", "B"}, exr);
  const std::string whole = text_of(exr);
  EXPECT_EQ(read_exr_header(InputFile(exr)).width, 4);
  EXPECT_EQ(read_exr_header(InputFile(exr)).height, 3);
  EXPECT_EQ(read_exr_header(InputFile(exr)).block_bytes, 4u * 3 * 4 * 16) << "ZIP: 16 rows";
  const auto expect_refusal = [&](const std::string& name, std::size_t behind,
                                  const std::string& bytes, const std::string& phrase) {
    std::string changed = whole;
    const std::size_t at = changed.find(name + '\0') + name.size() + 1 + behind;
    changed.replace(at, bytes.size(), bytes);
    write("a.exr", changed);
    for (const Error& error :
         {thrown_by([&] { read_image_size(exr); }), thrown_by([&] { check_image(exr); })}) {
      EXPECT_TRUE(error.where().starts_with(exr.string())) << error.what();
      EXPECT_NE(error.problem().find(phrase), std::string::npos) << error.what();
    }
  };
  const std::string huge("\xff\xff\xff\x6f", 4);
  expect_refusal("software", std::string("string").size() + 1, huge, "attribute 'software' has");
  expect_refusal("dataWindow", std::string("box2i").size() + 1 + 4 + 8, huge, "rows of");
  expect_refusal("dataWindow", std::string("box2i").size() + 1 + 4 + 8,
                 std::string("\xff\xff\xff\xff", 4), "empty");
  expect_refusal("dataWindow", std::string("box2i").size() + 1 + 4 + 12, huge, "blocks of pixels");

  const auto expect_refusal_with = [&](const std::string& attribute, const std::string& phrase) {
    std::string changed = whole;
    write("a.exr", changed.insert(changed.find("dataWindow"), attribute));
    const Error error = thrown_by([&] { read_image_size(exr); });
    EXPECT_NE(error.problem().find(phrase), std::string::npos) << error.what();
  };
  const std::string one("\x01\0\0\0", 4),
      type_tiles = std::string("tiles\0tiledesc\0\x09\0\0\0", 19);
  expect_refusal_with(std::string("a\0int\0\x03\0\0\0abc", 13), "3 bytes instead of the 4");
  expect_refusal_with(std::string("a\0chlist\0\x02\0\0\0\0b", 15), "2 bytes instead of the 1");
  expect_refusal_with(std::string("a\0preview\0\x08\0\0\0", 14) + one + one, "8 bytes instead of");
  expect_refusal_with(std::string("a\0stringvector\0\x04\0\0\0", 19) + huge, "4 bytes instead of");
  expect_refusal_with(type_tiles + huge + one + '\0', "stores 16 rows of");
  expect_refusal_with(type_tiles + one + huge + '\0', "rows of 4 pixels");
  expect_refusal_with(std::string("chunkCount\0int\0\x04\0\0\0", 19) + huge, "blocks of pixels");
}

TEST_F(ImageFiles, ChunksOfAPngThatAskForMoreMemoryThanTheFileHasAreRefused) {
  const fs::path png = folder_ / "a.png";
  write_png(random_image(4, 3, 3), png);
  std::string bytes = text_of(png);
  const std::size_t header_end = 33;
  write("a.png", bytes.insert(header_end, std::string("\x7f\xff\xff\0tEXt", 8)));
  EXPECT_NE(message_of(png).find("chunk data is too large"), std::string::npos) << message_of(png);
  EXPECT_NE(thrown_by([&] { check_image(png); }).problem().find("damaged PNG"), std::string::npos);
}

TEST_F(ImageFiles, AFailedWriteLeavesNothingBehind) {
  const Image image = random_image(8, 8, 3);
  EXPECT_THROW(write_png(image, folder_ / "no" / "such" / "a.png"), Error);
  EXPECT_THROW(write_exr(image, {"R", "G", "B"}, folder_ / "no" / "a.exr"), Error);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(ImageFiles, APipeIsNotReplacedByAFile) {
  const fs::path pipe = folder_ / "pipe.png";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(write_png(random_image(8, 8, 3), pipe), Error);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(ImageFiles, PhotographsOfADatasetAreRead) {
  const char* data = std::getenv("MOTE_DATA");
  if (!data) GTEST_SKIP() << "MOTE_DATA is not set";
  const Image8 image = read_image8(fs::path(data) / "fox/images/0001.jpg");
  EXPECT_EQ(image.width, 540);
  EXPECT_EQ(image.height, 960);
  EXPECT_EQ(image.channels, 3);
}

}  // namespace
}  // namespace mote
