// Checkpoint files, in the machine's little-endian layout: Header, payload, CRC-32 of the payload.
// The header has its own CRC-32, which distinguishes a damaged file from one of another version.
#include "train/run/checkpoint.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "core/error.h"
#include "core/file.h"
#include "core/folders.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::array<char, 8> kMagic{'M', 'O', 'T', 'E', 'C', 'K', 'P', 'T'};
constexpr std::uint32_t kFormatVersion = 3;
constexpr std::size_t kChunk = std::size_t{1} << 20;  // bytes
constexpr std::string_view kPrefix = "ckpt_", kSuffix = ".bin";
constexpr const char* kStartAnew = "start again with -y, which removes the old run";

struct Header {
  std::array<char, 8> magic = kMagic;
  std::uint32_t version = kFormatVersion;
  std::uint32_t checksum = 0;  // CRC-32 of the header with this field set to 0
  std::uint64_t step = 0, dataset = 0, pixels = 0, payload_bytes = 0;
  std::array<char, 64> layout{};  // zero-terminated
};
static_assert(sizeof(Header) == 112);

std::uint32_t crc_of(std::uint32_t before, std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::uint32_t header_checksum(Header header) {
  header.checksum = 0;
  return crc_of(0, std::as_bytes(std::span(&header, 1)));
}

/// Forwards bytes to a file, and computes their number and checksum.
class FileSink : public ByteSink {
 public:
  explicit FileSink(OutputFile& file) : file_(file) {}
  void write(std::span<const std::byte> bytes) override {
    bytes_ += bytes.size();
    while (!bytes.empty()) {  // in chunks, since the file copies its input
      const auto piece = bytes.first(std::min(bytes.size(), kChunk));
      file_.write(piece);
      checksum_ = crc_of(checksum_, piece);
      bytes = bytes.subspan(piece.size());
    }
  }
  std::uint32_t checksum() const { return checksum_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  OutputFile& file_;
  std::uint32_t checksum_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Reads a range of a file in large chunks.
class FileSource : public ByteSource {
 public:
  FileSource(const InputFile& file, std::uint64_t begin, std::uint64_t end)
      : file_(file), next_(begin), end_(end) {}
  void read(std::span<std::byte> out) override {
    if (out.size() > left()) {
      throw Error(fmt::format("expected {} more bytes, found {}", out.size(), left()), file_.name(),
                  kStartAnew);
    }
    while (!out.empty()) {
      if (position_ == chunk_.size()) fill();
      const std::size_t part = std::min(out.size(), chunk_.size() - position_);
      std::memcpy(out.data(), chunk_.data() + position_, part);
      position_ += part;
      out = out.subspan(part);
    }
  }
  std::size_t left() const override {
    return static_cast<std::size_t>(end_ - next_) + chunk_.size() - position_;
  }

 private:
  void fill() {
    chunk_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kChunk, end_ - next_)));
    file_.read_exact(next_, chunk_);
    next_ += chunk_.size();
    position_ = 0;
  }

  const InputFile& file_;
  std::uint64_t next_, end_;
  std::vector<std::byte> chunk_;
  std::size_t position_ = 0;
};

struct Listed {
  std::uint64_t step;
  fs::path path;
};

/// The checkpoints of a folder by name, newest first.
std::vector<Listed> listed(const fs::path& folder) {
  std::vector<Listed> found;
  std::error_code ignored;
  for (const fs::path& path : folder_entries(folder)) {
    const std::string name = path.filename().string();
    if (!fs::is_regular_file(path, ignored) || !name.starts_with(kPrefix) ||
        !name.ends_with(kSuffix)) {
      continue;
    }
    std::uint64_t step = 0;
    const char* last = name.data() + name.size() - kSuffix.size();
    const auto [stop, fault] = std::from_chars(name.data() + kPrefix.size(), last, step);
    if (fault == std::errc() && stop == last) found.push_back({step, path});
  }
  std::sort(found.begin(), found.end(),
            [](const Listed& a, const Listed& b) { return a.step > b.step; });
  return found;
}

/// Removes all checkpoints but that of `step` and the newest one before it. Checkpoints of later
/// steps are damaged, and a resumed run has skipped them.
void prune(const fs::path& folder, std::uint64_t step) {
  constexpr int kKept = 2;
  int kept = 0;
  for (const Listed& one : listed(folder)) {
    if (one.step <= step && kept++ < kKept) continue;
    std::error_code ignored;
    fs::remove(one.path, ignored);
  }
}

/// Reads the header and checks all bytes, but not the values in the header. Returns the problem, or
/// an empty string if the file is undamaged.
std::string find_damage(const InputFile& file, Header& header) {
  constexpr std::uint64_t kFrame = sizeof(Header) + sizeof(std::uint32_t);
  if (file.size() < kFrame) return fmt::format("is truncated to {} bytes", file.size());
  file.read_exact(0, std::as_writable_bytes(std::span(&header, 1)));
  if (header.magic != kMagic) return "does not begin like a checkpoint";
  if (header.checksum != header_checksum(header)) return "has a damaged header";
  if (file.size() - kFrame != header.payload_bytes) {
    return fmt::format("has {} bytes, expected {}", file.size(), header.payload_bytes + kFrame);
  }
  std::uint32_t checksum = 0;
  std::vector<std::byte> chunk(kChunk);
  const std::uint64_t end = sizeof(Header) + header.payload_bytes;
  for (std::uint64_t at = sizeof(Header); at < end;) {
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), end - at));
    file.read_exact(at, std::span(chunk).first(part));
    checksum = crc_of(checksum, std::span(chunk).first(part));
    at += part;
  }
  std::uint32_t written = 0;
  file.read_exact(end, std::as_writable_bytes(std::span(&written, 1)));
  return checksum == written ? "" : "is damaged: its checksum does not match";
}

/// Throws Error if an undamaged checkpoint is of another program, device or dataset.
void check_tag(const Header& header, const CheckpointTag& expected, const std::string& name) {
  if (header.version != kFormatVersion) {
    throw Error(fmt::format("has checkpoint format {}, this program reads {}", header.version,
                            kFormatVersion),
                name, "resume with the version of mote that wrote it, or start again with -y");
  }
  if (const std::string layout = header.layout.data(); layout != expected.layout) {
    throw Error(fmt::format("was written by {}, this is {}", layout, expected.layout), name,
                "resume with the program and device that wrote it, or start again with -y");
  }
  if (header.dataset != expected.dataset) {
    throw Error(
        "belongs to a run with other photographs, other cameras (--lens-mode) or another split, or "
        "with another mesh, picture or volume",
        name, "give the dataset and options of that run, or start again with -y");
  }
  if (header.pixels != expected.pixels) {
    throw Error(
        "belongs to a run with other pixels: since then a photograph, a mask, a lens, its use "
        "(--lens-mode), the use of light (--light-mode) or the meaning of masks (--mask-mode) has "
        "changed",
        name, "restore the files and options of that run, or start again with -y");
  }
}

}  // namespace

fs::path write_checkpoint(const fs::path& folder, const CheckpointTag& tag,
                          const std::function<void(ByteSink&)>& save) {
  Header header;
  header.step = tag.step;
  header.dataset = tag.dataset;
  header.pixels = tag.pixels;
  CHECK(tag.layout.size() < header.layout.size());
  std::copy(tag.layout.begin(), tag.layout.end(), header.layout.begin());

  fs::path path = folder / fmt::format("{}{:09}{}", kPrefix, tag.step, kSuffix);
  OutputFile file(path);
  file.write(std::as_bytes(std::span(&header, 1)));
  FileSink sink(file);
  save(sink);
  const std::uint32_t checksum = sink.checksum();
  file.write(std::as_bytes(std::span(&checksum, 1)));
  header.payload_bytes = sink.bytes();
  header.checksum = header_checksum(header);
  file.overwrite(0, std::as_bytes(std::span(&header, 1)));
  file.commit();
  prune(folder, tag.step);
  return path;
}

std::vector<fs::path> listed_checkpoints(const fs::path& folder) {
  std::vector<fs::path> paths;
  for (const Listed& one : listed(folder)) paths.push_back(one.path);
  return paths;
}

std::optional<GoodCheckpoint> newest_checkpoint(const fs::path& folder,
                                                const CheckpointTag& expected) {
  GoodCheckpoint found;
  for (const Listed& one : listed(folder)) {
    const InputFile file(one.path);
    Header header;
    const std::string damage = find_damage(file, header);
    if (!damage.empty()) {
      found.passed_over.push_back(one.path.string() + " " + damage);
      continue;
    }
    check_tag(header, expected, file.name());
    found.path = one.path;
    found.step = header.step;
    return found;
  }
  if (found.passed_over.empty()) return {};
  throw Error(fmt::format("no checkpoint is intact: {}", fmt::join(found.passed_over, "; ")),
              folder.string(), kStartAnew);
}

void read_checkpoint(const fs::path& path, const std::function<void(ByteSource&)>& restore) {
  const InputFile file(path);
  Header header;
  file.read_exact(0, std::as_writable_bytes(std::span(&header, 1)));
  FileSource source(file, sizeof(Header), sizeof(Header) + header.payload_bytes);
  restore(source);
  if (source.left() == 0) return;
  throw Error(fmt::format("contains {} bytes too many", source.left()), file.name(), kStartAnew);
}

}  // namespace mote
