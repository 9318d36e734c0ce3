#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mote {

/// A file opened for positioned reads. It is not mapped, since mapped pages would count as memory
/// of this process. Throws Error where the path is missing, a directory or not readable.
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
  /// Reads exactly `out.size()` bytes at `offset`. Throws Error ("truncated") where there are
  /// fewer.
  void read_exact(std::uint64_t offset, std::span<std::byte> out) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

/// Whether a new file replaces an existing one.
enum class Existing { replace, keep };

/// An output file that appears complete or not at all. It is written beside its place, and commit()
/// flushes it and renames it into place. Without commit() the destructor removes it. Throws Error
/// on any failed write. A symbolic link at the path stays, and the file that it leads to is
/// written. The new file takes the permissions of the file that it replaces, and the owner where
/// the process may set it. The unfinished file is called NAME.partial-PROCESS and is locked by this
/// process: see remove_unfinished().
class OutputFile {
 public:
  /// With Existing::keep, throws Error where the file exists, here or in commit(). A file that
  /// appeared in the meantime is kept.
  explicit OutputFile(std::filesystem::path path, Existing existing = Existing::replace);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::string name() const { return path_.string(); }

  /// Buffered append.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Replaces bytes written before, for formats with a table of offsets at the start.
  void overwrite(std::uint64_t offset, std::span<const std::byte> bytes);
  void commit();

 private:
  void make_partial();
  void flush();
  void take_permissions() const;
  [[noreturn]] void fail(const char* doing) const;

  std::filesystem::path path_, target_, partial_;  // as given, with links resolved, unfinished
  Existing existing_;
  int descriptor_ = -1;
  std::string pending_;
};

/// Makes the folder and its missing parents, and returns the folders made, topmost first. Other
/// processes may make and remove the same folders meanwhile. Throws Error where the folder cannot
/// be made.
std::vector<std::filesystem::path> make_folders(const std::filesystem::path& path);

/// Returns the whole file as bytes. Throws Error where it has more than `limit` bytes.
std::string read_text_file(const std::filesystem::path& path, std::uint64_t limit = 1ull << 30);

/// The bytes that this thread has read so far by InputFile, and the time that it took.
struct FileReads {
  std::uint64_t bytes = 0;
  double seconds = 0;
};
FileReads file_reads_here();

/// Number of files that this thread has opened so far by InputFile and OutputFile. It stays 0 on a
/// thread that must not wait for disks.
int files_opened_here();
/// Counts one more opened file.
void count_opened_file();

}  // namespace mote
