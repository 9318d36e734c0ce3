#pragma once

#include <filesystem>

#include "core/file_descriptor.h"

namespace mote {

/// Keeps other runs out of a folder, of this process or of another one, here or on another machine
/// that has the folder too: a lock on the file .mote-lock in it. The lock ends with the process
/// however that ends; the file is removed with the lock, and one that a killed process left is no
/// obstacle.
class RunLock {
 public:
  /// Throws Error where another run is at work in the folder, which it names as far as it can.
  /// Where the file system has no locks it warns.
  explicit RunLock(const std::filesystem::path& folder);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Whether the lock is still where others look for it.
  bool is_in_place() const;

  /// Throws Error as the constructor would now; changes nothing.
  static void check(const std::filesystem::path& folder);

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
};

}  // namespace mote
