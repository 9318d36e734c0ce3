// The work of the toolkit's libraries, done by the host when its turn in the stream comes.

#include <cuda_host/library_work.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "defined_bytes.h"
#include "device_call.h"
#include "device_memory.h"
#include "streams.h"

namespace cuda_host {
namespace {

/// Differs from the size for up to 8 items more or fewer, so that scratch memory of another call is
/// noticed.
std::size_t scratch_for(std::size_t items) {
  return 256 + items / 8;
}

bool are_mapped(const std::vector<DeviceRange>& ranges) {
  return std::all_of(ranges.begin(), ranges.end(), [](const DeviceRange& range) {
    return range.bytes == 0 || is_mapped(range.start, range.bytes);
  });
}

}  // namespace

cudaError_t submit_library_work(cudaStream_t stream, std::vector<DeviceRange> touched,
                                std::function<void()> work) {
  return device_call([&] {
    if (!are_mapped(touched)) return cudaErrorInvalidValue;
    return submit(stream, {Work::Kind::launch, nullptr, [touched, work] {
                             if (are_mapped(touched)) {
                               work();
                               for (const DeviceRange& range : touched) {
                                 set_defined(range.start, range.bytes);
                               }
                             } else {
                               lose_device(cudaErrorIllegalAddress,
                                           "a library's memory was freed before it was used");
                             }
                           }});
  });
}

cudaError_t submit_with_scratch(void* scratch, std::size_t& scratch_bytes, std::size_t items,
                                cudaStream_t stream, std::vector<DeviceRange> touched,
                                std::function<void()> work) {
  const std::size_t needed = scratch_for(items);
  if (scratch == nullptr) {
    scratch_bytes = needed;
    return cudaSuccess;
  }
  if (scratch_bytes < needed) return note(cudaErrorInvalidValue);
  touched.push_back({scratch, needed});
  return submit_library_work(stream, std::move(touched), [scratch, needed, work] {
    std::memset(scratch, 0xa5, needed);
    work();
  });
}

}  // namespace cuda_host
