#include "core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

#include "core/error.h"
#include "core/system_fault.h"

namespace mote {
namespace {

thread_local int opened_here = 0;
thread_local FileReads reads_here;

const char* remedy_for_open(int number) {
  if (number == ENOENT) return "check the spelling of the path";
  const bool forbidden = number == EACCES || number == EPERM;
  return forbidden ? "change the permissions, or copy it to another folder"
                   : "check the path and the disk";
}

/// Throws where the path is not a regular file.
void check_regular(mode_t mode, const std::string& name) {
  if (S_ISREG(mode)) return;
  if (S_ISDIR(mode)) {
    throw Error("is a directory, expected a file", name, "name a file inside it");
  }
  const char* kind = S_ISFIFO(mode) ? "a named pipe" : S_ISSOCK(mode) ? "a socket" : "a device";
  throw Error(std::string("is ") + kind + ", not a regular file", name,
              "copy the data into a file first");
}

}  // namespace

FileReads file_reads_here() {
  return reads_here;
}

int files_opened_here() {
  return opened_here;
}

void count_opened_file() {
  ++opened_here;
}

InputFile::InputFile(std::filesystem::path path) : path_(std::move(path)) {
  count_opened_file();
  // Checked before opening, since opening a pipe or a device can have side effects, and again
  // afterwards, since another file may have replaced it. Without O_NONBLOCK, opening a pipe would
  // block.
  struct stat info {};
  if (::stat(path_.c_str(), &info) == 0) check_regular(info.st_mode, name());
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0) {
    const int number = errno;
    throw SystemFault("cannot be opened", number, path_, remedy_for_open(number));
  }
  try {
    if (::fstat(descriptor_, &info) != 0)
      throw SystemFault("cannot be read", errno, path_, "check the disk");
    check_regular(info.st_mode, name());
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
  size_ = static_cast<std::uint64_t>(info.st_size);
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t InputFile::read_some(std::uint64_t offset, std::span<std::byte> out) const {
  const auto start = std::chrono::steady_clock::now();
  std::size_t done = 0;
  while (done < out.size()) {
    const ssize_t got = ::pread(descriptor_, out.data() + done, out.size() - done,
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int number = errno;
      throw Error("cannot be read: " + system_message(number),
                  name() + ", byte " + std::to_string(offset + done),
                  remedy_for(number, path_, "check the disk"));
    }
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  reads_here.bytes += done;
  reads_here.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return done;
}

void InputFile::read_exact(std::uint64_t offset, std::span<std::byte> out) const {
  const std::size_t got = read_some(offset, out);
  if (got == out.size()) return;
  throw Error("truncated: expected " + std::to_string(out.size()) + " bytes here, found " +
                  std::to_string(got),
              name() + ", byte " + std::to_string(offset), "copy or download the file again");
}

std::string read_text_file(const std::filesystem::path& path, std::uint64_t limit) {
  const InputFile file(path);
  if (file.size() > limit) {
    throw Error("has " + std::to_string(file.size()) + " bytes, more than the " +
                    std::to_string(limit) + " that are allowed for such a file",
                file.name(), "check that this is the file you meant");
  }
  std::string text(static_cast<std::size_t>(file.size()), '\0');
  file.read_exact(0, std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace mote
