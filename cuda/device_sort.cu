// Sorting and prefix sums with CUB, which only this file includes. Each CUB function is called
// twice: without scratch memory it returns the size that it needs.

#include "cuda/device_sort.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace mote::cuda {
namespace {

/// `call(scratch, bytes)` calls a CUB function.
template <class Call>
void with_scratch(DeviceBuffer<unsigned char>& scratch, const char* what, const Call& call) {
  std::size_t bytes = 0;
  check(call(nullptr, bytes), what);
  // A null address would only query the size again.
  scratch.resize_discard(bytes > 0 ? bytes : 1);
  check(call(scratch.data(), bytes), what);
}

}  // namespace

void DeviceSort::prepare(std::size_t count) {
  for (auto& keys : keys_) keys.resize_discard(count);
  for (auto& numbers : numbers_) numbers.resize_discard(count);
}

const std::uint32_t* DeviceSort::sort(int bits, cudaStream_t stream) {
  const auto count = static_cast<std::uint32_t>(keys_[0].size());
  if (count == 0) return numbers();
  cub::DoubleBuffer<std::uint64_t> keys(keys_[0].data(), keys_[1].data());
  cub::DoubleBuffer<std::uint32_t> numbers(numbers_[0].data(), numbers_[1].data());
  with_scratch(scratch_, "sorting", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, numbers, count, 0, bits, stream);
  });
  return numbers.Current();
}

std::size_t DeviceSort::memory_bytes() const {
  return keys_[0].bytes() + keys_[1].bytes() + numbers_[0].bytes() + numbers_[1].bytes() +
         scratch_.bytes();
}

void RunningSums::prepare(std::size_t count) {
  values_.resize_discard(count);
}

void RunningSums::sum(cudaStream_t stream) {
  const auto count = static_cast<std::uint32_t>(values_.size());
  if (count == 0) return;
  with_scratch(scratch_, "running sums", [&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(scratch, bytes, values(), values(), count, stream);
  });
}

std::uint64_t RunningSums::total(cudaStream_t stream) const {
  if (values_.empty()) return 0;
  std::uint64_t total = 0;
  values_.download({&total, 1}, stream, values_.size() - 1);
  check(cudaStreamSynchronize(stream), "running sums");
  return total;
}

}  // namespace mote::cuda
