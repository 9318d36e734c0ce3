#pragma once

#include <filesystem>
#include <string>

#include "core/error.h"

namespace mote {

/// The remedy for a system call that failed with `number` at `path`. Returns `otherwise` for error
/// numbers without a specific remedy, such as a missing file.
std::string remedy_for(int number, const std::filesystem::path& path, const std::string& otherwise);

/// A system call that failed at a file.
class SystemFault : public Error {
 public:
  /// The message is "path: problem: message of the number; remedy". `elsewhere`: a second remedy,
  /// another place for the file, for numbers whose cause is the disk at `path`; empty: none.
  SystemFault(const std::string& problem, int number, const std::filesystem::path& path,
              const std::string& otherwise, const std::string& elsewhere = {});

  int number() const { return number_; }
  /// Whether the disk or a quota is full, or the limit on the file size is reached.
  bool is_full() const;
  /// Whether the process or the machine is short of memory, open files or processes. The file
  /// itself may then be intact.
  bool is_shortage() const;

 private:
  int number_;
};

}  // namespace mote
