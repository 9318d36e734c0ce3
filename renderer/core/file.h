#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// Whether a file that exists already gives way to a new one.
enum class Existing { replace, keep };

/// A file that appears whole or not at all: written beside its place, flushed and renamed into it
/// by commit(). Destroyed without commit() it leaves nothing. Throws Error on any failed write.
/// A path that is a symbolic link stays one: the file that it leads to is written. A file that is
/// replaced hands its permissions, and its owner where the process may set it, to the new one.
/// While it is unfinished it is called NAME.partial-PROCESS, and this process has a lock on it:
/// see remove_unfinished().
class OutputFile {
 public:
  /// With Existing::keep it throws Error where the file exists, here or when it is committed:
  /// whatever appeared in the meantime stays.
  explicit OutputFile(std::filesystem::path path, Existing existing = Existing::replace);
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
  void make_partial();
  void flush();
  void take_permissions() const;
  [[noreturn]] void fail(const char* doing) const;

  std::filesystem::path path_, target_, partial_;  // as named, behind symbolic links, beside it
  Existing existing_;
  int descriptor_ = -1;
  std::string pending_;
};

/// Makes the folder with those above it, and gives those that were missing, the topmost first.
/// Others may make and remove the same folders meanwhile. Throws Error where it cannot be made.
std::vector<std::filesystem::path> make_folders(const std::filesystem::path& path);

/// The whole file as bytes; refuses more than `limit` bytes with an Error.
std::string read_text_file(const std::filesystem::path& path, std::uint64_t limit = 1ull << 30);

}  // namespace mote
