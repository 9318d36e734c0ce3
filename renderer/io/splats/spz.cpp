// Niantic's .spz, versions 1 to 4; see spz_layout.h.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/error.h"
#include "io/decompression.h"
#include "io/splats/cloud_building.h"
#include "io/splats/scene_format.h"
#include "io/splats/spz_layout.h"

namespace mote {
namespace spz {

namespace {

constexpr std::size_t kReadChunkSplats = 65536;
// Real scenes shrink to about a third. Content that claims much more is inflated twice, first to
// count.
constexpr std::uint64_t kPlausibleRatio = 8;
constexpr std::size_t kMaxExtensionBytes = std::size_t{64} << 10;  // after gzipped splats
constexpr std::uint32_t kCoordinateSystemExtension = 0xadbe0003;   // Adobe's

constexpr const char* kDamaged = "copy or download the file again";

[[noreturn]] void fail(const std::string& problem, const InputFile& file, std::uint64_t offset) {
  throw Error(problem, file.name() + ", byte " + std::to_string(offset), kDamaged);
}

/// The common header fields of all versions.
Header parse_header(std::span<const std::byte> bytes, const InputFile& file) {
  ByteReader reader(bytes, file.name());
  if (reader.read<std::uint32_t>() != kMagic)
    fail("the spz header does not begin with 'NGSP'", file, 0);
  Header header;
  header.version = reader.read<std::uint32_t>();
  header.count = reader.read<std::uint32_t>();
  header.sh_degree = reader.read<std::uint8_t>();
  header.fractional_bits = reader.read<std::uint8_t>();
  header.flags = reader.read<std::uint8_t>();
  if (header.version < 1 || header.version > 4) {
    throw Error("spz of version " + std::to_string(header.version) + ", supported are 1 to 4",
                file.name(), "export it again as spz 4, or as .ply");
  }
  if (header.sh_degree > kMaxShDegree) {
    fail("SH degree " + std::to_string(header.sh_degree) + ", expected 0 to 4", file, 12);
  }
  if (header.fractional_bits > kMaxFractionalBits) {
    fail(std::to_string(header.fractional_bits) + " fractional bits, expected at most 24", file,
         13);
  }
  return header;
}

/// Extension records are {type, length, payload}. The only one that affects splats gives the axes,
/// as a number from 1 to 8 with one bit each for right, up and front.
void apply_extensions(std::span<const std::byte> records, const InputFile& file, Header& header,
                      std::vector<std::string>& warnings) {
  ByteReader reader(records, file.name(), kZstdHeaderBytes);
  while (reader.remaining() >= 8) {
    const auto type = reader.read<std::uint32_t>();
    const auto length = reader.read<std::uint32_t>();
    const std::span<const std::byte> payload = reader.take(length);
    if (type != kCoordinateSystemExtension || length != sizeof(std::uint32_t)) continue;
    std::uint32_t system = 0;
    std::memcpy(&system, payload.data(), sizeof system);
    if (system >= 1 && system <= 8) {
      const std::uint32_t bits = system - 1;
      header.axes = {bits & 1 ? 1.0f : -1.0f, bits & 2 ? -1.0f : 1.0f, bits & 4 ? 1.0f : -1.0f};
    } else {
      warnings.push_back("its axes (system " + std::to_string(system) +
                         " of spz) are not converted; they are read as right, up, back");
    }
  }
}

void decode_array(Array array, const Header& header, Decompressor& stream, SplatCloud& cloud,
                  const ProgressCallback& progress) {
  const std::size_t stride = bytes_per_splat(array, header);
  if (stride == 0) return;
  Buffer<std::byte> packed(std::min(kReadChunkSplats, cloud.count()) * stride);
  for (std::size_t first = 0; first < cloud.count(); first += kReadChunkSplats) {
    const std::size_t count = std::min(kReadChunkSplats, cloud.count() - first);
    stream.read_exact(packed.span().first(count * stride));
    in_parallel((count + kBlockSize - 1) / kBlockSize, [&](std::size_t begin, std::size_t end) {
      const std::size_t from = begin * kBlockSize, size = std::min(end * kBlockSize, count) - from;
      decode(array, header, packed.span().subspan(from * stride, size * stride), first + from,
             cloud);
    });
    const double share = static_cast<double>(first + count) / static_cast<double>(cloud.count());
    report(progress, (static_cast<double>(array) + share) / static_cast<double>(kArrays.size()));
  }
}

std::uint64_t content_bytes(const Header& header) {
  std::uint64_t bytes = 0;
  for (const Array array : kArrays) bytes += bytes_per_splat(array, header);
  return bytes * header.count;
}

[[noreturn]] void fail_count(const Header& header, std::uint64_t expected, std::uint64_t found,
                             const InputFile& file) {
  fail("truncated: the header announces " + std::to_string(header.count) + " splats, which need " +
           std::to_string(expected) + " bytes, but the file has " + std::to_string(found),
       file, 8);
}

/// Rejects a count that the stream does not contain, before allocating memory. The last four bytes
/// of a gzip file give the length of its content. If they disagree, or the length is implausible,
/// the content is inflated once and counted.
void check_gzip_count(const Header& header, const InputFile& file) {
  const std::uint64_t expected = kGzipHeaderBytes + content_bytes(header);
  std::uint32_t length = 0;
  file.read_exact(file.size() - sizeof length, std::as_writable_bytes(std::span(&length, 1)));
  if (length == static_cast<std::uint32_t>(expected) && expected / kPlausibleRatio <= file.size()) {
    return;
  }
  const std::uint64_t found = open_gzip(file, 0, file.size())->count_rest(expected);
  if (found < expected) fail_count(header, expected, found, file);
}

SplatCloud read_gzip(const InputFile& file, const ProgressCallback& progress) {
  const std::unique_ptr<Decompressor> stream = open_gzip(file, 0, file.size());
  std::array<std::byte, kGzipHeaderBytes> head;
  stream->read_exact(head);
  const Header header = parse_header(head, file);
  if (header.version > 3) {
    fail("spz version " + std::to_string(header.version) + " within gzip, expected 1 to 3", file,
         4);
  }
  check_gzip_count(header, file);
  SplatCloud cloud = make_cloud(header.count, header.sh_degree, SplatKind::gaussian, file.name());
  cloud.antialiased = header.flags & kAntialiasedFlag;
  for (const Array array : kArrays) decode_array(array, header, *stream, cloud, progress);
  if (header.flags & kExtensionsFlag) {
    std::vector<std::byte> records(kMaxExtensionBytes);
    records.resize(stream->read_some(records));
    Header extended = header;
    apply_extensions(records, file, extended, cloud.warnings);
    if (extended.axes != header.axes) {
      cloud.warnings.push_back(
          "its axes are named after its splats and ignored; they are read as right, up, back");
    }
  }
  // Reads to the end, where zlib checks the checksum.
  if (const std::uint64_t rest = stream->count_rest(file.size()); rest > 0) {
    cloud.warnings.push_back(std::to_string(rest) + " bytes after the last splat were ignored");
  }
  report(progress, 1.0);
  return cloud;
}

struct Stream {
  Array array;
  std::uint64_t offset, size;  // in the file
  std::uint64_t content_size;  // inflated
};

/// The table of contents, checked against the header and the file. Empty arrays have no stream.
std::vector<Stream> read_contents(const Header& header, std::size_t stream_count,
                                  std::uint64_t offset, const InputFile& file) {
  std::vector<std::byte> table(stream_count * 16);
  file.read_exact(offset, table);
  ByteReader reader(table, file.name(), offset);
  std::uint64_t stream_offset = offset + table.size();
  std::vector<Stream> streams;
  for (const Array array : kArrays) {
    const std::uint64_t expected = bytes_per_splat(array, header) * std::uint64_t{header.count};
    if (expected == 0) continue;
    const auto size = reader.read<std::uint64_t>();
    const auto content_size = reader.read<std::uint64_t>();
    if (content_size != expected) fail_count(header, expected, content_size, file);
    if (size > file.size() - stream_offset) {
      fail("truncated: a stream of " + std::to_string(size) + " bytes, with " +
               std::to_string(file.size() - stream_offset) + " left in the file",
           file, stream_offset);
    }
    streams.push_back({array, stream_offset, size, content_size});
    stream_offset += size;
  }
  return streams;
}

void check_zstd_count(const Header& header, const std::vector<Stream>& streams,
                      const InputFile& file) {
  for (const Stream& s : streams) {
    if (s.content_size / kPlausibleRatio <= s.size) continue;
    const std::uint64_t found =
        open_zstd(file, s.offset, s.size, s.content_size)->count_rest(s.content_size);
    if (found < s.content_size) fail_count(header, s.content_size, found, file);
  }
}

SplatCloud read_zstd(const InputFile& file, const ProgressCallback& progress) {
  std::array<std::byte, kZstdHeaderBytes> head;
  file.read_exact(0, head);
  Header header = parse_header(head, file);
  if (header.version < 4) {
    fail("spz version " + std::to_string(header.version) + " without gzip, expected 4", file, 4);
  }
  std::uint32_t contents_offset = 0;
  std::memcpy(&contents_offset, head.data() + 16, sizeof contents_offset);
  if (contents_offset < kZstdHeaderBytes || contents_offset > file.size()) {
    fail("the table of contents cannot be at byte " + std::to_string(contents_offset), file, 16);
  }
  std::vector<std::string> warnings;
  if (header.flags & kExtensionsFlag) {
    std::vector<std::byte> records(contents_offset - kZstdHeaderBytes);
    file.read_exact(kZstdHeaderBytes, records);
    apply_extensions(records, file, header, warnings);
  }
  const std::vector<Stream> streams =
      read_contents(header, std::to_integer<std::size_t>(head[15]), contents_offset, file);
  check_zstd_count(header, streams, file);
  SplatCloud cloud = make_cloud(header.count, header.sh_degree, SplatKind::gaussian, file.name());
  cloud.antialiased = header.flags & kAntialiasedFlag;
  cloud.warnings = std::move(warnings);
  for (const Stream& s : streams) {
    const std::unique_ptr<Decompressor> stream = open_zstd(file, s.offset, s.size, s.content_size);
    decode_array(s.array, header, *stream, cloud, progress);
    if (stream->count_rest(1) > 0)
      fail("a stream is longer than its size in the header", file, s.offset);
  }
  report(progress, 1.0);
  const std::uint64_t end = streams.back().offset + streams.back().size;
  if (end < file.size()) {
    cloud.warnings.push_back(std::to_string(file.size() - end) +
                             " bytes after the last stream were ignored");
  }
  return cloud;
}

bool is_gzip(std::span<const std::byte> head) {
  return head.size() >= 2 && head[0] == std::byte{0x1f} && head[1] == std::byte{0x8b};
}

bool probe(std::span<const std::byte> head) {
  std::array<std::byte, sizeof kMagic> mark{};
  if (is_gzip(head)) {
    if (inflate_head(head, mark) < mark.size()) return false;
  } else if (head.size() >= mark.size()) {
    std::copy_n(head.begin(), mark.size(), mark.begin());
  }
  return std::bit_cast<std::uint32_t>(mark) == kMagic;
}

SplatCloud read(const InputFile& file, const ProgressCallback& progress) {
  std::array<std::byte, 2> head{};
  file.read_some(0, head);
  return is_gzip(head) ? read_gzip(file, progress) : read_zstd(file, progress);
}

}  // namespace
}  // namespace spz

SceneFormat spz_format() {
  static constexpr std::string_view kExtensions[] = {".spz"};
  return {"spz", kExtensions, ModelKind::splats, "small files", spz::probe, spz::read, spz::write};
}

}  // namespace mote
