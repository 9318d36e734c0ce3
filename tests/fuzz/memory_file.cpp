#include "memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>

#include "core/error.h"

namespace mote {

MemoryFile::MemoryFile(const std::uint8_t* data, std::size_t size, const std::string& extension)
    : descriptor_(::memfd_create("fuzz", 0)),
      file_("/proc/self/fd/" + std::to_string(descriptor_)) {
  CHECK(descriptor_ >= 0);
  CHECK(::write(descriptor_, data, size) == static_cast<ssize_t>(size));
  if (extension.empty()) return;
  const std::string name = "mote_fuzz_" + std::to_string(::getpid()) + extension;
  link_ = (std::filesystem::temp_directory_path() / name).string();
  ::unlink(link_.c_str());
  CHECK(::symlink(file_.c_str(), link_.c_str()) == 0);
}

MemoryFile::~MemoryFile() {
  if (!link_.empty()) ::unlink(link_.c_str());
  ::close(descriptor_);
}

}  // namespace mote
