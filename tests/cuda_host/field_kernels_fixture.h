#pragma once

// Values on the simulated device, for tests of the kernels of neural fields.

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "cuda/runtime/runtime.h"
#include "cuda_host/controls.h"
#include "math/half.h"

namespace mote::cuda {

class OnTheHostRun : public testing::Test {
 protected:
  OnTheHostRun() { cuda_host::reset(); }
  ~OnTheHostRun() override { cuda_host::reset(); }

  cudaStream_t stream() const { return nullptr; }
};

template <class T>
DeviceBuffer<T> on_device(const std::vector<T>& values) {
  DeviceBuffer<T> buffer("values of a test");
  buffer.resize_discard(values.size());
  buffer.upload(values, nullptr);
  check(cudaStreamSynchronize(nullptr), "a test");
  return buffer;
}

template <class T>
DeviceBuffer<T> zeros_on_device(std::size_t count) {
  return on_device(std::vector<T>(count));
}

template <class T>
std::vector<T> from_device(const DeviceBuffer<T>& buffer) {
  std::vector<T> values(buffer.size());
  buffer.download(values, nullptr);
  check(cudaStreamSynchronize(nullptr), "a test");
  return values;
}

inline std::vector<float> random_floats(std::mt19937& random, std::size_t count, float low,
                                        float high) {
  std::vector<float> values(count);
  for (float& value : values) {
    value = low + (high - low) * static_cast<float>(random() >> 8) * 0x1p-24f;
  }
  return values;
}

/// The nearest half, as a double.
inline double as_half(double value) {
  return static_cast<double>(from_half(to_half(static_cast<float>(value))));
}

/// Two of them in a word.
inline std::uint32_t half_pair(float low, float high) {
  return to_half(low) | static_cast<std::uint32_t>(to_half(high)) << 16;
}
inline float low_of(std::uint32_t word) {
  return from_half(static_cast<std::uint16_t>(word));
}
inline float high_of(std::uint32_t word) {
  return from_half(static_cast<std::uint16_t>(word >> 16));
}

}  // namespace mote::cuda
