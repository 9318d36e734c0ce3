#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "backend/picture_sink.h"
#include "core/shared_pictures.h"
#include "cuda/pictures/picture_images.h"
#include "cuda/runtime/runtime.h"

namespace mote::cuda {

/// An imported semaphore of another API with an increasing value. Move only.
class ImportedTimeline {
 public:
  /// Takes ownership of the descriptor. Throws Error if the driver rejects it.
  explicit ImportedTimeline(FileDescriptor descriptor);
  ~ImportedTimeline();
  ImportedTimeline(const ImportedTimeline&) = delete;
  ImportedTimeline& operator=(const ImportedTimeline&) = delete;

  /// Makes later work of the stream wait for the value.
  void wait(std::uint64_t value, cudaStream_t stream) const;
  /// Sets the value in stream order.
  void signal(std::uint64_t value, cudaStream_t stream) const;

 private:
  cudaExternalSemaphore_t semaphore_ = nullptr;
};

/// Imported memory of another API on this device. Neither copyable nor movable.
class ImportedMemory {
 public:
  /// Takes ownership of the descriptor. Throws Error if the driver rejects it.
  ImportedMemory(FileDescriptor descriptor, std::size_t allocated_bytes, std::size_t bytes);
  ~ImportedMemory();
  ImportedMemory(const ImportedMemory&) = delete;
  ImportedMemory& operator=(const ImportedMemory&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(address_); }

 private:
  cudaExternalMemory_t memory_ = nullptr;
  void* address_ = nullptr;
};

/// The renderer's side of core/shared_pictures.h.
class CudaPictureSink : public PictureSink {
 public:
  /// The time that the reader of a place has to release it.
  static constexpr std::chrono::milliseconds kPatience{5000};

  /// Throws Error if the pictures belong to another device or the driver rejects them.
  explicit CudaPictureSink(SharedPictures pictures, std::chrono::milliseconds patience = kPatience);
  /// Waits on the host for all deliveries: memory and semaphores must not be released earlier (CUDA
  /// Runtime API, cudaDestroyExternalSemaphore).
  ~CudaPictureSink() override;

  /// The place of the picture, when its reader has released it. CHECKs that the picture fits.
  /// Throws DeliveryError if the reader does not release the place in time; then all later calls
  /// throw it, too.
  TexelTarget target(const PictureDelivery& delivery) const;
  /// Announces the picture, in stream order after the work that writes it. Without semaphores,
  /// waits on the host until it is written.
  void announce(const PictureDelivery& delivery, cudaStream_t stream) const;

 private:
  /// Pictures that were checked to belong to this device.
  struct Checked {
    SharedPictures pictures;
  };
  CudaPictureSink(Checked given, std::chrono::milliseconds patience);
  void await_read(std::uint64_t number) const;

  std::size_t places_, place_bytes_;
  bool blue_first_;
  ImportedMemory memory_;
  std::unique_ptr<ImportedTimeline> written_, read_;  // null: the host keeps the order
  mutable Event delivered_{EventUse::order};          // the last delivery
  // Only the host waits for the reader, so that the renderer's stream can never hang.
  Stream waiting_;
  mutable Event read_done_{EventUse::order};
  std::chrono::milliseconds patience_;
  mutable bool abandoned_ = false;  // the reader was too late once
};

}  // namespace mote::cuda
