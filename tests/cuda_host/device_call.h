#pragma once

// Common start and end of every function of the runtime API: calls are serialised, refused if the
// machine has no usable device, and their failures are recorded.

#include <mutex>
#include <string>

#include <cuda_runtime.h>

namespace cuda_host {

/// Locked by every call, and while a kernel runs.
std::recursive_mutex& device_mutex();

/// Records a failure for cudaGetLastError() and returns it.
cudaError_t note(cudaError_t status);

/// The error if the device cannot execute this call; counts the call.
cudaError_t refusal();

/// Makes every later call fail with `status`, as after a kernel fault; `report` is the reason.
void lose_device(cudaError_t status, const std::string& report);
bool is_device_lost();

/// The current device of the calling thread.
int current_device();

template <class Body>
cudaError_t device_call(Body body) {
  const std::lock_guard lock(device_mutex());
  cudaError_t status = refusal();
  if (status == cudaSuccess) status = body();
  return note(status);
}

}  // namespace cuda_host
