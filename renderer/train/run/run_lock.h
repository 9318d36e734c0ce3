#pragma once

#include <filesystem>

#include "core/file_descriptor.h"

namespace mote {

/// Locks a folder against other runs: of this process, of other processes, and of other machines
/// that share the folder. It locks the file .mote-lock in the folder. The lock ends with the
/// process, and the destructor removes the file. A file that a killed process left does not block.
class RunLock {
 public:
  /// Throws Error if another run is active in the folder; the message names it if possible. Warns
  /// if the file system has no locks.
  explicit RunLock(const std::filesystem::path& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Whether the lock file is still at its path.
  bool is_in_place() const;

  /// Throws Error in the same cases as the constructor; changes nothing.
  static void check(const std::filesystem::path& folder);

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

}  // namespace mote
