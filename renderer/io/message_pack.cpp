// MessagePack, by its specification (github.com/msgpack/msgpack, spec.md).
#include "io/message_pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <type_traits>
#include <vector>

#include "core/error.h"

namespace mote {
namespace {

using nlohmann::json;

constexpr int kMostLevels = 64;
constexpr std::uint64_t kMostValues = std::uint64_t{1} << 22;
constexpr std::uint64_t kMostTextBytes = std::uint64_t{64} << 20;
constexpr int kMostBinaries = 1024;
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;  // at once

class MessagePackReader {
 public:
  MessagePackReader(Decompressor& content, const std::string& name, MessagePack& into)
      : content_(content), name_(name), into_(into) {}

  json value(int level = 0) {
    if (level > kMostLevels)
      refuse(fmt::format("values are nested more than {} deep", kMostLevels));
    if (++values_ > kMostValues) refuse(fmt::format("has more than {} values", kMostValues));
    const auto type = number<std::uint8_t>();
    if (type < 0x80) return type;
    if (type < 0x90) return map(type & 0xfu, level);
    if (type < 0xa0) return array(type & 0xfu, level);
    if (type < 0xc0) return text(type & 0x1fu);
    if (type >= 0xe0) return static_cast<std::int8_t>(type);
    switch (type) {
      case 0xc0:
        return nullptr;
      case 0xc2:
      case 0xc3:
        return type == 0xc3;
      case 0xca:
        return number<float>();
      case 0xcb:
        return number<double>();
      default:
        return sized_value(type, level);
    }
  }

  std::uint64_t offset() const { return offset_; }

 private:
  /// Whole numbers, and values after their size.
  json sized_value(std::uint8_t type, int level) {
    switch (type) {
      case 0xc4:
        return binary(number<std::uint8_t>());
      case 0xc5:
        return binary(number<std::uint16_t>());
      case 0xc6:
        return binary(number<std::uint32_t>());
      case 0xcc:
        return number<std::uint8_t>();
      case 0xcd:
        return number<std::uint16_t>();
      case 0xce:
        return number<std::uint32_t>();
      case 0xcf:
        return number<std::uint64_t>();
      case 0xd0:
        return number<std::int8_t>();
      case 0xd1:
        return number<std::int16_t>();
      case 0xd2:
        return number<std::int32_t>();
      case 0xd3:
        return number<std::int64_t>();
      case 0xd9:
        return text(number<std::uint8_t>());
      case 0xda:
        return text(number<std::uint16_t>());
      case 0xdb:
        return text(number<std::uint32_t>());
      case 0xdc:
        return array(number<std::uint16_t>(), level);
      case 0xdd:
        return array(number<std::uint32_t>(), level);
      case 0xde:
        return map(number<std::uint16_t>(), level);
      case 0xdf:
        return map(number<std::uint32_t>(), level);
      default:
        refuse(fmt::format("is not MessagePack without extension types: byte {:#04x}", type));
    }
  }

  json map(std::uint32_t size, int level) {
    json all = json::object();
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::string key = this->key();
      all[key] = value_at(key, level);
    }
    return all;
  }

  json array(std::uint32_t size, int level) {
    json all = json::array();
    for (std::uint32_t i = 0; i < size; ++i) all.push_back(value_at(std::to_string(i), level));
    return all;
  }

  json value_at(const std::string& part, int level) {
    const std::size_t before = path_.size();
    if (level > 0) path_ += '/';
    path_ += part;
    json own = value(level + 1);
    path_.resize(before);
    return own;
  }

  std::string key() {
    const auto type = number<std::uint8_t>();
    if (type >= 0xa0 && type < 0xc0) return text(type & 0x1fu);
    if (type == 0xd9) return text(number<std::uint8_t>());
    refuse(fmt::format("expected a key, a text of at most 255 bytes, found byte {:#04x}", type));
  }

  /// Allocates as the content arrives, so that a hostile size costs nothing.
  std::string text(std::uint32_t size) {
    text_bytes_ += size;
    if (text_bytes_ > kMostTextBytes) {
      refuse(fmt::format("has more than {} bytes of text", kMostTextBytes));
    }
    std::string characters;
    while (characters.size() < size) {
      const std::size_t before = characters.size();
      characters.resize(before + std::min<std::size_t>(size - before, kPieceBytes));
      take(std::as_writable_bytes(std::span(characters).subspan(before)));
    }
    return characters;
  }

  json binary(std::uint32_t size) {
    if (++binaries_ > kMostBinaries) {
      refuse(fmt::format("has more than {} binary values", kMostBinaries));
    }
    into_.binaries[path_] = {offset_, size};
    scratch_.resize(kPieceBytes);
    for (std::uint64_t left = size; left > 0;) {
      const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(left, kPieceBytes));
      take(std::span(scratch_).first(part));
      left -= part;
    }
    return json::binary({});
  }

  /// Big-endian.
  template <class T>
  T number() {
    static_assert(std::endian::native == std::endian::little);
    std::array<std::byte, sizeof(T)> bytes;
    take(bytes);
    std::ranges::reverse(bytes);
    return std::bit_cast<T>(bytes);
  }

  void take(std::span<std::byte> out) {
    content_.read_exact(out);
    offset_ += out.size();
  }

  [[noreturn]] void refuse(const std::string& problem) const {
    throw Error(problem, fmt::format("{}, byte {}", name_, offset_),
                "copy or download the file again");
  }

  Decompressor& content_;
  const std::string& name_;
  MessagePack& into_;
  std::uint64_t offset_ = 0, values_ = 0, text_bytes_ = 0;
  int binaries_ = 0;
  std::string path_;  // of the current value
  std::vector<std::byte> scratch_;
};

}  // namespace

MessagePack read_message_pack(Decompressor& content, const std::string& name) {
  MessagePack pack;
  MessagePackReader reader(content, name, pack);
  pack.top = reader.value();
  pack.size = reader.offset();
  return pack;
}

}  // namespace mote
