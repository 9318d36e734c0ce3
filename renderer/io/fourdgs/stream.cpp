// Streams of integers: compressed bytes, of which the lowest of all symbols come first, then the
// next ones. A symbol is a number with its sign in the lowest bit.
#include "io/fourdgs/stream.h"

#include <limits>

#include "core/error.h"
#include "io/decompression.h"
#include "io/fourdgs/records.h"

namespace mote::fourdgs {
namespace {

enum class Mode : std::uint8_t { raw, delta, constant };

struct StreamHead {
  std::uint8_t attribute, width, mode, codec, channels;
  std::uint32_t count;
  std::uint64_t payload;
};

StreamHead read_head(ByteReader& reader) {
  StreamHead head{};
  for (std::uint8_t* value :
       {&head.attribute, &head.width, &head.mode, &head.codec, &head.channels}) {
    *value = reader.read<std::uint8_t>();
  }
  head.count = reader.read<std::uint32_t>();
  head.payload = reader.read<std::uint64_t>();
  return head;
}

void check(const StreamHead& head, std::uint32_t count, const std::string& where) {
  const auto fail = [&](const std::string& problem, const char* remedy = kCopyAgain) {
    throw Error("attribute " + std::to_string(head.attribute) + ": " + problem, where, remedy);
  };
  if (head.codec > static_cast<std::uint8_t>(StreamCodec::zstd)) {
    fail("codec " + std::to_string(head.codec) + " is unknown, expected 0 (deflate) or 1 (zstd)",
         "write the file again with deflate");
  }
  if (head.width != 1 && head.width != 2 && head.width != 4) {
    fail("symbols of " + std::to_string(head.width) + " bytes, expected 1, 2 or 4");
  }
  if (head.mode > static_cast<std::uint8_t>(Mode::constant)) {
    fail("mode " + std::to_string(head.mode) + ", expected 0, 1 or 2");
  }
  if (head.channels == 0) fail("0 channels");
  if (head.count != count) {
    fail(std::to_string(head.count) + " elements, but its chunk has " + std::to_string(count));
  }
}

template <std::size_t WIDTH>
void join_planes(std::span<const std::byte> planes, std::span<std::int32_t> values) {
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t word = 0;
    for (std::size_t plane = 0; plane < WIDTH; ++plane) {
      word |= std::to_integer<std::uint32_t>(planes[plane * count + i]) << (8 * plane);
    }
    values[i] = static_cast<std::int32_t>((word >> 1) ^ (0u - (word & 1u)));
  }
}

/// The symbols without their planes, and with their signs. `width`: 1, 2 or 4 bytes.
std::vector<std::int32_t> symbols_of(std::span<const std::byte> planes, std::size_t width) {
  std::vector<std::int32_t> values(planes.size() / width);
  if (width == 1) {
    join_planes<1>(planes, values);
  } else if (width == 2) {
    join_planes<2>(planes, values);
  } else {
    join_planes<4>(planes, values);
  }
  return values;
}

/// Replaces differences by their sums, channel by channel.
void add_up(std::vector<std::int32_t>& values, std::size_t channels, const std::string& where) {
  for (std::size_t i = channels; i < values.size(); ++i) {
    const std::int64_t sum = std::int64_t{values[i - channels]} + values[i];
    if (sum != static_cast<std::int32_t>(sum)) {
      throw Error("a sum of differences needs more than 32 bits", where, kCopyAgain);
    }
    values[i] = static_cast<std::int32_t>(sum);
  }
}

bool is_known(std::uint8_t attribute) {
  return attribute < kAttributes;
}

}  // namespace

Stream read_stream(ByteReader& reader, std::uint32_t count) {
  const std::string where = reader.where();
  const StreamHead head = read_head(reader);
  if (head.payload > reader.remaining()) {
    throw Error("truncated: a stream of " + std::to_string(head.payload) + " bytes, with " +
                    std::to_string(reader.remaining()) + " left in its record",
                where, kCopyAgain);
  }
  const std::span<const std::byte> payload = reader.take(static_cast<std::size_t>(head.payload));
  if (!is_known(head.attribute)) return {head.attribute, head.channels, {}};
  check(head, count, where);
  const bool constant = head.mode == static_cast<std::uint8_t>(Mode::constant);
  const std::size_t symbols = std::size_t{head.channels} * (constant ? 1 : count);
  const std::vector<std::byte> planes =
      decompressed(payload, static_cast<StreamCodec>(head.codec), symbols * head.width, where);
  Stream stream{head.attribute, head.channels, symbols_of(planes, head.width)};
  if (head.mode == static_cast<std::uint8_t>(Mode::delta)) {
    add_up(stream.values, head.channels, where);
  }
  if (constant) {
    const std::vector<std::int32_t> one = stream.values;
    stream.values.resize(std::size_t{count} * head.channels);
    for (std::size_t i = 0; i < stream.values.size(); ++i) stream.values[i] = one[i % one.size()];
  }
  return stream;
}

std::span<const std::byte> read_block(ByteReader& reader, std::vector<std::byte>& unpacked) {
  const auto name_length = reader.read<std::uint32_t>();
  const std::span<const std::byte> name_bytes = reader.take(name_length);
  const std::string name(reinterpret_cast<const char*>(name_bytes.data()), name_bytes.size());
  const auto size = reader.read<std::uint64_t>();
  const auto stored = reader.read<std::uint64_t>();
  const std::string where = reader.where();
  if (stored > reader.remaining()) {
    throw Error("truncated: a block of " + std::to_string(stored) + " bytes, with " +
                    std::to_string(reader.remaining()) + " left in its record",
                where, kCopyAgain);
  }
  const std::span<const std::byte> bytes = reader.take(static_cast<std::size_t>(stored));
  if (name.empty()) return bytes;
  if (name != "deflate" && name != "zstd") {
    throw Error("the codec of a chunk is '" + name + "', expected deflate or zstd", where,
                "write the file again without compressed chunks");
  }
  if (size > std::numeric_limits<std::size_t>::max() / 2) {
    throw Error("a block claims " + std::to_string(size) + " bytes", where, kCopyAgain);
  }
  unpacked = decompressed(bytes, name == "zstd" ? StreamCodec::zstd : StreamCodec::deflate,
                          static_cast<std::size_t>(size), where);
  return unpacked;
}

}  // namespace mote::fourdgs
