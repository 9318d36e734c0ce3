#include <fmt/format.h>
#include <nanovdb/util/IO.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "core/buffer.h"
#include "core/error.h"
#include "core/file.h"
#include "core/spelling.h"
#include "io/decompression.h"
#include "io/volumes/nano_grid.h"
#include "io/volumes/volume_file.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kMagics{"NanoVDB0", "NanoVDB1", "NanoVDB2"};
constexpr std::uint32_t kMajorVersion = 32;
constexpr std::uint32_t kLongestGridName = 4096;
constexpr std::uint64_t kGridPieceBytes = std::uint64_t{1} << 24;
constexpr std::uint64_t kMostDeflation = 1032;  // of zlib

/// The fields of a segment's head and of a grid's entry that are read. Enumerations of a damaged
/// file may have any value, so they are numbers here.
struct SegmentHead {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint16_t grids, codec;
};
static_assert(sizeof(SegmentHead) == sizeof(nanovdb::io::Header));

struct GridEntry {
  std::string name;
  std::uint64_t grid_bytes = 0, file_bytes = 0, file_at = 0;
  std::uint32_t type = 0;
  std::uint16_t codec = 0;
};

class VolumeReading {
 public:
  VolumeReading(const fs::path& path, const std::function<void(double)>& progress)
      : file_(path), progress_(progress) {}

  VolumeFile read() {
    for (std::uint64_t at = 0; at < file_.size();) at = read_segment(at);
    if (entries_.empty()) {
      throw Error("is empty", file_.name(), "copy the file or export it again");
    }
    const GridEntry& entry = chosen();
    const std::string place = fmt::format("{}, grid '{}'", file_.name(), entry.name);
    const Buffer<std::byte> bytes = content(entry, place);
    VolumeFile result{
        .volume = read_nano_grid(bytes.span(), place, [&](double done) { show(0.5 + 0.5 * done); }),
        .notes = {}};
    if (entries_.size() > 1) {
      result.notes.push_back(
          fmt::format("of its {} grids, '{}' is used", entries_.size(), entry.name));
    }
    return result;
  }

 private:
  [[noreturn]] void fail(std::uint64_t at, const std::string& what) const {
    throw Error(what, fmt::format("{}, byte {}", file_.name(), at),
                "copy the file or export it again");
  }

  void show(double done) const {
    if (progress_) progress_(done);
  }

  template <class Value>
  Value value(std::uint64_t at) const {
    Value result;
    file_.read_exact(at, std::as_writable_bytes(std::span(&result, 1)));
    return result;
  }

  void check_head(const SegmentHead& head, std::uint64_t at) const {
    const std::string_view magic(reinterpret_cast<const char*>(&head.magic), sizeof(head.magic));
    if (std::ranges::find(kMagics, magic) == kMagics.end()) {
      fail(at, at == 0 ? "is no NanoVDB file: it does not begin with 'NanoVDB'"
                       : "damaged file: there is no further grid, but bytes follow");
    }
    if (const std::uint32_t major = head.version >> 21; major != kMajorVersion) {
      throw Error(
          fmt::format("has the version {} of NanoVDB, only {} is read", major, kMajorVersion),
          file_.name(), "export it with NanoVDB 32");
    }
    if (head.grids == 0) fail(at, "damaged file: a part has no grid");
  }

  /// Adds the entries of the grids of a segment. Returns its end.
  std::uint64_t read_segment(std::uint64_t at) {
    const auto head = value<SegmentHead>(at);
    check_head(head, at);
    at += sizeof(head);
    const std::size_t first = entries_.size();
    for (int grid = 0; grid < head.grids; ++grid) at = read_entry(at, head.codec);
    for (std::size_t i = first; i < entries_.size(); ++i) {
      GridEntry& entry = entries_[i];
      if (entry.file_bytes > file_.size() - at) {
        fail(at, fmt::format("truncated file: grid '{}' has {} bytes, {} are left", entry.name,
                             entry.file_bytes, file_.size() - at));
      }
      entry.file_at = at;
      at += entry.file_bytes;
    }
    return at;
  }

  std::uint64_t read_entry(std::uint64_t at, std::uint16_t codec) {
    using Entry = nanovdb::io::MetaData;
    std::array<std::byte, sizeof(Entry)> bytes;
    file_.read_exact(at, bytes);
    const auto field = [&](std::size_t offset, auto& out) {
      std::memcpy(&out, bytes.data() + offset, sizeof(out));
    };
    GridEntry entry;
    std::uint32_t name_bytes = 0;
    field(offsetof(Entry, gridSize), entry.grid_bytes);
    field(offsetof(Entry, fileSize), entry.file_bytes);
    field(offsetof(Entry, gridType), entry.type);
    field(offsetof(Entry, nameSize), name_bytes);
    entry.codec = codec;
    if (name_bytes > kLongestGridName) {
      fail(at + offsetof(Entry, nameSize),
           fmt::format("damaged file: a name has {} bytes", name_bytes));
    }
    at += sizeof(Entry);
    entry.name.resize(name_bytes);
    file_.read_exact(at, std::as_writable_bytes(std::span(entry.name)));
    entry.name.resize(std::min(entry.name.find('\0'), entry.name.size()));
    entries_.push_back(std::move(entry));
    return at + name_bytes;
  }

  const GridEntry& chosen() const {
    const GridEntry* best = nullptr;
    for (const GridEntry& entry : entries_) {
      if (!is_density_type(entry.type)) continue;
      if (best == nullptr || (entry.name == "density" && best->name != "density")) best = &entry;
    }
    if (best != nullptr) return *best;
    constexpr std::size_t kMostNamed = 8;
    std::string names;
    for (std::size_t i = 0; i < std::min(entries_.size(), kMostNamed); ++i) {
      names += fmt::format("{}'{}' of type {}", i > 0 ? ", " : "", entries_[i].name,
                           grid_type_name(entries_[i].type));
    }
    throw Error("has no grid of densities, only " + names, file_.name(),
                "export the density as a grid of floats");
  }

  /// The bytes of a grid.
  Buffer<std::byte> content(const GridEntry& entry, const std::string& place) const {
    if (entry.grid_bytes > kMostGridBytes) {
      throw Error(
          fmt::format("has {} bytes, at most {} can be read", entry.grid_bytes, kMostGridBytes),
          place, "resample it to larger voxels");
    }
    std::unique_ptr<Decompressor> stream;
    switch (static_cast<nanovdb::io::Codec>(entry.codec)) {
      case nanovdb::io::Codec::NONE:
        if (entry.grid_bytes > entry.file_bytes) {
          fail(entry.file_at, fmt::format("truncated file: a grid of {} bytes has {} in the file",
                                          entry.grid_bytes, entry.file_bytes));
        }
        stream = open_stored(file_, entry.file_at, entry.file_bytes);
        break;
      case nanovdb::io::Codec::ZIP:
        stream = open_zip(entry);
        break;
      case nanovdb::io::Codec::BLOSC:
        throw Error("is compressed with Blosc, which is not read", place,
                    "write it without compression or with ZIP");
      default:
        fail(entry.file_at,
             fmt::format("damaged file: the compression has the number {}", entry.codec));
    }
    Buffer<std::byte> bytes(static_cast<std::size_t>(entry.grid_bytes));
    for (std::uint64_t at = 0; at < bytes.size(); at += kGridPieceBytes) {
      stream->read_exact(bytes.span().subspan(at, std::min(kGridPieceBytes, bytes.size() - at)));
      show(0.5 * static_cast<double>(at) / static_cast<double>(bytes.size()));
    }
    return bytes;
  }

  /// A number of bytes, then a zlib stream.
  std::unique_ptr<Decompressor> open_zip(const GridEntry& entry) const {
    const auto stored = entry.file_bytes < sizeof(std::uint64_t)
                            ? std::uint64_t{0}
                            : value<std::uint64_t>(entry.file_at);
    if (stored == 0 || stored > entry.file_bytes - sizeof(stored)) {
      fail(entry.file_at, fmt::format("truncated file: a grid has {} compressed bytes, {} are left",
                                      stored, entry.file_bytes));
    }
    if (entry.grid_bytes / kMostDeflation > stored) {
      fail(entry.file_at, fmt::format("damaged file: {} bytes cannot give a grid of {} bytes",
                                      stored, entry.grid_bytes));
    }
    return open_gzip(file_, entry.file_at + sizeof(stored), stored);
  }

  const InputFile file_;
  const std::function<void(double)>& progress_;
  std::vector<GridEntry> entries_;
};

}  // namespace

bool is_volume_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  return lower_extension(path) == ".nvdb";
}

VolumeFile read_volume(const fs::path& path, const std::function<void(double)>& progress) {
  return VolumeReading(path, progress).read();
}

}  // namespace mote
