#include "io/images/jpeg_rows.h"

#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

// After <cstdio>, which the headers need.
#include <jpeglib.h>
// After <jpeglib.h>.
#include <jerror.h>

#include "core/error.h"
#include "core/system_fault.h"
#include "io/images/scratch_rows.h"

namespace mote {
namespace {

constexpr int kMostScans = 500;  // as TurboJPEG's TJFLAG_LIMITSCANS

/// The coefficients of one component, in place of the library's own array, which is in memory.
struct CoefficientArray {
  CoefficientArray(std::size_t blocks, std::size_t rows, std::uint64_t memory_bytes)
      : row_blocks(blocks), stored(blocks * sizeof(JBLOCK), rows, memory_bytes) {}

  void open(std::size_t first, std::size_t count, bool changes) {
    auto* block = reinterpret_cast<JBLOCKROW>(stored.open(first, count, changes));
    places.resize(count);
    for (JBLOCKROW& place : places) {
      place = block;
      block += row_blocks;
    }
  }

  std::size_t row_blocks;
  ScratchRows stored;
  std::vector<JBLOCKROW> places;  // of the open rows
};

struct JpegRows {
  explicit JpegRows(const JpegRowUse& given) : use(given) {}
  JpegRows(const JpegRows&) = delete;
  JpegRows& operator=(const JpegRows&) = delete;
  ~JpegRows() {
    if (is_made) jpeg_destroy_decompress(&jpeg);
    if (file != nullptr) std::fclose(file);
  }

  const JpegRowUse& use;
  jpeg_decompress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf place{};
  std::FILE* file = nullptr;
  std::size_t file_bytes = 0;
  std::string fault = {};
  bool is_made = false;
  JSAMPROW row = nullptr;
  bool is_started = false;
  std::uint64_t memory_bytes = 0;  // for further coefficients
  std::vector<std::unique_ptr<CoefficientArray>> arrays = {};
  std::exception_ptr thrown = {};  // by a function that the library called
};

JpegRows& rows_of(j_common_ptr jpeg) {
  return *static_cast<JpegRows*>(jpeg->client_data);
}

/// Exceptions may not pass through the library: keeps the one of `work`, and returns whether there
/// is none.
template <class Work>
bool kept_none(JpegRows& rows, const Work& work) noexcept {
  try {
    work();
    return true;
  } catch (...) {
    rows.thrown = std::current_exception();
    return false;
  }
}

void on_jpeg_error(j_common_ptr jpeg) {
  JpegRows& rows = rows_of(jpeg);
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
  if (!is_harmless_jpeg_warning(message, rows_of(jpeg).file_bytes)) on_jpeg_error(jpeg);
}

/// A short file can have so many scans of a large picture that they take hours.
void on_jpeg_progress(j_common_ptr jpeg) {
  JpegRows& rows = rows_of(jpeg);
  if (rows.jpeg.input_scan_number > kMostScans) {
    rows.fault = "it has more than " + std::to_string(kMostScans) + " scans";
    std::longjmp(rows.place, 1);
  }
  if (rows.is_started || !rows.use.wait) return;
  if (!kept_none(rows, rows.use.wait)) std::longjmp(rows.place, 1);
}

// The two functions of the library's memory that files of several scans use.

jvirt_barray_ptr request_coefficients(j_common_ptr jpeg, int /*pool*/, boolean /*zero*/,
                                      JDIMENSION blocks, JDIMENSION count, JDIMENSION /*most*/) {
  JpegRows& rows = rows_of(jpeg);
  CoefficientArray* made = nullptr;
  const auto make = [&] {
    auto array = std::make_unique<CoefficientArray>(blocks, count, rows.memory_bytes);
    if (array->stored.is_in_memory()) {
      rows.memory_bytes -= std::uint64_t{blocks} * sizeof(JBLOCK) * count;
    }
    made = array.get();
    rows.arrays.push_back(std::move(array));
  };
  if (!kept_none(rows, make)) std::longjmp(rows.place, 1);
  return reinterpret_cast<jvirt_barray_ptr>(made);
}

JBLOCKARRAY access_coefficients(j_common_ptr jpeg, jvirt_barray_ptr own, JDIMENSION first,
                                JDIMENSION count, boolean changes) {
  auto* array = reinterpret_cast<CoefficientArray*>(own);
  if (!kept_none(rows_of(jpeg), [&] { array->open(first, count, changes != 0); })) {
    std::longjmp(rows_of(jpeg).place, 1);
  }
  return array->places.data();
}

// Parts of read_jpeg_rows() that libjpeg may leave by longjmp. They own no objects.

bool guarded_jpeg_header(JpegRows& rows) {
  if (setjmp(rows.place) != 0) return false;
  jpeg_create_decompress(&rows.jpeg);
  rows.is_made = true;
  rows.jpeg.mem->request_virt_barray = request_coefficients;
  rows.jpeg.mem->access_virt_barray = access_coefficients;
  rows.progress.progress_monitor = on_jpeg_progress;
  rows.jpeg.progress = &rows.progress;
  jpeg_stdio_src(&rows.jpeg, rows.file);
  jpeg_read_header(&rows.jpeg, TRUE);
  return true;
}

bool guarded_jpeg_start(JpegRows& rows) {
  if (setjmp(rows.place) != 0) return false;
  rows.jpeg.out_color_space = JCS_RGB;
  rows.jpeg.dct_method = JDCT_ISLOW;
  jpeg_start_decompress(&rows.jpeg);
  rows.is_started = true;
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

}  // namespace

bool is_harmless_jpeg_warning(const std::string& message, std::size_t file_bytes) {
  constexpr std::size_t kFewBytes = 64;
  unsigned count = 0;
  return std::sscanf(message.c_str(), "Corrupt JPEG data: %u extraneous bytes", &count) == 1 &&
         count <= std::max(kFewBytes, file_bytes / 100);
}

void read_jpeg_rows(const std::filesystem::path& path, int most_side, const JpegRowUse& use) {
  JpegRows rows(use);
  open_jpeg(path, rows);
  const auto fail = [&](const std::string& where) {
    if (rows.thrown) std::rethrow_exception(rows.thrown);
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
  if (std::max(size.width, size.height) > most_side) {
    throw Error("has " + std::to_string(size.width) + "x" + std::to_string(size.height) +
                    " pixels, at most " + std::to_string(most_side) + " per side can be read",
                path.string(), "scale the image down");
  }
  rows.memory_bytes = use.begin(size);
  if (!guarded_jpeg_start(rows)) fail("");
  std::vector<std::uint8_t> rgb(3 * static_cast<std::size_t>(size.width));
  rows.row = rgb.data();
  for (int y = 0; y < size.height; ++y) {
    if (!guarded_jpeg_row(rows)) fail(", row " + std::to_string(y));
    use.take(y, rgb.data());
  }
  if (!guarded_jpeg_end(rows)) fail("");
}

}  // namespace mote
