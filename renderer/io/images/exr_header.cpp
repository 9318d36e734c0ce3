#include "io/images/exr_header.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include "core/error.h"

namespace mote {
namespace {

constexpr std::uint64_t kFirstAttribute = 8;     // after magic and version
constexpr std::uint32_t kSeveralParts = 0x1000;  // a bit of the version
constexpr std::size_t kLongestName = 256;        // with its end

class HeaderReading {
 public:
  explicit HeaderReading(const InputFile& file) : file_(file) {}

  ExrHeader read() {
    const auto version = value<std::uint32_t>(4);
    at_ = kFirstAttribute;
    read_part();
    // Each further part has a header of its own; an empty one ends the list.
    while ((version & kSeveralParts) != 0 && value<char>(at_) != '\0') skip_part();
    if (header_.width <= 0 || header_.height <= 0) fail("the data window is empty or missing");
    header_.block_bytes = static_cast<std::uint64_t>(header_.width) * pixel_bytes_ * block_rows_;
    if (header_.block_bytes <= kMostExrBlockBytes) return header_;
    throw Error("stores " + std::to_string(block_rows_) + " rows of " +
                    std::to_string(header_.width) + " pixels together, with " +
                    std::to_string(header_.block_bytes) + " bytes; at most " +
                    std::to_string(kMostExrBlockBytes) + " can be read",
                file_.name(), "save it with the compression ZIPS, or with fewer channels");
  }

 private:
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
    text();  // its type
    const auto bytes = value<std::int32_t>(at_);
    attribute.first = at_ + sizeof bytes;
    if (bytes < 0 || static_cast<std::uint64_t>(bytes) > file_.size() - attribute.first) {
      fail("attribute '" + attribute.name + "' has " + std::to_string(bytes) + " bytes, " +
           std::to_string(file_.size() - attribute.first) + " are left");
    }
    attribute.bytes = static_cast<std::uint64_t>(bytes);
    at_ = attribute.first + attribute.bytes;
    return attribute;
  }

  void skip_part() {
    while (next()) {
    }
  }

  void read_part() {
    while (const std::optional<Attribute> attribute = next()) {
      if (attribute->name == "dataWindow" && attribute->bytes == 16) read_window(attribute->first);
      if (attribute->name == "channels") read_channels(*attribute);
      if (attribute->name == "compression" && attribute->bytes == 1) {
        read_compression(value<std::uint8_t>(attribute->first));
      }
      if (attribute->name == "tiles" && attribute->bytes == 9) {
        tile_rows_ = value<std::uint32_t>(attribute->first + 4);
      }
    }
    block_rows_ = std::max<std::uint64_t>(block_rows_, tile_rows_);
  }

  void read_window(std::uint64_t first) {
    const auto corners = value<std::array<std::int32_t, 4>>(first);  // left, top, right, bottom
    const auto side = [&](std::size_t axis) {
      const std::int64_t length = std::int64_t{corners[axis + 2]} - corners[axis] + 1;
      return static_cast<int>(std::min<std::int64_t>(length, INT32_MAX));
    };
    header_.width = side(0);
    header_.height = side(1);
  }

  /// Name, type, linearity, and sampling of each channel.
  void read_channels(const Attribute& attribute) {
    const std::uint64_t end = at_;
    at_ = attribute.first;
    while (at_ < end && !text().empty()) {
      const auto type = value<std::int32_t>(at_);
      pixel_bytes_ += type == 1 ? 2 : 4;  // halves; whole numbers and floats
      at_ += 16;
    }
    at_ = end;
  }

  /// Rows that are compressed together, of each number of a compression.
  void read_compression(std::uint8_t number) {
    constexpr std::array<std::uint64_t, 10> kRows{1, 1, 1, 16, 32, 16, 32, 32, 32, 256};
    block_rows_ = number < kRows.size() ? kRows[number] : 256;
  }

  const InputFile& file_;
  std::uint64_t at_ = 0;
  ExrHeader header_;
  std::uint64_t pixel_bytes_ = 0, block_rows_ = 1;
  std::uint32_t tile_rows_ = 0;
};

}  // namespace

ExrHeader read_exr_header(const InputFile& file) {
  return HeaderReading(file).read();
}

}  // namespace mote
