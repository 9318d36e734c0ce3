#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace mote {

/// A file opened for reading: positioned reads, no mapping (mapped pages would count as ours).
/// Throws Error where the path is missing, a directory or not readable.
class InputFile {
 public:
  explicit InputFile(std::filesystem::path path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string name() const { return path_.string(); }
  std::uint64_t size() const { return size_; }

  /// Reads up to `out.size()` bytes at `offset`; fewer only at the end of the file.
  std::size_t read_some(std::uint64_t offset, std::span<std::byte> out) const;
  /// Reads exactly `out.size()` bytes at `offset`; throws Error ("truncated") where there are
  /// fewer.
  void read_exact(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// A file that appears whole or not at all: written beside its place, flushed and renamed into it
/// by commit(). Destroyed without commit() it leaves nothing. Throws Error on any failed write.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::string name() const { return path_.string(); }

  /// Buffered append.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Replaces bytes written before, for formats that keep a table of offsets at their head.
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  void commit();

 private:
  void flush();
  [[noreturn]] void fail(const char* doing) const;

  std::filesystem::path path_, partial_;
  int descriptor_ = -1;
  std::string pending_;
};

/// Makes the folder with those above it and gives the topmost one that was missing; empty where
/// none was. Throws Error where it cannot be made.
std::filesystem::path make_folders(const std::filesystem::path& path);

/// The whole file as bytes; refuses more than `limit` bytes with an Error.
std::string read_text_file(const std::filesystem::path& path, std::uint64_t limit = 1ull << 30);

}  // namespace mote
