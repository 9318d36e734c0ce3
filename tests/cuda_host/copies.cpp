// The runtime API's copies and fills.

#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "defined_bytes.h"
#include "device_call.h"
#include "device_memory.h"
#include "memory_api.h"
#include "streams.h"

namespace {

using namespace cuda_host;

struct Copy {
  void* to;
  const void* from;
  std::size_t bytes;
};

bool is_host(const void* address) {
  return address != nullptr && !is_device_address(address);
}

bool to_device(cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}

bool from_device(cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

/// The kind with its sides resolved, after a check against the kinds of the addresses.
cudaError_t resolve(const Copy& copy, cudaMemcpyKind& kind) {
  if (kind == cudaMemcpyDefault) {
    const bool to = is_device_address(copy.to), from = is_device_address(copy.from);
    kind = to ? (from ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice)
              : (from ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost);
  }
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  const bool good = (to_device(kind) ? is_mapped(copy.to, copy.bytes) : is_host(copy.to)) &&
                    (from_device(kind) ? is_mapped(copy.from, copy.bytes) : is_host(copy.from));
  return good ? cudaSuccess : cudaErrorInvalidValue;
}

/// Runs in the stream's order; the memory may be freed by then.
void do_copy(const Copy& copy, cudaMemcpyKind kind) {
  if (resolve(copy, kind) != cudaSuccess) {
    lose_device(cudaErrorIllegalAddress, "a copy's memory was freed before the copy was done");
    return;
  }
  std::memmove(copy.to, copy.from, copy.bytes);
  if (kind == cudaMemcpyDeviceToDevice) {
    copy_definedness(copy.to, copy.from, copy.bytes);
  } else if (kind == cudaMemcpyHostToDevice) {
    set_defined(copy.to, copy.bytes);
  }
}

cudaError_t submit_copy(const Copy& copy, cudaMemcpyKind kind, cudaStream_t stream) {
  const bool captures = stream != nullptr && is_stream(stream) && stream->capture;
  if (kind == cudaMemcpyHostToDevice && !captures && !is_pinned(copy.from, copy.bytes)) {
    // Copied now, as a device does from memory that is not pinned.
    const auto* bytes = static_cast<const unsigned char*>(copy.from);
    const auto taken =
        std::make_shared<const std::vector<unsigned char>>(bytes, bytes + copy.bytes);
    return submit(stream, {Work::Kind::copy, nullptr,
                           [copy, kind, taken] {
                             do_copy({copy.to, taken->data(), copy.bytes}, kind);
                           },
                           copy.bytes});
  }
  const bool from_pinned = kind == cudaMemcpyHostToDevice && is_pinned(copy.from, copy.bytes);
  const cudaError_t status = submit(
      stream,
      {Work::Kind::copy, nullptr, [copy, kind] { do_copy(copy, kind); }, copy.bytes, from_pinned});
  // The call waits for memory that is not pinned.
  const bool waits = !captures && !to_device(kind) && !is_pinned(copy.to, copy.bytes);
  return status == cudaSuccess && waits ? finish_stream(stream) : status;
}

cudaError_t submit_fill(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return cudaSuccess;
  if (!is_mapped(to, bytes)) return cudaErrorInvalidValue;
  return submit(stream, {Work::Kind::set, nullptr, [=] {
                           if (is_mapped(to, bytes)) {
                             std::memset(to, value, bytes);
                             set_defined(to, bytes);
                           } else {
                             lose_device(cudaErrorIllegalAddress,
                                         "memory was freed before it was filled");
                           }
                         }});
}

}  // namespace

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return device_call([&] {
    if (bytes == 0) return cudaSuccess;
    const Copy copy{to, from, bytes};
    cudaMemcpyKind resolved = kind;
    const cudaError_t status = resolve(copy, resolved);
    return status == cudaSuccess ? submit_copy(copy, resolved, stream) : status;
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return device_call([&] {
    if (const cudaError_t status = refuse_in_capture(); status != cudaSuccess) return status;
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
  });
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return device_call([&] { return submit_fill(to, value, bytes, stream); });
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return device_call([&] {
    if (const cudaError_t status = refuse_in_capture(); status != cudaSuccess) return status;
    return submit_fill(to, value, bytes, nullptr);
  });
}
