#pragma once

#include <sched.h>
#include <sys/mount.h>

#include <filesystem>
#include <string>

namespace mote {

/// An in-memory disk of a few bytes, mounted at `path`. Only this process and its children see it.
class SmallDisk {
 public:
  SmallDisk(std::filesystem::path path, std::size_t bytes) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    const std::string size = "size=" + std::to_string(bytes);
    is_there_ = ::unshare(CLONE_NEWNS) == 0 &&
                ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                ::mount("mote_test", path_.c_str(), "tmpfs", 0, size.c_str()) == 0;
  }
  ~SmallDisk() {
    if (is_there_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// False if this process may not mount file systems.
  bool is_there() const { return is_there_; }

 private:
  std::filesystem::path path_;
  bool is_there_ = false;
};

}  // namespace mote
