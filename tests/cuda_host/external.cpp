// The runtime API's imports: memory and semaphores behind file descriptors. Memory is the content
// of the descriptor's file; a timeline is a 64-bit number at the start of its descriptor's file.

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>

#include "defined_bytes.h"
#include "device_call.h"
#include "device_memory.h"
#include "memory_api.h"
#include "pages.h"
#include "streams.h"

struct CUexternalMemory_st {
  int descriptor;
  std::size_t first_byte, bytes;
};

struct CUexternalSemaphore_st {
  std::atomic<std::uint64_t>* value;
};

namespace {

using namespace cuda_host;

/// Offset of the memory in the file of `bytes` behind a descriptor. Files that llvmpipe exports
/// have a header with the size of the file and the offset of the memory (Mesa 22.3,
/// src/util/os_memory_fd.c). In other files memory starts at the first byte.
std::size_t first_byte_of(int descriptor, std::size_t bytes) {
  std::uint64_t head[2] = {};
  const bool has_head = pread(descriptor, head, sizeof head, 0) == ssize_t{sizeof head} &&
                        head[0] == bytes && head[1] % kPage == 0 && head[1] < bytes;
  return has_head ? head[1] : 0;
}

/// Submits work for each semaphore: make_work(counter, value).
template <class Params, class MakeWork>
cudaError_t submit_each(const cudaExternalSemaphore_t* semaphores, const Params* params,
                        unsigned count, cudaStream_t stream, MakeWork make_work) {
  return device_call([&] {
    for (unsigned i = 0; i < count; ++i) {
      if (semaphores[i] == nullptr) return cudaErrorInvalidValue;
      const cudaError_t status =
          submit(stream, make_work(*semaphores[i]->value, params[i].params.fence.value));
      if (status != cudaSuccess) return status;
    }
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t cudaImportExternalMemory(cudaExternalMemory_t* memory,
                                     const cudaExternalMemoryHandleDesc* described) {
  return device_call([&] {
    if (described->type != cudaExternalMemoryHandleTypeOpaqueFd) return cudaErrorNotSupported;
    const off_t end = lseek(described->handle.fd, 0, SEEK_END);
    if (end < 0) return cudaErrorInvalidValue;
    const auto bytes = static_cast<std::size_t>(end);
    const std::size_t first = first_byte_of(described->handle.fd, bytes);
    if (bytes - first < described->size) return cudaErrorInvalidValue;
    *memory = new CUexternalMemory_st{described->handle.fd, first, described->size};
    return cudaSuccess;
  });
}

cudaError_t cudaExternalMemoryGetMappedBuffer(void** address, cudaExternalMemory_t memory,
                                              const cudaExternalMemoryBufferDesc* described) {
  return device_call([&] {
    if (described->offset % kPage != 0 || described->offset > memory->bytes ||
        described->size > memory->bytes - described->offset) {
      return cudaErrorInvalidValue;
    }
    void* start = map_guarded(described->size, kPage);
    if (start == nullptr) return cudaErrorMemoryAllocation;
    const void* shared =
        mmap(start, described->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
             memory->descriptor, static_cast<off_t>(memory->first_byte + described->offset));
    if (shared == MAP_FAILED) {
      unmap_guarded(start);
      return cudaErrorInvalidValue;
    }
    set_defined(start, described->size);
    note_allocation(start, described->size);
    *address = start;
    return cudaSuccess;
  });
}

cudaError_t cudaDestroyExternalMemory(cudaExternalMemory_t memory) {
  // Also for a lost device.
  close(memory->descriptor);
  delete memory;
  return device_call([] { return cudaSuccess; });
}

cudaError_t cudaImportExternalSemaphore(cudaExternalSemaphore_t* semaphore,
                                        const cudaExternalSemaphoreHandleDesc* described) {
  return device_call([&] {
    if (described->type != cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd) {
      return cudaErrorNotSupported;
    }
    void* value = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, described->handle.fd, 0);
    if (value == MAP_FAILED) return cudaErrorInvalidValue;
    close(described->handle.fd);
    *semaphore = new CUexternalSemaphore_st{static_cast<std::atomic<std::uint64_t>*>(value)};
    return cudaSuccess;
  });
}

cudaError_t cudaSignalExternalSemaphoresAsync(const cudaExternalSemaphore_t* semaphores,
                                              const cudaExternalSemaphoreSignalParams* params,
                                              unsigned count, cudaStream_t stream) {
  return submit_each(semaphores, params, count, stream,
                     [](std::atomic<std::uint64_t>& counter, std::uint64_t value) -> Work {
                       return {Work::Kind::wait, nullptr, [&counter, value] {
                                 if (value <= counter.load()) {
                                   lose_device(cudaErrorInvalidValue,
                                               "a timeline's value has to grow");
                                 }
                                 counter.store(value);
                               }};
                     });
}

cudaError_t cudaWaitExternalSemaphoresAsync(const cudaExternalSemaphore_t* semaphores,
                                            const cudaExternalSemaphoreWaitParams* params,
                                            unsigned count, cudaStream_t stream) {
  return submit_each(semaphores, params, count, stream,
                     [](const std::atomic<std::uint64_t>& counter, std::uint64_t value) -> Work {
                       Work work{Work::Kind::wait, nullptr, [] {}};
                       work.is_blocked = [&counter, value] { return counter.load() < value; };
                       return work;
                     });
}

cudaError_t cudaDestroyExternalSemaphore(cudaExternalSemaphore_t semaphore) {
  munmap(static_cast<void*>(semaphore->value), kPage);
  delete semaphore;
  return device_call([] { return cudaSuccess; });
}
