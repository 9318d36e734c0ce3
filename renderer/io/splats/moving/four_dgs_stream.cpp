#include "io/splats/moving/four_dgs_stream.h"

#include <zlib.h>

#include <limits>

#include "core/printable.h"
#include "io/decompression.h"

namespace mote {
namespace {

constexpr const char* kFourDgsRemedy = "write or download the file again";

enum StreamMode : std::uint8_t { kRawMode, kDeltaMode, kConstantMode };

void inflate_block(std::span<const std::byte> bytes, std::vector<std::byte>& out,
                   const std::string& where) {
  uLongf size = out.size();
  // A stream of no symbols still has a header, so the output must not be empty.
  std::byte none{};
  auto* target = reinterpret_cast<Bytef*>(out.empty() ? &none : out.data());
  const int status = uncompress(target, &size, reinterpret_cast<const Bytef*>(bytes.data()),
                                static_cast<uLong>(bytes.size()));
  if (status != Z_OK || size != out.size()) {
    throw Error("its deflated data are damaged or have another size than announced", where,
                kFourDgsRemedy);
  }
}

/// Joins byte planes to symbols and unfolds them: 0, 1, 2, 3 are 0, -1, 1, -2.
std::vector<std::int32_t> unfolded(const std::vector<std::byte>& bytes, std::size_t symbols,
                                   std::size_t width) {
  std::vector<std::int32_t> values(symbols);
  for (std::size_t i = 0; i < symbols; ++i) {
    std::uint32_t folded = 0;
    for (std::size_t plane = 0; plane < width; ++plane) {
      folded |= static_cast<std::uint32_t>(bytes[plane * symbols + i]) << (8 * plane);
    }
    values[i] = static_cast<std::int32_t>((folded >> 1) ^ (0u - (folded & 1u)));
  }
  return values;
}

/// Sums up the differences of each channel, modulo 2^32.
void integrate(std::vector<std::int32_t>& values, std::size_t channels) {
  for (std::size_t i = channels; i < values.size(); ++i) {
    values[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(values[i]) +
                                          static_cast<std::uint32_t>(values[i - channels]));
  }
}

}  // namespace

std::vector<std::byte> unpack_block(std::span<const std::byte> bytes, const std::string& codec,
                                    std::uint64_t size, const std::string& where) {
  // Deflate reaches a ratio of 1032, zstd in practice less than this.
  constexpr std::uint64_t kMostRatio = 1100, kAlways = 1 << 16;
  if (size > kAlways + kMostRatio * bytes.size()) {
    throw Error("announces more data than its bytes can hold", where, kFourDgsRemedy);
  }
  std::vector<std::byte> out(size);
  if (codec.empty()) {
    if (bytes.size() != size) {
      throw Error("its stored data have another size than announced", where, kFourDgsRemedy);
    }
    out.assign(bytes.begin(), bytes.end());
  } else if (codec == "deflate") {
    inflate_block(bytes, out, where);
  } else if (codec == "zstd") {
    if (!expand_zstd(bytes, out)) {
      throw Error("its zstd data are damaged or have another size than announced", where,
                  kFourDgsRemedy);
    }
  } else {
    throw Error(
        "uses the codec \"" + printable(codec.substr(0, 40)) + "\", which Mote does not know",
        where, "write the file with deflate or zstd");
  }
  return out;
}

FourDgsStream read_four_dgs_stream(ByteReader& reader, std::uint32_t count) {
  const std::string where = reader.where();
  FourDgsStream stream;
  stream.attribute = reader.read<std::uint8_t>();
  const std::size_t width = reader.read<std::uint8_t>();
  const auto mode = reader.read<std::uint8_t>(), codec = reader.read<std::uint8_t>();
  stream.channels = reader.read<std::uint8_t>();
  const auto elements = reader.read<std::uint32_t>();
  const auto length = reader.read<std::uint64_t>();
  if (length > reader.remaining()) {
    throw Error("truncated: a stream is longer than its chunk", where, kFourDgsRemedy);
  }
  const std::span<const std::byte> payload = reader.take(length);
  if (width != 1 && width != 2 && width != 4) {
    throw Error("a stream has symbols of " + std::to_string(width) + " bytes", where,
                kFourDgsRemedy);
  }
  if (mode > kConstantMode || stream.channels == 0) {
    throw Error("a stream has an unknown mode or no channels", where, kFourDgsRemedy);
  }
  if (elements != count) {
    throw Error("a stream has " + std::to_string(elements) + " elements in a chunk of " +
                    std::to_string(count),
                where, kFourDgsRemedy);
  }
  if (codec > 1) {
    throw Error("a stream uses the codec " + std::to_string(codec) + ", which Mote does not know",
                where, "write the file with deflate or zstd");
  }
  const std::size_t symbols = stream.channels * (mode == kConstantMode ? 1 : std::size_t{count});
  stream.values =
      unfolded(unpack_block(payload, codec == 0 ? "deflate" : "zstd", symbols * width, where),
               symbols, width);
  if (mode == kDeltaMode) integrate(stream.values, stream.channels);
  if (mode == kConstantMode) {
    const std::vector<std::int32_t> one = stream.values;
    stream.values.clear();
    stream.values.reserve(stream.channels * count);
    for (std::uint32_t i = 0; i < count; ++i) {
      stream.values.insert(stream.values.end(), one.begin(), one.end());
    }
  }
  return stream;
}

}  // namespace mote
