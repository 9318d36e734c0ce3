#include "train/splats/pages/page_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "core/error.h"
#include "core/file.h"
#include "core/machine.h"
#include "core/system_fault.h"

namespace mote {
namespace {

constexpr const char* kOtherDisk =
    "choose a folder on another disk with -o, or for a dry run with TMPDIR";

/// Not every file system makes files without a name.
int open_nameless(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
  std::string name = (folder / "pages.partial-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

PageFile::PageFile(const std::filesystem::path& folder, std::size_t pages, std::size_t page_bytes)
    : folder_(folder), pages_(pages), page_bytes_(page_bytes), file_(open_nameless(folder)) {
  count_opened_file();
  if (file_.get() < 0) {
    throw SystemFault("no file can be made in it", errno, folder_, kOtherDisk, kOtherDisk);
  }
  int fault = 0;
  do {
    fault = ::posix_fallocate(file_.get(), 0, static_cast<off_t>(pages * page_bytes));
  } while (fault == EINTR);
  if (fault != 0) {
    throw SystemFault(fmt::format("a file of {} cannot be made in it",
                                  bytes_text(std::uint64_t{pages} * page_bytes)),
                      fault, folder_, kOtherDisk, kOtherDisk);
  }
}

std::uint64_t PageFile::place(std::size_t page, std::size_t offset, std::size_t bytes) const {
  CHECK(page < pages_ && offset + bytes <= page_bytes_);
  return std::uint64_t{page} * page_bytes_ + offset;
}

void PageFile::read(std::size_t page, std::size_t offset, std::span<std::byte> out) const {
  std::uint64_t at = place(page, offset, out.size());
  while (!out.empty()) {
    const ssize_t got = ::pread(file_.get(), out.data(), out.size(), static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw SystemFault("reading the file of pages failed", got < 0 ? errno : EIO, folder_,
                        kOtherDisk);
    }
    out = out.subspan(static_cast<std::size_t>(got));
    at += static_cast<std::uint64_t>(got);
  }
}

void PageFile::write(std::size_t page, std::size_t offset, std::span<const std::byte> bytes) {
  std::uint64_t at = place(page, offset, bytes.size());
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      throw SystemFault("writing the file of pages failed", errno, folder_, kOtherDisk, kOtherDisk);
    }
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    at += static_cast<std::uint64_t>(put);
  }
}

void PageFile::announce(std::size_t page) const {
  ::posix_fadvise(file_.get(), static_cast<off_t>(place(page, 0, 0)),
                  static_cast<off_t>(page_bytes_), POSIX_FADV_WILLNEED);
}

}  // namespace mote
