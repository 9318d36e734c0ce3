#include "core/file_descriptor.h"

#include <unistd.h>

#include <utility>

namespace mote {

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this == &other) return *this;
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = other.release();
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int FileDescriptor::release() {
  return std::exchange(descriptor_, -1);
}

}  // namespace mote
