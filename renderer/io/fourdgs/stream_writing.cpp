#include "io/fourdgs/stream_writing.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "core/error.h"

namespace mote::fourdgs {
namespace {

std::string deflated(const std::string& bytes) {
  std::string out(::compressBound(bytes.size()), '\0');
  auto size = static_cast<uLongf>(out.size());
  if (::compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                  reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), 6) != Z_OK) {
    throw std::bad_alloc();
  }
  out.resize(size);
  return out;
}

/// The lowest bytes of all symbols, then the next ones.
std::string planes_of(const std::vector<std::uint32_t>& symbols, std::size_t width) {
  std::string planes(symbols.size() * width, '\0');
  for (std::size_t plane = 0; plane < width; ++plane) {
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      planes[plane * symbols.size() + i] = static_cast<char>(symbols[i] >> (8 * plane));
    }
  }
  return planes;
}

struct Coded {
  std::uint8_t width = 1, mode = 0;
  std::string payload;
};

Coded coded(const std::vector<std::int64_t>& values, std::uint8_t mode) {
  std::vector<std::uint32_t> symbols(values.size());
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<std::int32_t>(values[i]);
    symbols[i] = (static_cast<std::uint32_t>(value) << 1) ^ (value < 0 ? ~0u : 0u);
    largest = std::max(largest, symbols[i]);
  }
  const std::uint8_t width = largest < 256 ? 1 : largest < 65536 ? 2 : 4;
  return {width, mode, deflated(planes_of(symbols, width))};
}

bool fit(const std::vector<std::int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [](std::int64_t value) {
    return value >= std::numeric_limits<std::int32_t>::min() &&
           value <= std::numeric_limits<std::int32_t>::max();
  });
}

/// The shortest of the forms of a stream: one value for all, values, or differences.
Coded shortest(const std::vector<std::int64_t>& values, std::size_t channels) {
  const auto later =
      values.begin() + static_cast<std::ptrdiff_t>(std::min(channels, values.size()));
  if (std::equal(later, values.end(), values.begin())) {
    return coded({values.begin(), later}, 2);
  }
  std::vector<std::int64_t> differences = values;
  for (std::size_t i = channels; i < values.size(); ++i) differences[i] -= values[i - channels];
  Coded plain = coded(values, 0);
  if (!fit(differences)) return plain;
  Coded delta = coded(differences, 1);
  return delta.payload.size() < plain.payload.size() ? delta : plain;
}

}  // namespace

void put_stream(RecordBytes& record, std::uint8_t attribute, std::size_t channels,
                std::uint32_t count, const std::vector<std::int64_t>& values,
                const std::string& file) {
  if (!fit(values)) {
    throw Error(fmt::format("attribute {} needs more than 32 bits with these errors", attribute),
                file, "allow larger errors, or write a .ply");
  }
  const Coded stream = count == 0 ? Coded{1, 0, deflated({})} : shortest(values, channels);
  record.put(attribute);
  record.put(stream.width);
  record.put(stream.mode);
  record.put(std::uint8_t{0});  // deflate
  record.put(static_cast<std::uint8_t>(channels));
  record.put(count);
  record.put(static_cast<std::uint64_t>(stream.payload.size()));
  record.append(stream.payload);
}

}  // namespace mote::fourdgs
