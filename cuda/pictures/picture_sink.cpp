#include "cuda/pictures/picture_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <thread>
#include <utility>

#include "core/error.h"

namespace mote::cuda {
namespace {

/// Throws Error unless the calling thread's device has this uuid.
void check_device(const std::array<std::uint8_t, 16>& uuid) {
  int device = 0;
  check(cudaGetDevice(&device), "querying the device");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "identifying the device");
  const bool same = std::ranges::equal(uuid, properties.uuid.bytes, [](std::uint8_t a, char b) {
    return a == static_cast<std::uint8_t>(b);
  });
  if (!same) {
    throw Error("pictures are rendered on one device and shown on another", properties.name,
                "choose the same device with --gpu and --device");
  }
}

std::unique_ptr<ImportedTimeline> import_timeline(FileDescriptor descriptor) {
  if (descriptor.get() < 0) return nullptr;
  return std::make_unique<ImportedTimeline>(std::move(descriptor));
}

/// Returns the pictures after a check that they belong to this device.
SharedPictures checked(SharedPictures pictures) {
  check_device(pictures.device_uuid);
  CHECK(pictures.places > 0 && pictures.place_bytes <= pictures.allocated_bytes / pictures.places);
  return pictures;
}

}  // namespace

ImportedTimeline::ImportedTimeline(FileDescriptor descriptor) {
  cudaExternalSemaphoreHandleDesc described{};
  described.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
  described.handle.fd = descriptor.get();
  check(cudaImportExternalSemaphore(&semaphore_, &described), "importing a semaphore");
  descriptor.release();
}

ImportedTimeline::~ImportedTimeline() {
  cudaDestroyExternalSemaphore(semaphore_);
}

void ImportedTimeline::wait(std::uint64_t value, cudaStream_t stream) const {
  cudaExternalSemaphoreWaitParams params{};
  params.params.fence.value = value;
  check(cudaWaitExternalSemaphoresAsync(&semaphore_, &params, 1, stream),
        "waiting for a picture to be read");
}

void ImportedTimeline::signal(std::uint64_t value, cudaStream_t stream) const {
  cudaExternalSemaphoreSignalParams params{};
  params.params.fence.value = value;
  check(cudaSignalExternalSemaphoresAsync(&semaphore_, &params, 1, stream),
        "signalling a finished picture");
}

ImportedMemory::ImportedMemory(FileDescriptor descriptor, std::size_t allocated_bytes,
                               std::size_t bytes) {
  cudaExternalMemoryHandleDesc described{};
  described.type = cudaExternalMemoryHandleTypeOpaqueFd;
  described.handle.fd = descriptor.get();
  described.size = allocated_bytes;
  described.flags = cudaExternalMemoryDedicated;
  check(cudaImportExternalMemory(&memory_, &described), "importing memory");
  descriptor.release();
  cudaExternalMemoryBufferDesc whole{};
  whole.size = bytes;
  const cudaError_t mapped = cudaExternalMemoryGetMappedBuffer(&address_, memory_, &whole);
  if (mapped != cudaSuccess) cudaDestroyExternalMemory(memory_);
  check(mapped, "mapping imported memory");
}

ImportedMemory::~ImportedMemory() {
  cudaFree(address_);
  cudaDestroyExternalMemory(memory_);
}

CudaPictureSink::CudaPictureSink(SharedPictures given, std::chrono::milliseconds patience)
    : CudaPictureSink(Checked{checked(std::move(given))}, patience) {}

CudaPictureSink::CudaPictureSink(Checked given, std::chrono::milliseconds patience)
    : places_(given.pictures.places),
      place_bytes_(given.pictures.place_bytes),
      blue_first_(given.pictures.blue_first),
      memory_(std::move(given.pictures.memory), given.pictures.allocated_bytes,
              places_ * place_bytes_),
      written_(import_timeline(std::move(given.pictures.written))),
      read_(import_timeline(std::move(given.pictures.read))),
      patience_(patience) {}

CudaPictureSink::~CudaPictureSink() {
  // A lost device has nothing to wait for.
  static_cast<void>(cudaEventSynchronize(delivered_.get()));
}

void CudaPictureSink::await_read(std::uint64_t number) const {
  constexpr std::chrono::microseconds kPause{50};
  constexpr const char* kWhat = "waiting for a picture to be read";
  const auto late = [this] {
    return DeliveryError(
        fmt::format("the window has not released a picture within {} ms", patience_.count()),
        device_label(), "choose another device for the window with --gpu");
  };
  if (abandoned_) throw late();
  read_->wait(number, waiting_.get());
  read_done_.record(waiting_.get());
  const auto start = std::chrono::steady_clock::now();
  for (;;) {
    const cudaError_t status = cudaEventQuery(read_done_.get());
    if (status == cudaSuccess) return;
    if (status != cudaErrorNotReady) check(status, kWhat);
    if (std::chrono::steady_clock::now() - start > patience_) break;
    std::this_thread::sleep_for(kPause);
  }
  abandoned_ = true;
  // Nobody else ends the wait, and the semaphore must not be destroyed before.
  const Stream releasing;
  read_->signal(number, releasing.get());
  releasing.synchronize();
  waiting_.synchronize();
  throw late();
}

TexelTarget CudaPictureSink::target(const PictureDelivery& delivery) const {
  const SharedPicture& picture = delivery.picture;
  const std::size_t pixels =
      static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
  CHECK(picture.place < places_ && pixels * sizeof(std::uint32_t) <= place_bytes_);
  if (read_ != nullptr && delivery.after_read != 0) await_read(delivery.after_read);
  std::byte* place = memory_.data() + picture.place * place_bytes_;
  return {.texels = reinterpret_cast<std::uint32_t*>(place), .blue_first = blue_first_};
}

void CudaPictureSink::announce(const PictureDelivery& delivery, cudaStream_t stream) const {
  if (written_ != nullptr) {
    written_->signal(delivery.picture.number, stream);
    delivered_.record(stream);
  } else {
    check(cudaStreamSynchronize(stream), "delivering a picture");
  }
}

}  // namespace mote::cuda
