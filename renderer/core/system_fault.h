#pragma once

#include <filesystem>
#include <string>

#include "core/error.h"

namespace mote {

/// The remedy for a call of the system that failed with `number` at `path`. Numbers that say
/// nothing more of the remedy than the call itself does, such as a missing file, get `otherwise`.
std::string remedy_for(int number, const std::filesystem::path& path, const std::string& otherwise);

/// A call of the system that failed at a file.
class SystemFault : public Error {
 public:
  /// "path: problem: message of the number; remedy".
  SystemFault(const std::string& problem, int number, const std::filesystem::path& path,
              const std::string& otherwise);

  int number() const { return number_; }
  /// Whether the disk, a quota or a limit of the file's size takes no more bytes.
  bool is_full() const;
  /// Whether the process or the machine is short of memory, open files or processes, so that the
  /// file itself may be sound.
  bool is_shortage() const;

 private:
  int number_;
};

}  // namespace mote
