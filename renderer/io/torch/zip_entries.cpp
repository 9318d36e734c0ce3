#include "io/torch/zip_entries.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include "core/bytes.h"
#include "core/error.h"
#include "core/printable.h"

namespace mote {
namespace {

constexpr const char* kZipRemedy = "copy or download the file again";
constexpr std::uint32_t kLocalMark = 0x04034b50, kCentralMark = 0x02014b50, kEndMark = 0x06054b50;
constexpr std::uint32_t kEnd64Mark = 0x06064b50, kLocator64Mark = 0x07064b50;
constexpr std::size_t kEndBytes = 22, kLocator64Bytes = 20, kEnd64Bytes = 56, kLocalBytes = 30;
constexpr std::uint64_t kMostEntries = 100000, kMostDirectoryBytes = std::uint64_t{64} << 20;

[[noreturn]] void refuse_zip(const InputFile& file, const std::string& problem) {
  throw Error("is a damaged ZIP archive: " + problem, file.name(), kZipRemedy);
}

std::vector<std::byte> zip_bytes(const InputFile& file, std::uint64_t offset, std::uint64_t count) {
  if (offset > file.size() || count > file.size() - offset) {
    refuse_zip(file, "a part of it lies beyond its end");
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  file.read_exact(offset, bytes);
  return bytes;
}

/// The list of the files in an archive.
struct ZipDirectory {
  std::uint64_t offset = 0, bytes = 0, entries = 0;
};

/// The directory by the record of ZIP64 whose locator stands at `locator`, if there is one.
bool find_directory64(const InputFile& file, std::uint64_t locator, ZipDirectory& found) {
  const auto head = zip_bytes(file, locator, kLocator64Bytes);
  ByteReader reader(head, file.name(), locator);
  if (reader.read<std::uint32_t>() != kLocator64Mark) return false;
  reader.skip(4);  // disk
  const auto offset = reader.read<std::uint64_t>();
  const auto end = zip_bytes(file, offset, kEnd64Bytes);
  ByteReader record(end, file.name(), offset);
  if (record.read<std::uint32_t>() != kEnd64Mark) refuse_zip(file, "its ZIP64 record is missing");
  record.skip(8 + 2 + 2 + 4 + 4 + 8);  // size, versions, disks, entries of this disk
  found.entries = record.read<std::uint64_t>();
  found.bytes = record.read<std::uint64_t>();
  found.offset = record.read<std::uint64_t>();
  return true;
}

ZipDirectory find_directory(const InputFile& file) {
  constexpr std::uint64_t kMostComment = 0xffff;
  if (file.size() < kEndBytes) refuse_zip(file, "it is too short");
  const std::uint64_t first = file.size() - std::min(file.size(), kEndBytes + kMostComment);
  const auto tail = zip_bytes(file, first, file.size() - first);
  for (std::size_t at = tail.size() - kEndBytes;; --at) {
    ByteReader reader(std::span<const std::byte>(tail).subspan(at, kEndBytes), file.name(),
                      first + at);
    if (reader.read<std::uint32_t>() == kEndMark) {
      ZipDirectory found;
      reader.skip(2 + 2 + 2);  // disks, entries of this disk
      found.entries = reader.read<std::uint16_t>();
      found.bytes = reader.read<std::uint32_t>();
      found.offset = reader.read<std::uint32_t>();
      const std::uint64_t end = first + at;
      if (end >= kLocator64Bytes) find_directory64(file, end - kLocator64Bytes, found);
      return found;
    }
    if (at == 0) break;
  }
  refuse_zip(file, "it has no directory");
}

/// A file as the directory describes it.
struct ArchivedFile {
  std::string name;
  std::uint16_t flags = 0, method = 0;
  std::uint64_t stored = 0, bytes = 0, header = 0;
};

std::string zip_name(const ArchivedFile& listed) {
  return printable(listed.name.substr(0, 80));
}

/// The values of ZIP64 replace those that are all ones, in this order.
void take_zip64(ByteReader extra, const InputFile& file, bool long_bytes, bool long_stored,
                bool long_header, ArchivedFile& listed) {
  constexpr std::uint16_t kZip64 = 1;
  while (extra.remaining() >= 4) {
    const auto id = extra.read<std::uint16_t>();
    const auto size = extra.read<std::uint16_t>();
    ByteReader field(extra.take(size), file.name());
    if (id != kZip64) continue;
    if (long_bytes) listed.bytes = field.read<std::uint64_t>();
    if (long_stored) listed.stored = field.read<std::uint64_t>();
    if (long_header) listed.header = field.read<std::uint64_t>();
    return;
  }
}

ArchivedFile next_listed(ByteReader& reader, const InputFile& file) {
  constexpr std::uint32_t kLong = 0xffffffff;
  if (reader.read<std::uint32_t>() != kCentralMark) refuse_zip(file, "its directory is cut");
  ArchivedFile listed;
  reader.skip(2 + 2);  // versions
  listed.flags = reader.read<std::uint16_t>();
  listed.method = reader.read<std::uint16_t>();
  reader.skip(2 + 2 + 4);  // time, date, checksum
  const auto stored = reader.read<std::uint32_t>(), bytes = reader.read<std::uint32_t>();
  const auto name_size = reader.read<std::uint16_t>();
  const auto extra_size = reader.read<std::uint16_t>();
  const auto comment_size = reader.read<std::uint16_t>();
  reader.skip(2 + 2 + 4);  // disk, attributes
  const auto header = reader.read<std::uint32_t>();
  const auto name = reader.take(name_size);
  listed.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
  listed.stored = stored;
  listed.bytes = bytes;
  listed.header = header;
  take_zip64(ByteReader(reader.take(extra_size), file.name()), file, bytes == kLong,
             stored == kLong, header == kLong, listed);
  reader.skip(comment_size);
  return listed;
}

}  // namespace

std::map<std::string, ZipEntry> stored_zip_entries(const InputFile& file) {
  const ZipDirectory directory = find_directory(file);
  if (directory.bytes > kMostDirectoryBytes || directory.entries > kMostEntries) {
    refuse_zip(file, "it lists " + std::to_string(directory.entries) + " files");
  }
  const auto bytes = zip_bytes(file, directory.offset, directory.bytes);
  ByteReader reader(bytes, file.name(), directory.offset);
  std::map<std::string, ZipEntry> entries;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    const ArchivedFile listed = next_listed(reader, file);
    constexpr std::uint16_t kEncrypted = 1;
    if (listed.method != 0 || (listed.flags & kEncrypted) != 0) continue;
    if (listed.stored != listed.bytes)
      refuse_zip(file, "two sizes of '" + zip_name(listed) + "' differ");
    const auto head = zip_bytes(file, listed.header, kLocalBytes);
    ByteReader local(head, file.name(), listed.header);
    if (local.read<std::uint32_t>() != kLocalMark) {
      refuse_zip(file, "'" + zip_name(listed) + "' is not where the directory says");
    }
    local.skip(22);
    const auto name_size = local.read<std::uint16_t>(), extra_size = local.read<std::uint16_t>();
    const std::uint64_t offset = listed.header + kLocalBytes + name_size + extra_size;
    if (offset > file.size() || listed.bytes > file.size() - offset) {
      refuse_zip(file, "'" + zip_name(listed) + "' lies beyond its end");
    }
    if (!entries.emplace(listed.name, ZipEntry{offset, listed.bytes}).second) {
      refuse_zip(file, "it has two files '" + zip_name(listed) + "'");
    }
  }
  return entries;
}

}  // namespace mote
