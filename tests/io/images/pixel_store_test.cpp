// Pictures of any size by rows, and their pixels in memory and in a temporary file.
#include "io/images/pixel_store.h"

#include <gtest/gtest.h>
#include <png.h>
#include <turbojpeg.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

// After <cstdio>, which it needs.
#include <jpeglib.h>

#include "core/error.h"
#include "support/files/file_bytes.h"
#include "support/files/file_size_limit.h"
#include "support/thrown_by.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Values of a picture, different at each pixel.
float value_at(int x, int y, int channel, int steps) {
  return static_cast<float>((x * 31 + y * 57 + channel * 101) % (steps + 1)) /
         static_cast<float>(steps);
}

class PixelStores : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  /// Writes a PNG of `depth` bits, 3 channels or 4 with `alpha`.
  fs::path png(int width, int height, int depth, bool alpha = false, bool interlaced = false) {
    const fs::path path = folder_ / "picture.png";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    png_structp writer = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(writer);
    png_init_io(writer, file);
    png_set_IHDR(writer, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height),
                 depth, alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB,
                 interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
                 PNG_FILTER_TYPE_BASE);
    png_write_info(writer, info);
    const int channels = alpha ? 4 : 3, steps = depth == 8 ? 255 : 65535;
    std::vector<std::vector<png_byte>> rows;
    for (int y = 0; y < height; ++y) {
      std::vector<png_byte>& row = rows.emplace_back();
      for (int x = 0; x < width; ++x) {
        for (int c = 0; c < channels; ++c) {
          const float value = c == 3 ? 0.4f : value_at(x, y, c, steps);
          const auto stored = static_cast<int>(std::lround(value * static_cast<float>(steps)));
          if (depth == 16) row.push_back(static_cast<png_byte>(stored >> 8));
          row.push_back(static_cast<png_byte>(stored & 255));
        }
      }
    }
    std::vector<png_bytep> places;
    for (auto& row : rows) places.push_back(row.data());
    png_write_image(writer, places.data());
    png_write_end(writer, nullptr);
    png_destroy_write_struct(&writer, &info);
    std::fclose(file);
    return path;
  }

  fs::path exr(int width, int height, float scale = 1) {
    Image image;
    image.resize_discard(width, height, 3);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < 3 * width; ++x) image.row(y)[x] = scale * value_at(x / 3, y, x % 3, 1024);
    }
    const fs::path path = folder_ / "picture.exr";
    write_exr(image, {"R", "G", "B"}, path);
    return path;
  }

  static void expect_values(const PixelStore& store, int steps, float scale = 1) {
    // 8 bits are exact, unless they are scaled; halves have 11 bits.
    const float tolerance = steps > 255 ? 5e-4f * scale : scale == 1 ? 1e-6f : 0.5f / 255 + 1e-6f;
    PixelStore::TileReader tile(store);
    for (int y = 0; y < store.height(); ++y) {
      for (int x = 0; x < store.width(); ++x) {
        constexpr int kSide = PixelStore::kTile_px;
        tile.open(x / kSide, y / kSide);
        float rgb[3];
        tile.color(x % kSide, y % kSide, rgb);
        for (int c = 0; c < 3; ++c) {
          const float wanted = scale * value_at(x, y, c, steps);
          ASSERT_NEAR(rgb[c], wanted, tolerance);
        }
      }
    }
  }

  /// Writes a JPEG with the flags of TurboJPEG; the colours have half of the resolution.
  fs::path jpeg(int width, int height, int flags, bool gray = false) {
    std::vector<unsigned char> pixels;
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < 3 * width; ++x) {
        pixels.push_back(static_cast<unsigned char>(128 + 100 * std::sin(0.2 * x) * std::cos(y)));
      }
    }
    const tjhandle encoder = tjInitCompress();
    unsigned char* bytes = nullptr;
    unsigned long size = 0;  // NOLINT(google-runtime-int): the library's type
    EXPECT_EQ(tjCompress2(encoder, pixels.data(), width, 0, height, TJPF_RGB, &bytes, &size,
                          gray ? TJSAMP_GRAY : TJSAMP_420, 90, flags),
              0);
    const fs::path path = folder_ / "picture.jpg";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    tjFree(bytes);
    tjDestroy(encoder);
    return path;
  }

  /// The pixels are those of the picture that is decoded at once, bit for bit.
  static void expect_whole_picture(const fs::path& path, std::uint64_t memory_bytes) {
    const Image8 whole = read_image8(path);
    const PixelStore store(path, memory_bytes, {});
    ASSERT_EQ(store.width(), whole.width);
    ASSERT_EQ(store.height(), whole.height);
    PixelStore::TileReader tile(store);
    for (int y = 0; y < whole.height; ++y) {
      for (int x = 0; x < whole.width; ++x) {
        constexpr int kSide = PixelStore::kTile_px;
        tile.open(x / kSide, y / kSide);
        float rgb[3];
        tile.color(x % kSide, y % kSide, rgb);
        for (int c = 0; c < 3; ++c) {
          const int channel = whole.channels == 1 ? 0 : c;
          ASSERT_NEAR(rgb[c], whole.row(y)[whole.channels * x + channel] / 255.0f, 1e-6f)
              << x << " " << y;
        }
      }
    }
  }

  /// Writes a JPEG with a scan for each of its three components.
  fs::path jpeg_of_scans(int width, int height) {
    const fs::path path = folder_ / "picture.jpg";
    std::FILE* file = std::fopen(path.c_str(), "wb");
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    jpeg_stdio_dest(&jpeg, file);
    jpeg.image_width = static_cast<JDIMENSION>(width);
    jpeg.image_height = static_cast<JDIMENSION>(height);
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    std::array<jpeg_scan_info, 3> scans{};
    for (int c = 0; c < 3; ++c) {
      jpeg_scan_info& scan = scans[static_cast<std::size_t>(c)];
      scan.comps_in_scan = 1;
      scan.component_index[0] = c;
      scan.Se = DCTSIZE2 - 1;
    }
    jpeg.scan_info = scans.data();
    jpeg.num_scans = 3;
    jpeg_start_compress(&jpeg, TRUE);
    std::vector<JSAMPLE> row(3 * static_cast<std::size_t>(width), 90);
    JSAMPROW rows[] = {row.data()};
    for (int y = 0; y < height; ++y) jpeg_write_scanlines(&jpeg, rows, 1);
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    std::fclose(file);
    return path;
  }

  static constexpr std::uint64_t kPlenty = 1 << 30, kLittle = 1000;
  fs::path folder_ = fs::path(testing::TempDir()) / ("pixel_store_" + std::to_string(::getpid()));
};

TEST_F(PixelStores, KeepTheValuesOfEachDepth) {
  expect_values(PixelStore(png(150, 70, 8), kPlenty, {}), 255);
  expect_values(PixelStore(png(65, 64, 16), kPlenty, {}), 65535);
  const PixelStore linear(exr(100, 130, 8), kPlenty, {});
  expect_values(linear, 1024, 8);
  EXPECT_TRUE(linear.facts().is_linear);
}

TEST_F(PixelStores, ReadInterlacedPictures) {
  for (const int depth : {8, 16}) {
    for (const std::uint64_t memory_bytes : {kPlenty, kLittle}) {
      SCOPED_TRACE(testing::Message() << depth << " bits, " << memory_bytes);
      expect_values(PixelStore(png(71, 66, depth, false, true), memory_bytes, {}),
                    depth == 8 ? 255 : 65535);
    }
  }
  // Too narrow for some of the passes.
  expect_values(PixelStore(png(1, 70, 8, false, true), kLittle, {}), 255);
}

TEST_F(PixelStores, ReadJpegsOfOneAndOfSeveralScans) {
  for (const bool gray : {false, true}) {
    for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
      // With room for the pixels alone, the coefficients are in a temporary file.
      for (const std::uint64_t memory_bytes :
           {kPlenty, std::uint64_t{2 * 2 * 64 * 64 * 3}, kLittle}) {
        SCOPED_TRACE(testing::Message() << gray << " " << flags << " " << memory_bytes);
        expect_whole_picture(jpeg(71, 66, flags, gray), memory_bytes);
      }
    }
  }
}

TEST_F(PixelStores, LongJpegsOfOneAndOfSeveralScansHaveEqualPixels) {
  constexpr int kWidth = kMaxImageSide + 3;
  const PixelStore store(jpeg(kWidth, 9, 0), kPlenty, {});
  EXPECT_EQ(store.width(), kWidth);
  EXPECT_EQ(store.height(), 9);
  const fs::path progressive = jpeg(kWidth, 9, TJFLAG_PROGRESSIVE);
  for (const std::uint64_t memory_bytes : {kPlenty, kLittle}) {
    const PixelStore other(progressive, memory_bytes, {});
    EXPECT_EQ(other.width(), kWidth);
    EXPECT_EQ(other.fingerprint(), store.fingerprint());
  }
}

TEST_F(PixelStores, ReadingStopsBetweenTheScansOfAJpegAndThePassesOfAPng) {
  struct Stop {};
  for (const fs::path& path : {jpeg(71, 66, TJFLAG_PROGRESSIVE), png(71, 66, 8, false, true)}) {
    for (const std::uint64_t memory_bytes : {kPlenty, kLittle}) {
      // The first row is reported once.
      int calls = 0;
      const auto progress = [&](double) {
        if (++calls == 2) throw Stop();
      };
      EXPECT_THROW(PixelStore(path, memory_bytes, progress), Stop) << path;
    }
  }
}

/// A short file can have any number of scans of all its pixels.
TEST_F(PixelStores, RefuseJpegsOfVeryManyScans) {
  const std::string bytes = text_of(jpeg_of_scans(8, 8));
  const std::size_t last = bytes.rfind("\xff\xda"), end = bytes.rfind("\xff\xd9");
  ASSERT_LT(last, end);
  const auto with_scans = [&](int more) {
    const fs::path path = folder_ / "scans.jpg";
    std::string text = bytes.substr(0, end);
    for (int i = 0; i < more; ++i) text += bytes.substr(last, end - last);
    std::ofstream(path, std::ios::binary) << text << bytes.substr(end);
    return path;
  };
  EXPECT_EQ(PixelStore(with_scans(400), kPlenty, {}).fingerprint(),
            PixelStore(with_scans(0), kPlenty, {}).fingerprint());
  const Error error = thrown_by([&] { PixelStore(with_scans(600), kPlenty, {}); });
  EXPECT_NE(error.where().find("scans.jpg"), std::string::npos);
  EXPECT_NE(error.problem().find("more than 500 scans"), std::string::npos) << error.what();
}

/// The library that reads rows has this limit, though the format has 65535.
TEST_F(PixelStores, RefuseJpegsOfMorePixelsThanTheLibraryReads) {
  std::string bytes = text_of(jpeg(150, 70, 0));
  const std::size_t frame = bytes.find("\xff\xc0");  // SOF0: length, depth, height, width
  ASSERT_NE(frame, std::string::npos);
  bytes[frame + 7] = bytes[frame + 8] = '\xff';
  const fs::path path = folder_ / "wide.jpg";
  std::ofstream(path, std::ios::binary) << bytes;
  const Error error = thrown_by([&] { PixelStore(path, kPlenty, {}); });
  EXPECT_EQ(error.where(), path.string());
  EXPECT_NE(error.problem().find("65500 pixels per side"), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find("PNG"), std::string::npos) << error.what();
}

TEST_F(PixelStores, RefuseDamagedJpegs) {
  for (const int flags : {0, TJFLAG_PROGRESSIVE}) {
    const std::string bytes = text_of(jpeg(150, 70, flags));
    for (const std::size_t length : {std::size_t{20}, bytes.size() / 2, bytes.size() - 40}) {
      const fs::path cut = folder_ / "cut.jpg";
      std::ofstream(cut, std::ios::binary) << bytes.substr(0, length);
      const Error error = thrown_by([&] { PixelStore(cut, kPlenty, {}); });
      EXPECT_NE(error.where().find("cut.jpg"), std::string::npos) << length;
      EXPECT_NE(error.problem().find("damaged JPEG"), std::string::npos) << error.what();
    }
  }
}

TEST_F(PixelStores, ComposeTransparentPixelsOverBlack) {
  const PixelStore store(png(10, 5, 8, true), kPlenty, {});
  EXPECT_TRUE(store.facts().has_alpha);
  expect_values(store, 255, std::round(0.4f * 255) / 255);
}

TEST_F(PixelStores, UseATemporaryFileBeyondTheirBudget) {
  const fs::path path = png(150, 200, 8);
  const PixelStore in_memory(path, kPlenty, {}), in_file(path, 1000, {});
  EXPECT_TRUE(in_memory.is_in_memory());
  EXPECT_FALSE(in_file.is_in_memory());
  EXPECT_EQ(in_file.memory_bytes(), 0u);
  EXPECT_EQ(in_file.fingerprint(), in_memory.fingerprint());
  expect_values(in_file, 255);
}

TEST_F(PixelStores, NameTheFolderThatHasNoSpaceForATemporaryFile) {
  const fs::path interlaced = folder_ / "interlaced.png";
  fs::rename(png(71, 66, 8, false, true), interlaced);
  const fs::path plain = png(150, 200, 8), progressive = jpeg(71, 66, TJFLAG_PROGRESSIVE);
  ::setenv("TMPDIR", "/dev/full-no-such-folder", 1);
  for (const fs::path& path : {interlaced, plain, progressive}) {
    // The second one is room for the pixels of the smaller pictures, and for nothing else.
    for (const std::uint64_t memory_bytes : {kLittle, std::uint64_t{2 * 2 * 64 * 64 * 3}}) {
      const Error error = thrown_by([&] { PixelStore(path, memory_bytes, {}); });
      EXPECT_EQ(error.where(), "/dev/full-no-such-folder") << path;
      for (const char* place : {"--memory of mote train and mote eval", "in the window"}) {
        EXPECT_NE(error.remedy().find(place), std::string::npos) << error.what();
      }
    }
  }
  ::unsetenv("TMPDIR");
}

TEST_F(PixelStores, NameTheChoiceOfAnotherFolderWhereOneTakesNoMore) {
  TemporaryFile file(100);
  const std::array<std::byte, 100> bytes{};
  const auto within_limit = [](const auto& work) {
    const FileSizeLimit limit(50);
    return thrown_by(work);
  };
  for (const Error& error : {within_limit([] { TemporaryFile larger(1000); }),
                             within_limit([&] { file.write(0, bytes); })}) {
    for (const char* remedy : {"ulimit -f", "set TMPDIR to another folder", "--memory"}) {
      EXPECT_NE(error.remedy().find(remedy), std::string::npos) << error.what();
    }
  }
}

TEST_F(PixelStores, RefuseDamagedPictures) {
  const fs::path whole = png(150, 70, 8);
  const std::string bytes = text_of(whole);
  for (const std::size_t length : {std::size_t{9}, std::size_t{40}, bytes.size() / 2}) {
    const fs::path cut = folder_ / "cut.png";
    std::ofstream(cut, std::ios::binary) << bytes.substr(0, length);
    const Error error = thrown_by([&] { PixelStore store(cut, kPlenty, {}); });
    EXPECT_NE(error.where().find("cut.png"), std::string::npos) << length;
  }
  const std::string exr_bytes = text_of(exr(60, 60));
  const fs::path cut = folder_ / "cut.exr";
  std::ofstream(cut, std::ios::binary) << exr_bytes.substr(0, exr_bytes.size() / 2);
  EXPECT_NE(thrown_by([&] { PixelStore store(cut, kPlenty, {}); }).where().find("cut.exr"),
            std::string::npos);
}

TEST_F(PixelStores, RefuseOtherFilesAndValuesThatAreNotFinite) {
  const fs::path text = folder_ / "text.png";
  std::ofstream(text) << "no picture";
  EXPECT_FALSE(is_picture_file(text));
  EXPECT_EQ(thrown_by([&] { PixelStore store(text, kPlenty, {}); }).where(), text.string());
  EXPECT_FALSE(is_picture_file(folder_));
  EXPECT_FALSE(is_picture_file(folder_ / "missing.png"));
  const fs::path infinite = exr(4, 4, std::numeric_limits<float>::infinity());
  EXPECT_TRUE(is_picture_file(infinite));
  EXPECT_NE(thrown_by([&] { PixelStore store(infinite, kPlenty, {}); }).where().find("pixel (0"),
            std::string::npos);
}

}  // namespace
}  // namespace mote
