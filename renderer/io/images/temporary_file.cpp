#include "io/images/temporary_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "core/system_fault.h"

namespace mote {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSpaceRemedy =
    "set TMPDIR to another folder, or keep more of the picture in memory (--memory of mote train "
    "and mote eval, Memory of a training in the window)";

/// Throws for the system call that failed last.
[[noreturn]] void fail_for_space(const char* problem, const fs::path& folder) {
  throw SystemFault(problem, errno, folder, kSpaceRemedy, kSpaceRemedy);
}

fs::path temporary_folder() {
  const char* chosen = std::getenv("TMPDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/tmp";
}

FileDescriptor unnamed_file(const fs::path& folder) {
  std::string name = (folder / "mote-picture-XXXXXX").string();
  FileDescriptor file(::mkstemp(name.data()));
  if (file.get() < 0) fail_for_space("no temporary file can be made", folder);
  ::unlink(name.c_str());
  return file;
}

}  // namespace

TemporaryFile::TemporaryFile(std::uint64_t bytes)
    : folder_(temporary_folder()), file_(unnamed_file(folder_)) {
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) {
    fail_for_space("cannot make a temporary file large enough", folder_);
  }
}

void TemporaryFile::write(std::uint64_t at, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail_for_space("cannot write a temporary file", folder_);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += static_cast<std::uint64_t>(done);
  }
}

void TemporaryFile::read(std::uint64_t at, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::pread(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      throw SystemFault("cannot read the temporary file", errno, folder_, "start again");
    }
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += static_cast<std::uint64_t>(done);
  }
}

}  // namespace mote
