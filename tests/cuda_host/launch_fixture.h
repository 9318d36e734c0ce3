#pragma once

// Helpers for tests of the harness: a machine with default settings for each test, device memory as
// a container, and launches in one line.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "cuda/runtime/dialect.h"
#include "cuda_host/controls.h"

namespace cuda_host {

class HostRun : public testing::Test {
 protected:
  HostRun() { reset(); }
  ~HostRun() override { reset(); }
};

/// Device memory of `count` T, initially filled with set bits.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    EXPECT_EQ(cudaMalloc(&data_, count * sizeof(T)), cudaSuccess);
    EXPECT_EQ(cudaMemset(data_, 0xff, count * sizeof(T)), cudaSuccess);
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    const std::size_t bytes = count_ * sizeof(T);
    EXPECT_EQ(cudaMemcpy(data_, values.data(), bytes, cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> values(count_);
    const std::size_t bytes = count_ * sizeof(T);
    EXPECT_EQ(cudaMemcpy(values.data(), data_, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t count_;
};

struct Shape {
  unsigned blocks, threads;
  std::size_t dynamic_bytes = 0;
  cudaStream_t stream = nullptr;
};

/// Launches the kernel, waits for it, and returns the status.
template <class... Parameters, class... Arguments>
cudaError_t run(Shape shape, void (*kernel)(Parameters...), Arguments&&... arguments) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.blocks);
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.dynamic_bytes;
  config.stream = shape.stream;
  const cudaError_t status =
      cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...);
  return status == cudaSuccess ? cudaStreamSynchronize(shape.stream) : status;
}

}  // namespace cuda_host
