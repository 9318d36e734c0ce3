#include "core/system_fault.h"

#include <sys/statvfs.h>

#include <cerrno>

namespace mote {
namespace {

namespace fs = std::filesystem;

/// Whether the file system of `path`, which may not exist, has free bytes but no free inodes.
bool lacks_inodes(const fs::path& path) {
  std::error_code ignored;
  fs::path there = fs::absolute(path, ignored);
  struct statvfs disk {};
  while (::statvfs(there.c_str(), &disk) != 0) {
    if (there == there.parent_path()) return false;
    there = there.parent_path();
  }
  return disk.f_files > 0 && disk.f_favail == 0 && disk.f_bavail > 0;
}

bool takes_no_more(int number) {
  return number == ENOSPC || number == EDQUOT || number == EFBIG;
}

/// remedy_for(), and the one of another place if it is a cure.
std::string remedies_for(int number, const fs::path& path, const std::string& otherwise,
                         const std::string& elsewhere) {
  const std::string remedy = remedy_for(number, path, otherwise);
  const bool is_cure = takes_no_more(number) || number == EROFS;
  return is_cure && !elsewhere.empty() ? remedy + ", or " + elsewhere : remedy;
}

}  // namespace

std::string remedy_for(int number, const fs::path& path, const std::string& otherwise) {
  switch (number) {
    case ENOSPC:
      return lacks_inodes(path) ? "that disk has free bytes but no free inodes: remove some of its "
                                  "files (see df -i)"
                                : "free space on that disk";
    case EDQUOT:
      return "your quota on that disk is used up: remove some of your files, or choose another "
             "disk";
    case EFBIG:
      return "raise the limit on the size of files (ulimit -f), or choose another disk";
    case EROFS:
      return "that disk is mounted read-only: choose a folder on another one";
    case EMFILE:
      return "this process may open no more files: raise its limit (ulimit -n)";
    case ENFILE:
      return "this machine has too many files open: close other programs";
    case ENAMETOOLONG:
      return "choose a shorter name or path";
    case ELOOP:
      return "its symbolic links form a circle: give the path of the file itself";
    case ENOTDIR:
      return "a part of that path is a file, not a folder: correct the path";
    case EIO:
      return "the disk fails or its connection is lost: check it";
    case ESTALE:
      return "the network disk lost that file: mount it again";
    case ENOMEM:
      return "out of memory: close other programs";
    case EAGAIN:
      return "close other programs, or raise the limit on processes and threads (ulimit -u)";
    default:
      return otherwise;
  }
}

SystemFault::SystemFault(const std::string& problem, int number, const fs::path& path,
                         const std::string& otherwise, const std::string& elsewhere)
    : Error(problem + ": " + system_message(number), path.string(),
            remedies_for(number, path, otherwise, elsewhere)),
      number_(number) {}

bool SystemFault::is_shortage() const {
  return number_ == EMFILE || number_ == ENFILE || number_ == ENOMEM || number_ == EAGAIN;
}

bool SystemFault::is_full() const {
  return takes_no_more(number_);
}

}  // namespace mote
