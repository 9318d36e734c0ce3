#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <set>
#include <utility>

namespace mote {

/// The files that a command reads, by device and inode. A file is recognised under any name or
/// link. Output paths are checked against them.
class InputFiles {
 public:
  /// Adds a file or folder. A missing path is ignored.
  void add(const std::filesystem::path& path) {
    struct stat info {};
    if (!path.empty() && ::stat(path.c_str(), &info) == 0) {
      known_.emplace(info.st_dev, info.st_ino);
    }
  }
  bool holds(const std::filesystem::path& path) const {
    struct stat info {};
    return ::stat(path.c_str(), &info) == 0 && known_.contains({info.st_dev, info.st_ino});
  }

 private:
  std::set<std::pair<dev_t, ino_t>> known_;
};

}  // namespace mote
