#include "io/images/exr_header.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/error.h"

namespace mote {
namespace {

constexpr std::uint64_t kFirstAttribute = 8;     // after magic and version
constexpr std::uint32_t kSeveralParts = 0x1000;  // a bit of the version
constexpr std::size_t kLongestName = 256;        // with its end
constexpr std::uint64_t kChannelBytes = 16;      // behind the name: type, linearity, sampling

/// Bytes of the values of a type. The library reads as many, whatever the attribute's size is, so
/// that another size would move it to another place of the file.
struct TypeSize {
  std::string_view type;
  std::uint64_t bytes;
};
constexpr TypeSize kTypeSizes[]{
    {"box2f", 16},
    {"box2i", 16},
    {"chromaticities", 32},
    {"compression", 1},
    {"double", 8},
    {"envmap", 1},
    {"float", 4},
    {"deepImageState", 1},
    {"int", 4},
    {"keycode", 28},
    {"lineOrder", 1},
    {"m33f", 36},
    {"m33d", 72},
    {"m44f", 64},
    {"m44d", 128},
    {"rational", 8},
    {"tiledesc", 9},
    {"timecode", 8},
    {"v2f", 8},
    {"v2i", 8},
    {"v2d", 16},
    {"v3f", 12},
    {"v3i", 12},
    {"v3d", 24},
};

class HeaderReading {
 public:
  explicit HeaderReading(const InputFile& file) : file_(file) {}

  ExrHeader read() {
    const auto version = value<std::uint32_t>(4);
    at_ = kFirstAttribute;
    const Part first = read_part();
    const std::uint64_t columns =
        std::max(static_cast<std::uint64_t>(first.columns), std::uint64_t{first.tile_columns});
    const std::uint64_t rows = std::max(first.block_rows, std::uint64_t{first.tile_rows});
    // Each further part has a header of its own; an empty one ends the list.
    while ((version & kSeveralParts) != 0 && value<char>(at_) != '\0') read_part();
    if (rows <= kMostExrBlockBytes / first.pixel_bytes / columns) {
      return {first.columns, first.rows, rows * columns * first.pixel_bytes};
    }
    throw Error("stores " + std::to_string(rows) + " rows of " + std::to_string(columns) +
                    " pixels together, " + std::to_string(first.pixel_bytes) +
                    " bytes each; at most " + std::to_string(kMostExrBlockBytes) +
                    " bytes can be read",
                file_.name(), "save it with the compression ZIPS, or with fewer channels");
  }

 private:
  struct Part {
    int columns = 0, rows = 0;                      // of the data window
    std::uint64_t pixel_bytes = 0;                  // of all channels
    std::uint64_t block_rows = 1;                   // compressed together
    std::uint32_t tile_columns = 0, tile_rows = 0;  // 0 without tiles
    std::uint64_t stated_blocks = 0;                // by the header; 0 if it does not say

    /// Lower bound: smaller levels of a tiled part are left out.
    std::uint64_t blocks() const {
      const auto parts = [](std::uint64_t whole, std::uint64_t part) {
        return (whole + part - 1) / part;
      };
      const auto width = static_cast<std::uint64_t>(columns);
      const auto height = static_cast<std::uint64_t>(rows);
      const bool is_tiled = tile_columns > 0 && tile_rows > 0;
      return std::max(stated_blocks, is_tiled
                                         ? parts(width, tile_columns) * parts(height, tile_rows)
                                         : parts(height, block_rows));
    }
  };

  struct Attribute {
    std::string name;
    std::uint64_t first, bytes;  // of its value
  };

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error("damaged EXR: " + problem, file_.name() + ", byte " + std::to_string(at_),
                "copy or download the file again");
  }

  template <class Value>
  Value value(std::uint64_t place) const {
    Value result{};
    if (file_.read_some(place, std::as_writable_bytes(std::span(&result, 1))) != sizeof result) {
      fail("truncated header");
    }
    return result;
  }

  /// A text that ends in a zero.
  std::string text() {
    std::array<char, kLongestName> bytes{};
    const std::size_t count = file_.read_some(at_, std::as_writable_bytes(std::span(bytes)));
    const std::string_view all(bytes.data(), count);
    const std::size_t end = all.find('\0');
    if (end == std::string_view::npos) fail("a name in the header has no end");
    at_ += end + 1;
    return std::string(all.substr(0, end));
  }

  /// The next attribute of a part; empty at its end.
  std::optional<Attribute> next() {
    Attribute attribute{.name = text(), .first = 0, .bytes = 0};
    if (attribute.name.empty()) return {};
    const std::string type = text();
    const auto bytes = value<std::int32_t>(at_);
    attribute.first = at_ + sizeof bytes;
    if (bytes < 0 || static_cast<std::uint64_t>(bytes) > file_.size() - attribute.first) {
      fail("attribute '" + attribute.name + "' has " + std::to_string(bytes) + " bytes, " +
           std::to_string(file_.size() - attribute.first) + " are left");
    }
    attribute.bytes = static_cast<std::uint64_t>(bytes);
    check_size(attribute, type);
    at_ = attribute.first + attribute.bytes;
    return attribute;
  }

  /// Fails if the library would read another number of bytes than the attribute has.
  void check_size(const Attribute& attribute, const std::string& type) {
    const auto found = std::ranges::find(kTypeSizes, type, &TypeSize::type);
    std::uint64_t expected = attribute.bytes;
    if (found != std::end(kTypeSizes)) expected = found->bytes;
    if (type == "chlist") expected = channels_end(attribute) - attribute.first;
    if (type == "preview") expected = preview_bytes(attribute);
    if (type == "stringvector") expected = texts_end(attribute) - attribute.first;
    if (expected == attribute.bytes) return;
    fail("attribute '" + attribute.name + "' has " + std::to_string(attribute.bytes) +
         " bytes instead of the " + std::to_string(expected) + " of its type " + type);
  }

  /// The end of a list of channels, without its size.
  std::uint64_t channels_end(const Attribute& attribute) {
    at_ = attribute.first;
    while (!text().empty()) at_ += kChannelBytes;
    return at_;
  }

  /// A preview has a width, a height, and four bytes for each pixel.
  std::uint64_t preview_bytes(const Attribute& attribute) const {
    const auto sides = value<std::array<std::uint32_t, 2>>(attribute.first);
    constexpr std::uint32_t kMostSide = 1 << 15;
    if (sides[0] > kMostSide || sides[1] > kMostSide) fail("the preview is too large");
    return sizeof sides + std::uint64_t{4} * sides[0] * sides[1];
  }

  /// The end of a list of texts, each behind its length, that begin inside the attribute.
  std::uint64_t texts_end(const Attribute& attribute) const {
    const std::uint64_t end = attribute.first + attribute.bytes;
    std::uint64_t place = attribute.first;
    while (place < end) place += sizeof(std::uint32_t) + value<std::uint32_t>(place);
    return place;
  }

  Part read_part() {
    Part part;
    while (const std::optional<Attribute> attribute = next()) {
      if (attribute->name == "dataWindow" && attribute->bytes == 16) {
        read_window(attribute->first, part);
      }
      if (attribute->name == "channels") part.pixel_bytes = channel_bytes(*attribute);
      if (attribute->name == "compression" && attribute->bytes == 1) {
        part.block_rows = rows_together(value<std::uint8_t>(attribute->first));
      }
      if (attribute->name == "tiles" && attribute->bytes == 9) {
        part.tile_columns = value<std::uint32_t>(attribute->first);
        part.tile_rows = value<std::uint32_t>(attribute->first + 4);
      }
      if (attribute->name == "chunkCount" && attribute->bytes == 4) {
        part.stated_blocks = value<std::uint32_t>(attribute->first);
      }
    }
    if (part.columns <= 0 || part.rows <= 0) fail("the data window is empty or missing");
    if (part.pixel_bytes == 0) fail("there is no channel");
    // The file has the place of each block, for which the library takes memory before it looks.
    if (part.blocks() > (file_.size() - at_) / sizeof(std::uint64_t)) {
      fail(std::to_string(part.blocks()) + " blocks of pixels, but " +
           std::to_string(file_.size() - at_) + " bytes are left");
    }
    return part;
  }

  void read_window(std::uint64_t first, Part& part) const {
    const auto corners = value<std::array<std::int32_t, 4>>(first);  // left, top, right, bottom
    const auto side = [&](std::size_t axis) {
      const std::int64_t length = std::int64_t{corners[axis + 2]} - corners[axis] + 1;
      return static_cast<int>(std::min<std::int64_t>(length, INT32_MAX));
    };
    part.columns = side(0);
    part.rows = side(1);
  }

  /// Bytes of a pixel. A channel has a name, a type, a linearity, and a sampling.
  std::uint64_t channel_bytes(const Attribute& attribute) {
    std::uint64_t bytes = 0;
    const std::uint64_t end = at_;
    at_ = attribute.first;
    while (at_ < end && !text().empty()) {
      const auto type = value<std::int32_t>(at_);
      bytes += type == 1 ? 2 : 4;  // halves; whole numbers and floats
      at_ += kChannelBytes;
    }
    at_ = end;
    return bytes;
  }

  /// Rows that the compression of this number packs together.
  static std::uint64_t rows_together(std::uint8_t number) {
    constexpr std::array<std::uint64_t, 10> kRows{1, 1, 1, 16, 32, 16, 32, 32, 32, 256};
    return number < kRows.size() ? kRows[number] : 256;
  }

  const InputFile& file_;
  std::uint64_t at_ = 0;
};

}  // namespace

ExrHeader read_exr_header(const InputFile& file) {
  return HeaderReading(file).read();
}

}  // namespace mote
