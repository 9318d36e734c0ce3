#include "train/run/run_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <string>

#include "core/error.h"
#include "core/file.h"
#include "core/file_lock.h"
#include "core/log.h"
#include "core/system_fault.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = ".mote-lock";
constexpr std::string_view kMark = "mote ";  // followed by process number and machine

std::string machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string text_in(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t got = ::pread(descriptor, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(got > 0 ? got : 0)};
}

[[noreturn]] void refuse(int descriptor, const fs::path& lock) {
  std::istringstream words(text_in(descriptor));
  std::string mark, host;
  std::uint64_t process = 0;
  std::string holder = "another mote";
  if (words >> mark >> process) {
    holder += fmt::format(" with process number {}", process);
    if (words >> host && host != machine()) holder += " on " + host;
  }
  throw Error(holder + " is training into this folder", lock.parent_path().string(),
              "wait for it, stop it, or choose another folder with -o");
}

void check_kind(int descriptor, const fs::path& lock) {
  struct stat info {};
  const bool regular = ::fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
  const bool ours = regular && (info.st_size == 0 || text_in(descriptor).starts_with(kMark));
  if (ours) return;
  throw Error("is not a lock file of Mote, but has its name", lock.string(),
              "move it, or choose another folder with -o");
}

/// Writes process number and machine into the file, for messages of other processes. On a full disk
/// the file stays empty.
void sign(int descriptor) {
  const std::string text = fmt::format("{}{} {}\n", kMark, ::getpid(), machine());
  if (::ftruncate(descriptor, 0) != 0 ||
      ::pwrite(descriptor, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    log_detail("the lock file of this run does not name its process: {}", system_message(errno));
  }
}

}  // namespace

RunLock::RunLock(const fs::path& folder) : path_(folder / kName) {
  for (;;) {
    file_ = FileDescriptor(
        ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
    const int number = errno;
    if (file_.get() < 0 && number == ENOENT) {  // another run has removed the folder again
      make_folders(folder);
      continue;
    }
    if (file_.get() < 0) {
      throw SystemFault("cannot be locked", number, path_, "remove that file if no run is active");
    }
    check_kind(file_.get(), path_);
    const FileLock result = lock_file(file_.get());
    if (result == FileLock::held_elsewhere) refuse(file_.get(), path_);
    if (!is_file_at(file_.get(), path_)) continue;  // the previous run has just ended
    if (result == FileLock::unsupported) {
      log_warning("{}: this file system has no locks; do not start a second run there",
                  folder.string());
    }
    break;
  }
  sign(file_.get());
}

RunLock::~RunLock() {
  if (is_in_place()) ::unlink(path_.c_str());
}

bool RunLock::is_in_place() const {
  return is_file_at(file_.get(), path_);
}

void RunLock::check(const fs::path& folder) {
  const fs::path path = folder / kName;
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (file.get() >= 0 && probe_lock(file.get()) == FileLock::held_elsewhere) {
    refuse(file.get(), path);
  }
}

}  // namespace mote
