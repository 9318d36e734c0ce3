#pragma once

// Memory of an image that another API on the same device writes, and the semaphores that order the
// accesses. They leave Vulkan as file descriptors, which CUDA imports with cudaImportExternalMemory
// and cudaImportExternalSemaphore. The device is identified by the uuid of GpuInfo. This file does
// not depend on the other API.

#include <vulkan/vulkan.h>

#include <cstddef>

#include "core/file_descriptor.h"
#include "present/device.h"
#include "present/handle.h"

namespace mote::present {

/// Texels in exportable device memory, the source of a copy to an image.
class SharedBuffer {
 public:
  /// Throws Error where the device exports no memory or has not enough.
  SharedBuffer(const Device& device, std::size_t bytes, const char* name);

  VkBuffer get() const { return buffer_.get(); }
  std::size_t bytes() const { return bytes_; }
  /// Size that an import requires.
  std::size_t allocated_bytes() const { return allocated_bytes_; }
  /// A new descriptor of the memory at each call. Throws Error.
  FileDescriptor export_memory() const;

 private:
  const Device& device_;
  Memory memory_;
  BufferHandle buffer_;
  std::size_t bytes_ = 0, allocated_bytes_ = 0;
};

/// Whether a SharedTimeline can be made.
bool exports_timelines(const Device& device);

/// An exportable timeline semaphore. A writer signals n when image n is written. On a second one
/// the reader signals n when it has read image n, so that its memory may be reused.
class SharedTimeline {
 public:
  /// Throws Error where the device does not export semaphores.
  explicit SharedTimeline(const Device& device);

  VkSemaphore get() const { return semaphore_.get(); }
  /// A new descriptor of the semaphore at each call. Throws Error.
  FileDescriptor export_semaphore() const;

 private:
  const Device& device_;
  Semaphore semaphore_;
};

}  // namespace mote::present
