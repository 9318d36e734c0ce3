#include "core/growing_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/system_fault.h"

namespace mote {
namespace {

/// Without O_NONBLOCK, opening a named pipe without a reader would block.
constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

}  // namespace

GrowingFile::GrowingFile(std::filesystem::path path, std::function<std::string()> beginning)
    : path_(std::move(path)),
      beginning_(std::move(beginning)),
      descriptor_(::open(path_.c_str(), kFlags, 0666)) {
  if (descriptor_ < 0) {
    throw SystemFault("cannot be written", errno, path_, "choose a folder you may write to");
  }
}

GrowingFile::~GrowingFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool GrowingFile::append(std::string_view text) {
  return (is_in_place() || open_again()) && put(text);
}

bool GrowingFile::is_in_place() const {
  struct stat open {
  }, there{};
  return descriptor_ >= 0 && ::fstat(descriptor_, &open) == 0 &&
         ::stat(path_.c_str(), &there) == 0 && open.st_ino == there.st_ino &&
         open.st_dev == there.st_dev;
}

bool GrowingFile::open_again() {
  std::error_code fault;
  std::filesystem::create_directories(path_.parent_path(), fault);
  const int fresh = ::open(path_.c_str(), kFlags, 0666);
  if (fresh < 0) return false;
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = fresh;
  struct stat info {};
  const bool is_new = ::fstat(descriptor_, &info) == 0 && info.st_size == 0;
  return !is_new || !beginning_ || put(beginning_());
}

bool GrowingFile::put(std::string_view text) {
  struct stat before {};
  const bool known = ::fstat(descriptor_, &before) == 0 && S_ISREG(before.st_mode);
  while (!text.empty()) {
    const ssize_t put = ::write(descriptor_, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      const int number = errno;
      // A partial line would merge with the next one, so it is cut off where possible.
      const bool cut = known && ::ftruncate(descriptor_, before.st_size) == 0;
      errno = cut || !known ? number : errno;
      return false;
    }
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

}  // namespace mote
