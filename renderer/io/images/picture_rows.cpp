#include "io/images/picture_rows.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/system_fault.h"
#include "io/images/exr_reading.h"
#include "io/images/jpeg_rows.h"
#include "io/images/png_codec.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCopyPicture = "copy or download the file again";

enum class PictureKind { png, jpeg, exr, other };

PictureKind kind_of(const fs::path& path) {
  std::array<std::byte, 16> head{};
  const std::size_t count = InputFile(path).read_some(0, head);
  const std::span<const std::byte> bytes(head.data(), count);
  const auto begins = [&](std::initializer_list<int> wanted) {
    return count >= wanted.size() &&
           std::equal(wanted.begin(), wanted.end(), bytes.begin(),
                      [](int a, std::byte b) { return static_cast<std::byte>(a) == b; });
  };
  if (is_png(bytes)) return PictureKind::png;
  if (begins({0xff, 0xd8, 0xff})) return PictureKind::jpeg;
  if (is_exr(bytes)) return PictureKind::exr;
  return PictureKind::other;
}

// Parts of read_png() that libpng may leave by longjmp. They own no objects, as in png_codec.cpp.

struct PngRows {
  std::FILE* file = nullptr;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::string fault = {};
  int passes = 1;

  ~PngRows() {
    png_destroy_read_struct(&png, &info, nullptr);
    if (file != nullptr) std::fclose(file);
  }
};

void on_row_error(png_structp png, png_const_charp message) {
  static_cast<PngRows*>(png_get_error_ptr(png))->fault = message;
  png_longjmp(png, 1);
}

bool guarded_rows_header(PngRows& rows) {
  if (setjmp(png_jmpbuf(rows.png)) != 0) return false;
  png_init_io(rows.png, rows.file);
  png_set_user_limits(rows.png, kMostPictureSide, kMostPictureSide);
  png_set_chunk_malloc_max(rows.png, kMostPngChunkBytes);
  png_read_info(rows.png, rows.info);
  png_set_expand(rows.png);  // palettes and 1, 2, 4 bits to 8; tRNS to alpha
  png_set_gray_to_rgb(rows.png);
  rows.passes = png_set_interlace_handling(rows.png);
  png_read_update_info(rows.png, rows.info);
  return true;
}

bool guarded_row(PngRows& rows, png_bytep bytes) {
  if (setjmp(png_jmpbuf(rows.png)) != 0) return false;
  png_read_row(rows.png, bytes, nullptr);
  return true;
}

/// A row of 8 or 16 bits, with 3 or 4 channels, as values over black.
void convert_png_row(const png_byte* bytes, int width, int depth, int channels, float* rgb) {
  const auto value = [&](int at) {
    if (depth == 8) return static_cast<float>(bytes[at]) / 255.0f;
    return static_cast<float>(bytes[2 * at] << 8 | bytes[2 * at + 1]) / 65535.0f;
  };
  for (int x = 0; x < width; ++x) {
    const float alpha = channels == 4 ? value(4 * x + 3) : 1.0f;
    for (int c = 0; c < 3; ++c) rgb[3 * x + c] = value(channels * x + c) * alpha;
  }
}

PictureFacts read_png(const fs::path& path, const std::function<void(const PictureFacts&)>& begin,
                      const TakePictureRow& take) {
  PngRows rows;
  rows.file = std::fopen(path.c_str(), "rb");
  if (rows.file == nullptr) throw SystemFault("cannot be read", errno, path, "check the path");
  rows.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &rows, on_row_error, refuse_large_chunk);
  rows.info = rows.png == nullptr ? nullptr : png_create_info_struct(rows.png);
  if (rows.info == nullptr) throw std::bad_alloc();
  const auto fail = [&](const std::string& where) {
    throw Error("damaged PNG: " + rows.fault, path.string() + where, kCopyPicture);
  };
  if (!guarded_rows_header(rows)) fail("");
  const auto width = static_cast<int>(png_get_image_width(rows.png, rows.info));
  const auto height = static_cast<int>(png_get_image_height(rows.png, rows.info));
  const int depth = png_get_bit_depth(rows.png, rows.info);
  const int channels = png_get_channels(rows.png, rows.info);
  if (rows.passes > 1 && std::max(width, height) > kMaxImageSide) {
    throw Error("is an interlaced PNG of " + std::to_string(width) + "x" + std::to_string(height) +
                    " pixels, which cannot be read by rows",
                path.string(), "save it without interlacing");
  }
  const PictureFacts facts{.size = {width, height},
                           .depth = depth == 8 ? PictureDepth::bits8 : PictureDepth::bits16,
                           .is_linear = false,
                           .has_alpha = channels == 4};
  begin(facts);
  const std::size_t row_bytes = png_get_rowbytes(rows.png, rows.info);
  const auto all_rows = static_cast<std::size_t>(height);
  // The passes of an interlaced picture need all of it.
  std::vector<png_byte> bytes(row_bytes * (rows.passes > 1 ? all_rows : 1));
  std::vector<float> rgb(3 * static_cast<std::size_t>(width));
  for (int pass = 0; pass < rows.passes; ++pass) {
    for (int y = 0; y < height; ++y) {
      png_byte* own =
          bytes.data() + (rows.passes > 1 ? static_cast<std::size_t>(y) * row_bytes : 0);
      if (!guarded_row(rows, own)) fail(", row " + std::to_string(y));
      if (pass + 1 < rows.passes) continue;
      convert_png_row(own, width, depth, channels, rgb.data());
      take(y, rgb.data());
    }
  }
  return facts;
}

/// A JPEG of several scans, which is decoded at once.
PictureFacts read_whole_jpeg(const fs::path& path,
                             const std::function<void(const PictureFacts&)>& begin,
                             const TakePictureRow& take) {
  const Image8 image = read_image8(path);
  const PictureFacts facts{.size = {image.width, image.height}};
  begin(facts);
  std::vector<float> rgb(3 * static_cast<std::size_t>(image.width));
  for (int y = 0; y < image.height; ++y) {
    const std::uint8_t* row = image.row(y);
    for (int x = 0; x < image.width; ++x) {
      for (int c = 0; c < 3; ++c) {
        const int channel = image.channels >= 3 ? c : 0;
        rgb[static_cast<std::size_t>(3 * x + c)] =
            static_cast<float>(row[image.channels * x + channel]) / 255.0f;
      }
    }
    take(y, rgb.data());
  }
  return facts;
}

PictureFacts read_jpeg(const fs::path& path, const std::function<void(const PictureFacts&)>& begin,
                       const TakePictureRow& take) {
  PictureFacts facts;
  std::vector<float> rgb;
  const bool is_by_rows = read_jpeg_rows(
      path, kMostPictureSide,
      [&](const ImageSize& size) {
        facts.size = size;
        rgb.resize(3 * static_cast<std::size_t>(size.width));
        begin(facts);
      },
      [&](int y, const std::uint8_t* row) {
        std::transform(row, row + rgb.size(), rgb.begin(),
                       [](std::uint8_t value) { return static_cast<float>(value) / 255.0f; });
        take(y, rgb.data());
      });
  return is_by_rows ? facts : read_whole_jpeg(path, begin, take);
}

PictureFacts read_exr(const fs::path& path, const std::function<void(const PictureFacts&)>& begin,
                      const TakePictureRow& take) {
  PictureFacts facts;
  read_exr_rows(
      path, kMostPictureSide, false,
      [&](const ExrFacts& exr) {
        facts = {.size = {exr.width, exr.height},
                 .depth = PictureDepth::half,
                 .is_linear = true,
                 .has_alpha = exr.has_alpha};
        begin(facts);
      },
      take);
  return facts;
}

}  // namespace

bool is_picture_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  try {
    return kind_of(path) != PictureKind::other;
  } catch (const Error&) {
    return false;
  }
}

PictureFacts read_picture(const fs::path& path,
                          const std::function<void(const PictureFacts& facts)>& begin,
                          const TakePictureRow& take) {
  switch (kind_of(path)) {
    case PictureKind::png:
      return read_png(path, begin, take);
    case PictureKind::jpeg:
      return read_jpeg(path, begin, take);
    case PictureKind::exr:
      return read_exr(path, begin, take);
    case PictureKind::other:
      break;
  }
  throw Error("is no PNG, JPEG or EXR", path.string(), "convert the picture to one of these");
}

}  // namespace mote
