#include "stored_png.h"

#include <png.h>

#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace mote {
namespace {

constexpr char kColorCode[] = "cICP";

void keep_color_code(png_structp png) {
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_ALWAYS,
                              reinterpret_cast<png_const_bytep>(kColorCode), 1);
}

void set_chunks(png_structp png, png_infop info, const StoredPng& stored) {
  if (stored.gamma > 0) png_set_gAMA(png, info, stored.gamma);
  if (stored.across > 0) {
    png_set_pHYs(png, info, static_cast<png_uint_32>(stored.across),
                 static_cast<png_uint_32>(stored.down), PNG_RESOLUTION_METER);
  }
  if (stored.color_type == PNG_COLOR_TYPE_PALETTE) {
    std::vector<png_color> palette;
    for (int i = 0; i < 1 << stored.depth; ++i) {
      const auto value = static_cast<png_byte>(i);
      palette.push_back({value, static_cast<png_byte>(255 - i), 7});
    }
    png_set_PLTE(png, info, palette.data(), static_cast<int>(palette.size()));
  }
  if (!stored.text.empty()) {
    std::string key = "Comment", value = stored.text;
    png_text text{};
    text.compression = PNG_TEXT_COMPRESSION_NONE;
    text.key = key.data();
    text.text = value.data();
    png_set_text(png, info, &text, 1);
  }
  if (stored.color_code.empty()) return;
  std::string data = stored.color_code;
  png_unknown_chunk chunk{};
  std::memcpy(chunk.name, kColorCode, sizeof kColorCode);
  chunk.data = reinterpret_cast<png_bytep>(data.data());
  chunk.size = data.size();
  chunk.location = PNG_HAVE_IHDR;
  png_set_unknown_chunks(png, info, &chunk, 1);
}

void get_chunks(png_structp png, png_infop info, StoredPng& stored) {
  png_get_gAMA(png, info, &stored.gamma);
  png_uint_32 across = 0, down = 0;
  int unit = 0;
  png_get_pHYs(png, info, &across, &down, &unit);
  stored.across = static_cast<int>(across);
  stored.down = static_cast<int>(down);
  png_textp texts = nullptr;
  int count = 0;
  png_get_text(png, info, &texts, &count);
  for (int i = 0; i < count; ++i) {
    if (std::string_view(texts[i].key) == "Comment") stored.text = texts[i].text;
  }
  png_unknown_chunkp chunks = nullptr;
  const int unknown = png_get_unknown_chunks(png, info, &chunks);
  for (int i = 0; i < unknown; ++i) {
    stored.color_code.assign(reinterpret_cast<const char*>(chunks[i].data), chunks[i].size);
  }
}

}  // namespace

std::string png_bytes(const StoredPng& stored) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  std::string file;
  png_set_write_fn(
      png, &file,
      [](png_structp writer, png_bytep bytes, std::size_t count) {
        static_cast<std::string*>(png_get_io_ptr(writer))
            ->append(reinterpret_cast<const char*>(bytes), count);
      },
      [](png_structp) {});
  keep_color_code(png);
  const Image8& pixels = stored.pixels;
  png_set_IHDR(png, info, static_cast<png_uint_32>(pixels.width),
               static_cast<png_uint_32>(pixels.height), stored.depth, stored.color_type,
               stored.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  set_chunks(png, info, stored);
  png_write_info(png, info);
  png_set_packing(png);
  std::vector<png_bytep> rows;
  for (int y = 0; y < pixels.height; ++y) rows.push_back(const_cast<png_bytep>(pixels.row(y)));
  png_write_image(png, rows.data());
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return file;
}

StoredPng read_stored_png(const std::string& file) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  std::string_view rest = file;
  png_set_read_fn(png, &rest, [](png_structp reader, png_bytep out, std::size_t count) {
    auto& left = *static_cast<std::string_view*>(png_get_io_ptr(reader));
    if (count > left.size()) png_error(reader, "truncated");
    std::memcpy(out, left.data(), count);
    left.remove_prefix(count);
  });
  keep_color_code(png);
  png_read_info(png, info);
  StoredPng stored;
  stored.depth = png_get_bit_depth(png, info);
  stored.color_type = png_get_color_type(png, info);
  stored.interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
  png_set_packing(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const auto width = png_get_image_width(png, info), height = png_get_image_height(png, info);
  stored.pixels.resize_discard(static_cast<int>(width), static_cast<int>(height),
                               static_cast<int>(png_get_rowbytes(png, info) / width));
  std::vector<png_bytep> rows;
  for (int y = 0; y < stored.pixels.height; ++y) rows.push_back(stored.pixels.row(y));
  png_read_image(png, rows.data());
  png_read_end(png, info);
  get_chunks(png, info, stored);
  png_destroy_read_struct(&png, &info, nullptr);
  return stored;
}

}  // namespace mote
