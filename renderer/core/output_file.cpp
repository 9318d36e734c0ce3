#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "core/error.h"
#include "core/file.h"
#include "core/file_lock.h"
#include "core/system_fault.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kWriteChunk = std::size_t{1} << 20;  // bytes

/// Resolves symbolic links, for existing and missing files. Returns the path itself for a cycle.
fs::path behind_links(fs::path path) {
  constexpr int kMostLinks = 40;  // the system's limit
  std::error_code fault;
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(path, fault)); ++i) {
    const fs::path link = fs::read_symlink(path, fault);
    if (fault) return path;
    path = path.parent_path() / link;  // `link` itself where it is absolute
  }
  return path;
}

[[noreturn]] void refuse_existing(const fs::path& path) {
  throw Error("exists already", path.string(), "overwrite it with -y, or choose another name");
}

/// Renames the file unless the new name is taken. Returns 0 or an error number, EEXIST where it is
/// taken. File systems differ in which of these they support: rename, link, or a new file.
int rename_to_new(const fs::path& from, const fs::path& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::link(from.c_str(), to.c_str()) == 0) {
    ::unlink(from.c_str());
    return 0;
  }
  if (errno == EEXIST) return errno;
  const int place = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (place < 0) return errno;
  ::close(place);
  if (::rename(from.c_str(), to.c_str()) == 0) return 0;
  const int number = errno;
  ::unlink(to.c_str());
  return number;
}

}  // namespace

OutputFile::OutputFile(fs::path path, Existing existing)
    : path_(std::move(path)), target_(behind_links(path_)), existing_(existing) {
  count_opened_file();
  std::error_code ignored;
  const fs::file_status there = fs::status(target_, ignored);
  if (fs::is_directory(there)) {
    throw Error("is a directory, expected a file to write", path_.string(),
                "name a file inside it");
  }
  // The new file would be renamed onto it: run by root, that would remove /dev/null.
  if (fs::exists(there) && !fs::is_regular_file(there)) {
    throw Error("is a device or a pipe, expected a file to write", path_.string(),
                "name a regular file or a new one");
  }
  if (fs::exists(there) && existing_ == Existing::keep) refuse_existing(path_);
  make_partial();
}

/// Makes the file beside its place and locks it. A taken name belongs to another machine or to a
/// killed process.
void OutputFile::make_partial() {
  constexpr int kMostTries = 1000;
  const std::string base = target_.string() + ".partial-" + std::to_string(::getpid());
  for (int i = 0; i < kMostTries; ++i) {
    partial_ = i == 0 ? base : base + "-" + std::to_string(i);
    descriptor_ = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno == EEXIST) continue;
    if (descriptor_ < 0) break;
    // remove_unfinished() in another process may have run between open and lock.
    if (lock_file(descriptor_) != FileLock::held_elsewhere && is_file_at(descriptor_, partial_)) {
      return;
    }
    ::close(std::exchange(descriptor_, -1));
  }
  const int number = errno;
  throw SystemFault(
      "cannot be written", number, path_,
      number == ENOENT ? "create the folder first" : "choose a folder you may write to");
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  ::unlink(partial_.c_str());
  ::close(descriptor_);
}

void OutputFile::fail(const char* doing) const {
  const int number = errno;
  throw SystemFault(std::string(doing) + " failed", number, path_,
                    "check the disk and its permissions");
}

void OutputFile::write(std::span<const std::byte> bytes) {
  pending_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (pending_.size() >= kWriteChunk) flush();
}

void OutputFile::flush() {
  std::size_t done = 0;
  while (done < pending_.size()) {
    const ssize_t put = ::write(descriptor_, pending_.data() + done, pending_.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("writing");
    done += static_cast<std::size_t>(put);
  }
  pending_.clear();
}

void OutputFile::overwrite(std::uint64_t offset, std::span<const std::byte> bytes) {
  flush();
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put = ::pwrite(descriptor_, bytes.data() + done, bytes.size() - done,
                                 static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) fail("writing");
    done += static_cast<std::size_t>(put);
  }
}

/// Copies permissions and owner of the replaced file. The owner comes first, since setting it may
/// clear bits.
void OutputFile::take_permissions() const {
  struct stat old {
  }, now{};
  if (::stat(target_.c_str(), &old) != 0 || ::fstat(descriptor_, &now) != 0) return;
  const bool owned = (old.st_uid == now.st_uid && old.st_gid == now.st_gid) ||
                     ::fchown(descriptor_, old.st_uid, old.st_gid) == 0 ||
                     ::fchown(descriptor_, static_cast<uid_t>(-1), old.st_gid) == 0;
  // If the group could not be set, the new group gets no more permissions than others have.
  const mode_t everybody = old.st_mode & 07u;
  const mode_t mode = owned ? old.st_mode & 07777u
                            : (old.st_mode & 0700u) | (old.st_mode & (everybody << 3)) | everybody;
  ::fchmod(descriptor_, mode);
}

void OutputFile::commit() {
  CHECK(descriptor_ >= 0);
  flush();
  if (existing_ == Existing::replace) take_permissions();
  if (::fsync(descriptor_) != 0) fail("flushing");
  if (existing_ == Existing::replace) {
    if (::rename(partial_.c_str(), target_.c_str()) != 0) fail("renaming into place");
  } else if (const int fault = rename_to_new(partial_, target_); fault != 0) {
    if (fault == EEXIST) refuse_existing(path_);
    errno = fault;
    fail("renaming into place");
  }
  ::close(std::exchange(descriptor_, -1));  // also releases the lock
}

}  // namespace mote
