#pragma once

namespace mote {

/// A file descriptor, closed with its owner.
class FileDescriptor {
 public:
  explicit FileDescriptor(int descriptor = -1) : descriptor_(descriptor) {}
  FileDescriptor(FileDescriptor&& other) noexcept : descriptor_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  int get() const { return descriptor_; }
  /// Leaves it to an API that closes it, as one does that has imported it.
  int release();

 private:
  int descriptor_;
};

}  // namespace mote
