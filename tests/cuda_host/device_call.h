#pragma once

// How every function of the runtime API begins and ends: one at a time, refused where the machine
// has no usable device, and remembered where it failed.

#include <mutex>
#include <string>

#include <cuda_runtime.h>

namespace cuda_host {

/// Held by every call, and so while a kernel runs.
std::recursive_mutex& device_mutex();

/// Remembers a failure for cudaGetLastError(), and returns it.
cudaError_t note(cudaError_t status);

/// Why the device can do nothing for this call; counts the call.
cudaError_t refusal();

/// From now on every call fails with `status`, as after a fault of a kernel; `report` says why.
void lose_device(cudaError_t status, const std::string& report);
bool is_device_lost();

/// The device that the calling thread has chosen.
int current_device();

template <class Body>
cudaError_t device_call(Body body) {
  const std::lock_guard lock(device_mutex());
  cudaError_t status = refusal();
  if (status == cudaSuccess) status = body();
  return note(status);
}

}  // namespace cuda_host
