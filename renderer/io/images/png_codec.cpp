#include "io/images/png_codec.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <string_view>
#include <vector>

#include "core/error.h"

// libpng reports failures by longjmp, which must not skip a C++ destructor. So every call of it is
// in a function without owned objects (`guarded_...`). The objects are owned one level above, by
// PngReader and PngWriter.

namespace mote {
namespace {

constexpr int kCompressionLevel = 3;  // level 6 takes 1.6 times as long and saves 10 to 20 %
constexpr char kColorChunks[] = "cICP\0mDCV\0cLLI";  // unknown to older versions of libpng
constexpr int kColorChunkCount = 3;

struct PngReader {
  std::span<const std::byte> rest;
  bool keeps_color_chunks = false;
  png_structp png = nullptr;
  png_infop info = nullptr;
  Image8 image = {};
  std::vector<png_bytep> rows = {};
  std::string fault = {};

  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

struct PngWriter {
  const Image& image;
  OutputFile& file;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::vector<png_byte> row = {};
  std::string fault = {};
  std::exception_ptr write_fault = {};

  ~PngWriter() { png_destroy_write_struct(&png, &info); }
};

/// A PNG written again with other pixels. It shares the reader's info, which keeps all chunks.
struct PngCopy {
  PngReader& from;
  Image8 pixels;  // one channel per byte of a pixel
  int depth;      // bits per sample in the file
  bool swaps_sides;
  png_structp png = nullptr;
  std::string bytes = {};
  std::string fault = {};

  ~PngCopy() { png_destroy_write_struct(&png, nullptr); }
};

template <class Codec>
void on_error(png_structp png, png_const_charp message) {
  static_cast<Codec*>(png_get_error_ptr(png))->fault = message;
  png_longjmp(png, 1);
}

void read_bytes(png_structp png, png_bytep out, png_size_t count) {
  PngReader& reader = *static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > reader.rest.size()) png_error(png, "truncated");
  std::memcpy(out, reader.rest.data(), count);
  reader.rest = reader.rest.subspan(count);
}

void write_bytes(png_structp png, png_bytep bytes, png_size_t count) {
  PngWriter& writer = *static_cast<PngWriter*>(png_get_io_ptr(png));
  try {
    writer.file.write(std::as_bytes(std::span(bytes, count)));
    return;
  } catch (...) {
    writer.write_fault = std::current_exception();
  }
  png_error(png, "write failed");
}

void append_bytes(png_structp png, png_bytep bytes, png_size_t count) {
  PngCopy& copy = *static_cast<PngCopy*>(png_get_io_ptr(png));
  try {
    copy.bytes.append(reinterpret_cast<const char*>(bytes), count);
    return;
  } catch (...) {
  }
  png_error(png, "out of memory");
}

void flush_bytes(png_structp) {}

void ignore_warning(png_structp, png_const_charp) {}

void keep_color_chunks(png_structp png) {
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS,
                              reinterpret_cast<png_const_bytep>(kColorChunks), kColorChunkCount);
}

void read_header(PngReader& reader) {
  if (reader.keeps_color_chunks) keep_color_chunks(reader.png);
  png_set_read_fn(reader.png, &reader, read_bytes);
  png_set_chunk_malloc_max(reader.png, kMostPngChunkBytes);
  png_read_info(reader.png, reader.info);
}

/// Allocates rows for the output of the configured transforms.
void allocate_rows(PngReader& reader) {
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  const auto width = png_get_image_width(reader.png, reader.info);
  const auto height = png_get_image_height(reader.png, reader.info);
  const auto pixel_bytes = png_get_rowbytes(reader.png, reader.info) / width;
  reader.image.resize_discard(static_cast<int>(width), static_cast<int>(height),
                              static_cast<int>(pixel_bytes));
  reader.rows.resize(height);
  for (png_uint_32 y = 0; y < height; ++y) reader.rows[y] = reader.image.row(static_cast<int>(y));
}

void allocate_image(PngReader& reader) {
  png_set_expand(reader.png);    // palettes and 1, 2, 4 bits to 8; tRNS to alpha
  png_set_scale_16(reader.png);  // 16 bits to 8, rounded
  allocate_rows(reader);
}

/// For samples as stored; samples of less than 8 bits take a byte each.
void allocate_stored(PngReader& reader) {
  png_set_packing(reader.png);
  allocate_rows(reader);
}

void read_rows(PngReader& reader) {
  png_read_image(reader.png, reader.rows.data());
  png_read_end(reader.png, nullptr);
}

/// Also reads the chunks after the rows.
void read_rows_and_end(PngReader& reader) {
  png_read_image(reader.png, reader.rows.data());
  png_read_end(reader.png, reader.info);
}

void set_compression(png_structp png) {
  png_set_compression_level(png, kCompressionLevel);
  png_set_compression_strategy(png, Z_FILTERED);
  png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP);
}

void write_header(PngWriter& writer) {
  constexpr int kColorTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_write_fn(writer.png, &writer, write_bytes, flush_bytes);
  set_compression(writer.png);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(writer.image.width),
               static_cast<png_uint_32>(writer.image.height), 8,
               kColorTypes[writer.image.channels - 1], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  char key[] = "Software", value[] = "Mote";  // kSoftware; libpng requires writable strings
  png_text mark{};
  mark.compression = PNG_TEXT_COMPRESSION_NONE;
  mark.key = key;
  mark.text = value;
  mark.text_length = sizeof value - 1;
  png_set_text(writer.png, writer.info, &mark, 1);
  png_write_info(writer.png, writer.info);
}

/// NaN becomes 0.
png_byte rounded_to_8_bits(float value) {
  return static_cast<png_byte>(value > 0 ? std::min(value, 1.0f) * 255.0f + 0.5f : 0.0f);
}

void write_rows(PngWriter& writer) {
  for (int y = 0; y < writer.image.height; ++y) {
    std::transform(writer.image.row(y), writer.image.row(y) + writer.row.size(), writer.row.begin(),
                   rounded_to_8_bits);
    png_write_row(writer.png, writer.row.data());
  }
  png_write_end(writer.png, nullptr);
}

void write_copy(PngCopy& copy) {
  const png_structp png = copy.png;
  const png_infop info = copy.from.info;
  png_set_write_fn(png, &copy, append_bytes, flush_bytes);
  keep_color_chunks(png);
  png_set_benign_errors(png, 1);
  const int type = png_get_color_type(png, info);
  if (copy.depth >= 8 && type != PNG_COLOR_TYPE_PALETTE) set_compression(png);
  png_set_IHDR(png, info, static_cast<png_uint_32>(copy.pixels.width),
               static_cast<png_uint_32>(copy.pixels.height), copy.depth, type, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_uint_32 across = 0, down = 0;
  int unit = 0;
  if (copy.swaps_sides && png_get_pHYs(png, info, &across, &down, &unit) != 0) {
    png_set_pHYs(png, info, down, across, unit);
  }
  png_write_info(png, info);
  png_set_packing(png);
  for (int y = 0; y < copy.pixels.height; ++y) png_write_row(png, copy.pixels.row(y));
  png_write_end(png, nullptr);
}

template <class Codec>
bool guarded(Codec& codec, void (*step)(Codec&)) {
  if (setjmp(png_jmpbuf(codec.png)) != 0) return false;
  step(codec);
  return true;
}

[[noreturn]] void damaged(const PngReader& reader, const std::string& name) {
  throw Error("damaged PNG: " + reader.fault, name, "copy or download the file again");
}

/// Reads the header. Throws Error where it is damaged or a side exceeds the limit.
void open_png(PngReader& reader, const std::string& name) {
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error<PngReader>,
                                      refuse_large_chunk);
  reader.info = reader.png ? png_create_info_struct(reader.png) : nullptr;
  if (!reader.info) throw std::bad_alloc();
  if (!guarded(reader, read_header)) damaged(reader, name);
  const auto width = png_get_image_width(reader.png, reader.info);
  const auto height = png_get_image_height(reader.png, reader.info);
  if (width > kMaxImageSide || height > kMaxImageSide) {
    throw Error("has " + std::to_string(width) + "x" + std::to_string(height) +
                    " pixels, at most " + std::to_string(kMaxImageSide) + " per side can be read",
                name, "scale the image down");
  }
}

}  // namespace

void refuse_large_chunk(png_struct_def* png, const char* warning) {
  if (std::string_view(warning).ends_with("chunk data is too large")) png_error(png, warning);
}

bool is_png(std::span<const std::byte> head) {
  return head.size() >= 8 && png_sig_cmp(reinterpret_cast<png_const_bytep>(head.data()), 0, 8) == 0;
}

ImageFacts png_facts(std::span<const std::byte> bytes, const std::string& name) {
  PngReader reader{.rest = bytes};
  open_png(reader, name);
  const int color_type = png_get_color_type(reader.png, reader.info);
  const bool alpha = (color_type & PNG_COLOR_MASK_ALPHA) != 0 ||
                     png_get_valid(reader.png, reader.info, PNG_INFO_tRNS) != 0;
  const int colors = (color_type & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1;
  ImageFacts facts;
  facts.size = {static_cast<int>(png_get_image_width(reader.png, reader.info)),
                static_cast<int>(png_get_image_height(reader.png, reader.info))};
  facts.channels = colors + (alpha ? 1 : 0);
  return facts;
}

Image8 decode_png(std::span<const std::byte> bytes, const std::string& name) {
  PngReader reader{.rest = bytes};
  open_png(reader, name);
  if (!guarded(reader, allocate_image) || !guarded(reader, read_rows)) damaged(reader, name);
  return std::move(reader.image);
}

std::string turned_png(std::span<const std::byte> bytes, Orientation orientation,
                       const std::string& name) {
  PngReader reader{.rest = bytes, .keeps_color_chunks = true};
  open_png(reader, name);
  const int depth = png_get_bit_depth(reader.png, reader.info);
  if (!guarded(reader, allocate_stored) || !guarded(reader, read_rows_and_end)) {
    damaged(reader, name);
  }
  PngCopy copy{.from = reader,
               .pixels = turned(reader.image, orientation),
               .depth = depth,
               .swaps_sides = swaps_sides(orientation)};
  copy.png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &copy, on_error<PngCopy>, ignore_warning);
  if (!copy.png) throw std::bad_alloc();
  if (guarded(copy, write_copy)) return std::move(copy.bytes);
  throw Error("cannot be turned upright: " + copy.fault, name,
              "turn it with another program, and save it without an EXIF orientation");
}

void encode_png(const Image& image, OutputFile& file, const std::string& name) {
  CHECK(image.width > 0 && image.height > 0 && image.channels >= 1 && image.channels <= 4);
  PngWriter writer{.image = image, .file = file};
  writer.row.resize(static_cast<std::size_t>(image.width) *
                    static_cast<std::size_t>(image.channels));
  writer.png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer, on_error<PngWriter>, ignore_warning);
  writer.info = writer.png ? png_create_info_struct(writer.png) : nullptr;
  if (!writer.info) throw std::bad_alloc();
  if (guarded(writer, write_header) && guarded(writer, write_rows)) return;
  if (writer.write_fault) std::rethrow_exception(writer.write_fault);
  throw Error("cannot be encoded: " + writer.fault, name, "choose --format exr");
}

}  // namespace mote
