// The toolkit's libraries in the host run: CUB's sort and scan.

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include <cstdint>

#include "cuda_host/launch_fixture.h"

namespace cuda_host {
namespace {

using Keys = std::vector<std::uint64_t>;
using Values = std::vector<std::uint32_t>;

class Library : public HostRun {
 protected:
  Library() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
  ~Library() override { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }

  cudaError_t sum(const std::uint64_t* from, std::uint64_t* to, unsigned count) {
    std::size_t bytes = 0;
    EXPECT_EQ(cub::DeviceScan::InclusiveSum(nullptr, bytes, from, to, count, stream_), cudaSuccess);
    const DeviceArray<unsigned char> scratch(bytes);
    const cudaError_t status =
        cub::DeviceScan::InclusiveSum(scratch.data(), bytes, from, to, count, stream_);
    if (status != cudaSuccess) return status;
    return cudaStreamSynchronize(stream_);
  }

  cudaStream_t stream_ = nullptr;
};

TEST_F(Library, PairsAreSortedStablyByTheRequestedBits) {
  const Keys keys{0x305, 0x105, 0x204, 0x106, 0x005};
  const DeviceArray<std::uint64_t> key(keys), other_key(5);
  const DeviceArray<std::uint32_t> value(Values{0, 1, 2, 3, 4}), other_value(5);
  cub::DoubleBuffer<std::uint64_t> key_buffers(key.data(), other_key.data());
  cub::DoubleBuffer<std::uint32_t> value_buffers(value.data(), other_value.data());
  std::size_t bytes = 0;
  const auto sort = [&](void* scratch, int begin, int end) {
    return cub::DeviceRadixSort::SortPairs(scratch, bytes, key_buffers, value_buffers, 5u, begin,
                                           end, stream_);
  };
  ASSERT_EQ(sort(nullptr, 0, 8), cudaSuccess);
  EXPECT_EQ(key_buffers.Current(), key.data()) << "asking for the size does nothing";
  const DeviceArray<unsigned char> scratch(bytes);
  ASSERT_EQ(sort(scratch.data(), 0, 8), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(value_buffers.Current(), other_value.data());
  EXPECT_EQ(other_value.values(), (Values{2, 0, 1, 4, 3}));
  EXPECT_EQ(other_key.values(), (Keys{0x204, 0x305, 0x105, 0x005, 0x106}));
  ASSERT_EQ(sort(scratch.data(), 8, 64), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(value.values(), (Values{4, 1, 3, 2, 0}));
  ASSERT_EQ(sort(scratch.data(), 0, 64), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(other_value.values(), (Values{4, 1, 3, 2, 0}));
  EXPECT_EQ(sort(scratch.data(), 0, 65), cudaErrorInvalidValue);
}

TEST_F(Library, RunningSumsMayReplaceTheirInput) {
  const DeviceArray<std::uint64_t> values(Keys{1, 5, 0, std::uint64_t{1} << 40});
  const DeviceArray<std::uint64_t> sums(4);
  const Keys expected{1, 6, 6, (std::uint64_t{1} << 40) + 6};
  ASSERT_EQ(sum(values.data(), sums.data(), 4), cudaSuccess);
  EXPECT_EQ(sums.values(), expected);
  ASSERT_EQ(sum(values.data(), values.data(), 4), cudaSuccess);
  EXPECT_EQ(values.values(), expected);
}

TEST_F(Library, ScratchMemoryMustSuffice) {
  const DeviceArray<std::uint64_t> values(Keys(100, 1));
  std::size_t bytes = 0;
  ASSERT_EQ(
      cub::DeviceScan::InclusiveSum(nullptr, bytes, values.data(), values.data(), 100u, stream_),
      cudaSuccess);
  ASSERT_GT(bytes, 0u);
  const DeviceArray<unsigned char> scratch(bytes);
  std::size_t too_few = bytes - 1;
  EXPECT_EQ(cub::DeviceScan::InclusiveSum(scratch.data(), too_few, values.data(), values.data(),
                                          100u, stream_),
            cudaErrorInvalidValue);
  const DeviceArray<unsigned char> too_small(bytes - 100);
  EXPECT_EQ(cub::DeviceScan::InclusiveSum(too_small.data(), bytes, values.data(), values.data(),
                                          100u, stream_),
            cudaErrorInvalidValue);
}

TEST_F(Library, ArraysMustBeOnTheDeviceAndLongEnough) {
  Keys on_host{1, 2, 3};
  const DeviceArray<std::uint64_t> values(Keys{1, 2, 3}), fewer(2);
  EXPECT_EQ(sum(on_host.data(), values.data(), 3), cudaErrorInvalidValue);
  EXPECT_EQ(sum(values.data(), on_host.data(), 3), cudaErrorInvalidValue);
  EXPECT_EQ(sum(values.data(), fewer.data(), 3), cudaErrorInvalidValue);
}

TEST_F(Library, WorkRunsInTheOrderOfTheStream) {
  machine().lazy_streams = true;
  const DeviceArray<std::uint64_t> values(Keys{7, 7, 7});
  std::size_t bytes = 0;
  ASSERT_EQ(
      cub::DeviceScan::InclusiveSum(nullptr, bytes, values.data(), values.data(), 3u, stream_),
      cudaSuccess);
  const DeviceArray<unsigned char> scratch(bytes);
  ASSERT_EQ(cudaMemsetAsync(values.data(), 0, 3 * sizeof(std::uint64_t), stream_), cudaSuccess);
  ASSERT_EQ(cub::DeviceScan::InclusiveSum(scratch.data(), bytes, values.data(), values.data(), 3u,
                                          stream_),
            cudaSuccess);
  EXPECT_EQ(values.values(), (Keys{7, 7, 7}));
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_EQ(values.values(), (Keys{0, 0, 0}));
}

}  // namespace
}  // namespace cuda_host
