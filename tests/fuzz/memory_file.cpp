#include "memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"

namespace mote {

MemoryFile::MemoryFile(const std::uint8_t* data, std::size_t size)
    : descriptor_(::memfd_create("fuzz", 0)) {
  CHECK(descriptor_ >= 0);
  CHECK(::write(descriptor_, data, size) == static_cast<ssize_t>(size));
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

}  // namespace mote
