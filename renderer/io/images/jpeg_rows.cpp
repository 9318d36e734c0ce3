#include "io/images/jpeg_rows.h"

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <vector>

// After <cstdio>, which the headers need.
#include <jpeglib.h>
// After <jpeglib.h>.
#include <jerror.h>

#include "core/error.h"
#include "core/system_fault.h"

namespace mote {
namespace {

struct JpegRows {
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  std::jmp_buf place{};
  std::FILE* file = nullptr;
  std::size_t file_bytes = 0;
  std::string fault = {};
  bool is_made = false;
  JSAMPROW row = nullptr;

  JpegRows() = default;
  JpegRows(const JpegRows&) = delete;
  JpegRows& operator=(const JpegRows&) = delete;
  ~JpegRows() {
    if (is_made) jpeg_destroy_decompress(&jpeg);
    if (file != nullptr) std::fclose(file);
  }
};

void on_jpeg_error(j_common_ptr jpeg) {
  auto& rows = *static_cast<JpegRows*>(jpeg->client_data);
  char message[JMSG_LENGTH_MAX] = {};
  jpeg->err->format_message(jpeg, message);
  rows.fault = message;
  std::longjmp(rows.place, 1);
}

/// The library fills missing parts of a damaged file with grey and only warns. Reading ends at the
/// first warning, so that a short file of many pixels takes no time.
void on_jpeg_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;  // no warning
  char message[JMSG_LENGTH_MAX] = {};
  jpeg->err->format_message(jpeg, message);
  const auto& rows = *static_cast<const JpegRows*>(jpeg->client_data);
  if (!is_harmless_jpeg_warning(message, rows.file_bytes)) on_jpeg_error(jpeg);
}

// Parts of read_jpeg_rows() that libjpeg may leave by longjmp. They own no objects.

bool guarded_jpeg_header(JpegRows& rows) {
  if (setjmp(rows.place) != 0) return false;
  jpeg_create_decompress(&rows.jpeg);
  rows.is_made = true;
  jpeg_stdio_src(&rows.jpeg, rows.file);
  jpeg_read_header(&rows.jpeg, TRUE);
  return true;
}

bool guarded_jpeg_start(JpegRows& rows) {
  if (setjmp(rows.place) != 0) return false;
  rows.jpeg.out_color_space = JCS_RGB;
  rows.jpeg.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&rows.jpeg);
  return true;
}

bool guarded_jpeg_row(JpegRows& rows) {
  if (setjmp(rows.place) != 0) return false;
  jpeg_read_scanlines(&rows.jpeg, &rows.row, 1);
  return true;
}

bool guarded_jpeg_end(JpegRows& rows) {
  if (setjmp(rows.place) != 0) return false;
  jpeg_finish_decompress(&rows.jpeg);
  return true;
}

void open_jpeg(const std::filesystem::path& path, JpegRows& rows) {
  rows.file_bytes = static_cast<std::size_t>(InputFile(path).size());
  rows.file = std::fopen(path.c_str(), "rb");
  if (rows.file == nullptr) throw SystemFault("cannot be read", errno, path, "check the path");
  rows.jpeg.err = jpeg_std_error(&rows.errors);
  rows.errors.error_exit = on_jpeg_error;
  rows.errors.emit_message = on_jpeg_message;
  rows.jpeg.client_data = &rows;
}

std::string pixels_text(const ImageSize& size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height) + " pixels";
}

}  // namespace

bool is_harmless_jpeg_warning(const std::string& message, std::size_t file_bytes) {
  constexpr std::size_t kFewBytes = 64;
  unsigned count = 0;
  return std::sscanf(message.c_str(), "Corrupt JPEG data: %u extraneous bytes", &count) == 1 &&
         count <= std::max(kFewBytes, file_bytes / 100);
}

bool read_jpeg_rows(const std::filesystem::path& path, int most_side,
                    const std::function<void(const ImageSize& size)>& begin,
                    const std::function<void(int y, const std::uint8_t* rgb)>& take) {
  JpegRows rows;
  open_jpeg(path, rows);
  const auto fail = [&](const std::string& where) {
    if (rows.errors.msg_code == JERR_IMAGE_TOO_BIG) {
      throw Error("has more than 65500 pixels per side", path.string(),
                  "scale the image down, or save it as PNG");
    }
    throw Error("damaged JPEG: " + rows.fault, path.string() + where,
                "copy or download the file again");
  };
  if (!guarded_jpeg_header(rows)) fail("");
  if (rows.jpeg.jpeg_color_space == JCS_CMYK || rows.jpeg.jpeg_color_space == JCS_YCCK) {
    throw Error("is a CMYK JPEG, expected colour or grey", path.string(), "save the image as RGB");
  }
  const ImageSize size{static_cast<int>(rows.jpeg.image_width),
                       static_cast<int>(rows.jpeg.image_height)};
  const int longest = std::max(size.width, size.height);
  if (jpeg_has_multiple_scans(&rows.jpeg) != 0) {
    if (longest <= kMaxImageSide) return false;
    throw Error("is a progressive JPEG of " + pixels_text(size) + ", which cannot be read by rows",
                path.string(), "save it as a baseline JPEG");
  }
  if (longest > most_side) {
    throw Error("has " + pixels_text(size) + ", at most " + std::to_string(most_side) +
                    " per side can be read",
                path.string(), "scale the image down");
  }
  begin(size);
  if (!guarded_jpeg_start(rows)) fail("");
  std::vector<std::uint8_t> rgb(3 * static_cast<std::size_t>(size.width));
  rows.row = rgb.data();
  for (int y = 0; y < size.height; ++y) {
    if (!guarded_jpeg_row(rows)) fail(", row " + std::to_string(y));
    take(y, rgb.data());
  }
  if (!guarded_jpeg_end(rows)) fail("");
  return true;
}

}  // namespace mote
