#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace mote {

/// A folder without permissions. Permissions do not apply to root, so root becomes nobody during
/// the object's lifetime.
class LockedFolder {
 public:
  explicit LockedFolder(std::filesystem::path path)
      : path_(std::move(path)), before_(std::filesystem::status(path_).permissions()) {
    std::filesystem::permissions(path_, std::filesystem::perms::none);
    if (::geteuid() == 0) {
      EXPECT_EQ(::seteuid(kNobody), 0);
    }
  }
  ~LockedFolder() {
    EXPECT_EQ(::seteuid(::getuid()), 0);
    std::filesystem::permissions(path_, before_);
  }
  LockedFolder(const LockedFolder&) = delete;
  LockedFolder& operator=(const LockedFolder&) = delete;

 private:
  static constexpr uid_t kNobody = 65534;
  std::filesystem::path path_;
  std::filesystem::perms before_;
};

}  // namespace mote
