#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "backend/picture_sink.h"
#include "core/shared_pictures.h"
#include "cuda/runtime.h"

namespace mote::cuda {

/// A semaphore of another API whose value only grows. Moves only.
class ImportedTimeline {
 public:
  /// Takes the descriptor over. Throws Error where the driver refuses it.
  explicit ImportedTimeline(FileDescriptor descriptor);
  ~ImportedTimeline();
  ImportedTimeline(const ImportedTimeline&) = delete;
  ImportedTimeline& operator=(const ImportedTimeline&) = delete;

  /// Work of the stream that follows starts when the value is reached.
  void wait(std::uint64_t value, cudaStream_t stream) const;
  /// Sets the value when the stream comes here.
  void signal(std::uint64_t value, cudaStream_t stream) const;

 private:
  cudaExternalSemaphore_t semaphore_ = nullptr;
};

/// Memory of another API on this device, as an address. Neither copied nor moved.
class ImportedMemory {
 public:
  /// Takes the descriptor over. Throws Error where the driver refuses it.
  ImportedMemory(FileDescriptor descriptor, std::size_t allocated_bytes, std::size_t bytes);
  ~ImportedMemory();
  ImportedMemory(const ImportedMemory&) = delete;
  ImportedMemory& operator=(const ImportedMemory&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(address_); }

 private:
  cudaExternalMemory_t memory_ = nullptr;
  void* address_ = nullptr;
};

/// The rendering side of core/shared_pictures.h.
class CudaPictureSink : public PictureSink {
 public:
  /// Throws Error where the pictures are another device's, or the driver refuses them.
  explicit CudaPictureSink(SharedPictures pictures);
  /// Waits, on the host, for what was delivered: memory and semaphores may not be given back before
  /// (CUDA Runtime API, cudaDestroyExternalSemaphore).
  ~CudaPictureSink() override;

  /// Writes the picture `rgb` [h][w][3] of the device's memory to its place, in the stream's order.
  /// Waits, on the host, until it is there where no semaphore says so. CHECKs that it fits.
  void deliver(const float* rgb, const PictureDelivery& delivery, cudaStream_t stream) const;

 private:
  /// Pictures that are known to be this device's.
  struct Checked {
    SharedPictures pictures;
  };
  explicit CudaPictureSink(Checked given);

  std::size_t places_, place_bytes_;
  bool blue_first_;
  ImportedMemory memory_;
  std::unique_ptr<ImportedTimeline> written_, read_;  // null: the host keeps the order
  mutable Event delivered_{EventUse::order};          // the last one
};

}  // namespace mote::cuda
