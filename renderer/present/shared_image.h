#pragma once

// Memory of an image that another API on the same device writes, and the semaphores that order the
// two: they leave Vulkan as file descriptors, which CUDA takes with cudaImportExternalMemory and
// cudaImportExternalSemaphore. The device is told by the uuid of GpuInfo. Nothing here knows the
// other API.

#include <vulkan/vulkan.h>

#include <cstddef>

#include "core/file_descriptor.h"
#include "present/device.h"
#include "present/handle.h"

namespace mote::present {

/// Texels in device memory that can be exported; copied to an image from there.
class SharedBuffer {
 public:
  /// Throws Error where the device does not export memory, or has none left.
  SharedBuffer(const Device& device, std::size_t bytes, const char* name);

  VkBuffer get() const { return buffer_.get(); }
  std::size_t bytes() const { return bytes_; }
  /// What an import has to be told.
  std::size_t allocated_bytes() const { return allocated_bytes_; }
  /// A descriptor of the memory, a new one each time. Throws Error.
  FileDescriptor export_memory() const;

 private:
  const Device& device_;
  Memory memory_;
  BufferHandle buffer_;
  std::size_t bytes_ = 0, allocated_bytes_ = 0;
};

/// Whether a SharedTimeline can be made.
bool exports_timelines(const Device& device);

/// A timeline semaphore that can be exported. A writer signals n when image n is written; on a
/// second one the reader signals n when it has read it, so that its memory may be written again.
class SharedTimeline {
 public:
  /// Throws Error where the device does not export semaphores.
  explicit SharedTimeline(const Device& device);

  VkSemaphore get() const { return semaphore_.get(); }
  /// A descriptor of the semaphore, a new one each time. Throws Error.
  FileDescriptor export_semaphore() const;

 private:
  const Device& device_;
  Semaphore semaphore_;
};

}  // namespace mote::present
