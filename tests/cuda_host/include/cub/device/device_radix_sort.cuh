#pragma once

// Replaces CUB's header in the host run: the part that Mote uses, by the standard algorithms.

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda_host/library_work.h>

namespace cub {

/// Two arrays, one of which holds the values.
template <class T>
struct DoubleBuffer {
  T* d_buffers[2] = {nullptr, nullptr};
  int selector = 0;

  DoubleBuffer() = default;
  DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  T* Current() { return d_buffers[selector]; }
  T* Alternate() { return d_buffers[selector ^ 1]; }
};

struct DeviceRadixSort {
  /// Sorts by the bits from `begin_bit` up to `end_bit`, in ascending order; equal keys keep their
  /// order. Afterwards the result is in either array, and the content of the other is lost.
  template <class Key, class Value, class Count>
  static cudaError_t SortPairs(void* scratch, std::size_t& scratch_bytes, DoubleBuffer<Key>& keys,
                               DoubleBuffer<Value>& values, Count count, int begin_bit = 0,
                               int end_bit = sizeof(Key) * 8, cudaStream_t stream = nullptr) {
    static_assert(std::is_unsigned_v<Key>);
    const auto items = static_cast<std::size_t>(count);
    if (begin_bit < 0 || end_bit > static_cast<int>(sizeof(Key) * 8) || begin_bit > end_bit) {
      return cudaErrorInvalidValue;
    }
    Key *key = keys.Current(), *other_key = keys.Alternate();
    Value *value = values.Current(), *other_value = values.Alternate();
    const auto sort = [=] {
      std::vector<std::pair<Key, Value>> pairs(items);
      for (std::size_t i = 0; i < items; ++i) pairs[i] = {key[i], value[i]};
      const int above = static_cast<int>(sizeof(Key) * 8) - end_bit;
      const auto digits = [=](Key k) {
        return above + begin_bit < static_cast<int>(sizeof(Key) * 8)
                   ? static_cast<Key>(static_cast<Key>(k << above) >> (above + begin_bit))
                   : Key{0};
      };
      std::stable_sort(pairs.begin(), pairs.end(), [=](const auto& a, const auto& b) {
        return digits(a.first) < digits(b.first);
      });
      std::memset(key, 0xa5, items * sizeof(Key));
      std::memset(value, 0xa5, items * sizeof(Value));
      for (std::size_t i = 0; i < items; ++i) {
        other_key[i] = pairs[i].first;
        other_value[i] = pairs[i].second;
      }
    };
    const bool sorts = scratch != nullptr;
    const cudaError_t status = cuda_host::submit_with_scratch(
        scratch, scratch_bytes, items, stream,
        {cuda_host::range_of(key, items), cuda_host::range_of(other_key, items),
         cuda_host::range_of(value, items), cuda_host::range_of(other_value, items)},
        sort);
    if (sorts && status == cudaSuccess) {
      keys.selector ^= 1;
      values.selector ^= 1;
    }
    return status;
  }
};

}  // namespace cub
