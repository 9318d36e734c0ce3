#include "core/file_lock.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

namespace mote {
namespace {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;  // start 0 and length 0: the whole file at any size
}

}  // namespace

FileLock lock_file(int descriptor) {
  struct flock lock = whole_file();
  while (::fcntl(descriptor, F_OFD_SETLK, &lock) != 0) {
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EACCES ? FileLock::held_elsewhere : FileLock::unsupported;
  }
  return FileLock::taken;
}

FileLock probe_lock(int descriptor) {
  struct flock lock = whole_file();
  if (::fcntl(descriptor, F_OFD_GETLK, &lock) != 0) return FileLock::unsupported;
  return lock.l_type == F_UNLCK ? FileLock::taken : FileLock::held_elsewhere;
}

bool is_file_at(int descriptor, const std::filesystem::path& path) {
  struct stat open {
  }, there{};
  return ::fstat(descriptor, &open) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

}  // namespace mote
