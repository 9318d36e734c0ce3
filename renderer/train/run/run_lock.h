#pragma once

#include <filesystem>

#include "core/file_descriptor.h"

namespace mote {

/// Locks a folder against other runs of this process, of other processes, and of other machines
/// that share the folder: a lock on the file .mote-lock in it. The lock ends with the process in
/// any case, and the file is removed with it. A file that a killed process left does not block.
class RunLock {
 public:
  /// Throws Error where another run is active in the folder; the message names it if possible.
  /// Warns where the file system has no locks.
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
