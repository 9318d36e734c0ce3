#include "io/png_codec.h"

#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <vector>

#include "core/error.h"

// libpng reports failures by longjmp, which must not pass over a C++ destructor. So every call into
// it stands in a function that owns nothing (`guarded_...`), and what has to be destroyed is owned
// one level above, by PngReader and PngWriter.

namespace mote {
namespace {

constexpr int kCompressionLevel = 3;  // level 6 takes 1.6 times as long to save a tenth to a fifth

struct PngReader {
  std::span<const std::byte> rest;
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

template <class Codec>
void on_error(png_structp png, png_const_charp message) {
  static_cast<Codec*>(png_get_error_ptr(png))->fault = message;
  png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

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

void flush_bytes(png_structp) {}

void read_header(PngReader& reader) {
  png_set_read_fn(reader.png, &reader, read_bytes);
  png_read_info(reader.png, reader.info);
}

void allocate_image(PngReader& reader) {
  png_set_expand(reader.png);    // palettes and 1, 2, 4 bits to 8; tRNS to alpha
  png_set_scale_16(reader.png);  // 16 bits to 8, rounded
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  const auto height = png_get_image_height(reader.png, reader.info);
  reader.image.resize_discard(static_cast<int>(png_get_image_width(reader.png, reader.info)),
                              static_cast<int>(height), png_get_channels(reader.png, reader.info));
  reader.rows.resize(height);
  for (png_uint_32 y = 0; y < height; ++y) reader.rows[y] = reader.image.row(static_cast<int>(y));
}

void read_rows(PngReader& reader) {
  png_read_image(reader.png, reader.rows.data());
  png_read_end(reader.png, nullptr);
}

void write_header(PngWriter& writer) {
  constexpr int kColorTypes[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                                 PNG_COLOR_TYPE_RGB_ALPHA};
  png_set_write_fn(writer.png, &writer, write_bytes, flush_bytes);
  png_set_compression_level(writer.png, kCompressionLevel);
  png_set_compression_strategy(writer.png, Z_FILTERED);
  png_set_filter(writer.png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(writer.image.width),
               static_cast<png_uint_32>(writer.image.height), 8,
               kColorTypes[writer.image.channels - 1], PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  char key[] = "Software", value[] = "Mote";  // kSoftware, which libpng wants to be writable
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

template <class Codec>
bool guarded(Codec& codec, void (*step)(Codec&)) {
  if (setjmp(png_jmpbuf(codec.png)) != 0) return false;
  step(codec);
  return true;
}

[[noreturn]] void damaged(const PngReader& reader, const std::string& name) {
  throw Error("damaged PNG: " + reader.fault, name, "copy or download the file again");
}

/// After this the header is read and its sides are within our limit.
void open_png(PngReader& reader, const std::string& name) {
  reader.png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, on_error<PngReader>, on_warning);
  reader.info = reader.png ? png_create_info_struct(reader.png) : nullptr;
  if (!reader.info) throw std::bad_alloc();
  if (!guarded(reader, read_header)) damaged(reader, name);
  const auto width = png_get_image_width(reader.png, reader.info);
  const auto height = png_get_image_height(reader.png, reader.info);
  if (width > kMaxImageSide || height > kMaxImageSide) {
    throw Error("has " + std::to_string(width) + "x" + std::to_string(height) +
                    " pixels, at most " + std::to_string(kMaxImageSide) + " a side can be read",
                name, "scale the image down");
  }
}

}  // namespace

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

void encode_png(const Image& image, OutputFile& file, const std::string& name) {
  CHECK(image.width > 0 && image.height > 0 && image.channels >= 1 && image.channels <= 4);
  PngWriter writer{.image = image, .file = file};
  writer.row.resize(static_cast<std::size_t>(image.width) *
                    static_cast<std::size_t>(image.channels));
  writer.png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer, on_error<PngWriter>, on_warning);
  writer.info = writer.png ? png_create_info_struct(writer.png) : nullptr;
  if (!writer.info) throw std::bad_alloc();
  if (guarded(writer, write_header) && guarded(writer, write_rows)) return;
  if (writer.write_fault) std::rethrow_exception(writer.write_fault);
  throw Error("cannot be encoded: " + writer.fault, name, "choose --format exr");
}

}  // namespace mote
