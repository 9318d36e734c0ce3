#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "core/file_descriptor.h"

namespace mote {

/// Splats of a page. Larger pages hold more splats that are not seen in a window; smaller ones are
/// read and written more slowly.
inline constexpr std::size_t kRestingPage = 64;

/// Pages of one size in a file without a name. The system frees the file when the process ends,
/// however it ends. Not mapped, since mapped pages would count as memory of this process.
class PageFile {
 public:
  /// Reserves the space on the disk, so that later writes do not find it full. Throws Error, which
  /// names the folder, where the file cannot be made.
  PageFile(const std::filesystem::path& folder, std::size_t pages, std::size_t page_bytes);

  std::size_t pages() const { return pages_; }

  /// Reads and writes a part of a page. Throws Error where the disk fails.
  void read(std::size_t page, std::size_t offset, std::span<std::byte> out) const;
  void write(std::size_t page, std::size_t offset, std::span<const std::byte> bytes);
  /// Asks the system to read a page soon. A hint without effect on results.
  void announce(std::size_t page) const;

 private:
  std::uint64_t place(std::size_t page, std::size_t offset, std::size_t bytes) const;

  std::filesystem::path folder_;
  std::size_t pages_, page_bytes_;
  FileDescriptor file_;
};

}  // namespace mote
