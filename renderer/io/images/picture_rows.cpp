#include "io/images/picture_rows.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/system_fault.h"
#include "io/images/exr_reading.h"
#include "io/images/jpeg_rows.h"
#include "io/images/png_codec.h"
#include "io/images/scratch_rows.h"

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

/// The rows of a PNG in the order of the file. An interlaced one passes over the picture several
/// times, and the rows are complete in the last pass.
class PngPasses {
 public:
  PngPasses(PngRows& rows, int width, int height, std::uint64_t memory_bytes)
      : rows_(rows), height_(height), row_bytes_(png_get_rowbytes(rows.png, rows.info)) {
    CHECK(row_bytes_ >= 3 * static_cast<std::size_t>(width));
    if (rows.passes > 1) {
      kept_.emplace(row_bytes_, static_cast<std::size_t>(height), memory_bytes);
    } else {
      row_.resize(row_bytes_);
    }
  }

  /// Calls wait() in earlier passes, and take(y, bytes) in the last one. Calls fail(y) if a row
  /// cannot be decoded.
  void read(const auto& wait, const auto& take, const auto& fail) {
    for (int pass = 0; pass < rows_.passes; ++pass) {
      const bool is_last = pass + 1 == rows_.passes;
      for (int y = 0; y < height_; ++y) {
        if (!is_last && y % 256 == 0) wait();
        const bool is_read =
            rows_.passes == 1 || PNG_ROW_IN_INTERLACE_PASS(static_cast<unsigned>(y), pass) != 0;
        png_byte* bytes = is_read || is_last ? row(y, is_read) : nullptr;
        if (!guarded_row(rows_, is_read ? bytes : nullptr)) fail(y);
        if (is_last) take(y, bytes);
      }
    }
  }

 private:
  png_byte* row(int y, bool changes) {
    if (!kept_) return row_.data();
    return reinterpret_cast<png_byte*>(kept_->open(static_cast<std::size_t>(y), 1, changes));
  }

  PngRows& rows_;
  int height_;
  std::size_t row_bytes_;
  std::vector<png_byte> row_;
  std::optional<ScratchRows> kept_;  // of an interlaced picture
};

PictureFacts read_png(const fs::path& path, const PictureUse& use) {
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
  const PictureFacts facts{.size = {width, height},
                           .depth = depth == 8 ? PictureDepth::bits8 : PictureDepth::bits16,
                           .is_linear = false,
                           .has_alpha = channels == 4};
  const std::uint64_t memory_bytes = use.begin(facts);
  std::vector<float> rgb(3 * static_cast<std::size_t>(width));
  PngPasses(rows, width, height, memory_bytes)
      .read(
          [&] {
            if (use.wait) use.wait();
          },
          [&](int y, const png_byte* bytes) {
            convert_png_row(bytes, width, depth, channels, rgb.data());
            use.take(y, rgb.data());
          },
          [&](int y) { fail(", row " + std::to_string(y)); });
  return facts;
}

PictureFacts read_jpeg(const fs::path& path, const PictureUse& use) {
  PictureFacts facts;
  std::vector<float> rgb;
  read_jpeg_rows(path, kMostPictureSide,
                 {.begin =
                      [&](const ImageSize& size) {
                        facts.size = size;
                        rgb.resize(3 * static_cast<std::size_t>(size.width));
                        return use.begin(facts);
                      },
                  .wait = use.wait,
                  .take =
                      [&](int y, const std::uint8_t* row) {
                        std::transform(row, row + rgb.size(), rgb.begin(), [](std::uint8_t value) {
                          return static_cast<float>(value) / 255.0f;
                        });
                        use.take(y, rgb.data());
                      }});
  return facts;
}

PictureFacts read_exr(const fs::path& path, const PictureUse& use) {
  PictureFacts facts;
  read_exr_rows(
      path, kMostPictureSide, false,
      [&](const ExrFacts& exr) {
        facts = {.size = {exr.width, exr.height},
                 .depth = PictureDepth::half,
                 .is_linear = true,
                 .has_alpha = exr.has_alpha};
        use.begin(facts);
      },
      use.take);
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

PictureFacts read_picture(const fs::path& path, const PictureUse& use) {
  switch (kind_of(path)) {
    case PictureKind::png:
      return read_png(path, use);
    case PictureKind::jpeg:
      return read_jpeg(path, use);
    case PictureKind::exr:
      return read_exr(path, use);
    case PictureKind::other:
      break;
  }
  throw Error("is no PNG, JPEG or EXR", path.string(), "convert the picture to one of these");
}

}  // namespace mote
