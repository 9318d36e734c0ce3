#pragma once

// Operations of the lanes of a warp. Each lane leaves a record on its stack, and the last lane
// computes all results at once, so that an operation costs one switch per lane.

#include <cstddef>
#include <cstring>

#include <cuda_host/block_words.h>

namespace cuda_host {

/// Computes an operation for the lanes of `mask`: `lanes[i]` is the record of lane i.
using Combine = void (*)(void* const* lanes, unsigned mask);

/// Holds the lane until all lanes of `mask` arrive with the same mask and operation. A fault if one
/// has returned, or if the lane is not in its own mask.
void warp_operation(unsigned mask, void* record, Combine combine, Site site);

/// Replaces each value of a lane by its sum over the whole warp, added in butterfly order as on the
/// device.
void warp_sums(float* values, int count, Site site);
/// Whether the machine adds up by shuffles instead.
bool sums_by_shuffles();
/// Nanoseconds, wrapping around.
unsigned clock_ticks();

inline int lane() {
  return static_cast<int>(threadIdx.x % 32u);
}

/// Calls `visit(lane)` for the lanes of `mask`, in ascending order.
template <class Visit>
void for_each_lane(unsigned mask, Visit visit) {
  for (; mask != 0; mask &= mask - 1) visit(__builtin_ctz(mask));
}

/// A lane's value, its request and its result.
template <class Value, class Result = Value>
struct LaneRecord {
  Value value;
  int source;
  Result result;
};

/// Gives every lane the value of its source. CUDA leaves the value of a lane outside the mask
/// undefined; here all its bits are set.
template <class T>
void shuffle(void* const* lanes, unsigned mask) {
  for_each_lane(mask, [&](int i) {
    auto& record = *static_cast<LaneRecord<T>*>(lanes[i]);
    if ((mask >> record.source & 1u) != 0) {
      record.result = static_cast<const LaneRecord<T>*>(lanes[record.source])->value;
    } else {
      std::memset(&record.result, 0xff, sizeof record.result);
    }
  });
}

template <class T>
T shuffle_from(unsigned mask, T value, int source, Site site) {
  LaneRecord<T> record{value, source, {}};
  warp_operation(mask, &record, shuffle<T>, site);
  return record.result;
}

template <class T, class Operation>
void reduce(void* const* lanes, unsigned mask) {
  using Record = LaneRecord<T>;
  T result = static_cast<Record*>(lanes[__builtin_ctz(mask)])->value;
  for_each_lane(mask & (mask - 1), [&](int i) {
    result = Operation()(result, static_cast<Record*>(lanes[i])->value);
  });
  for_each_lane(mask, [&](int i) { static_cast<Record*>(lanes[i])->result = result; });
}

template <class Operation, class T>
T reduced(unsigned mask, T value, Site site) {
  LaneRecord<T> record{value, 0, {}};
  warp_operation(mask, &record, reduce<T, Operation>, site);
  return record.result;
}

template <class T>
void match_any(void* const* lanes, unsigned mask) {
  using Record = LaneRecord<T, unsigned>;
  for_each_lane(mask, [&](int i) {
    auto& record = *static_cast<Record*>(lanes[i]);
    record.result = 0;
    for_each_lane(mask, [&](int k) {
      // Compares bits, so that a NaN matches itself.
      const T& other = static_cast<Record*>(lanes[k])->value;
      if (std::memcmp(&record.value, &other, sizeof(T)) == 0) record.result |= 1u << k;
    });
  });
}

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));  // wraps
  }
};
struct Least {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Greatest {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct And {
  unsigned operator()(unsigned a, unsigned b) const { return a & b; }
};
struct Or {
  unsigned operator()(unsigned a, unsigned b) const { return a | b; }
};
struct Xor {
  unsigned operator()(unsigned a, unsigned b) const { return a ^ b; }
};

inline void meet(void* const*, unsigned) {}

}  // namespace cuda_host

inline void __syncwarp(unsigned mask = 0xffffffffu,
                       cuda_host::Site site = cuda_host::Site::here()) {
  cuda_host::warp_operation(mask, nullptr, cuda_host::meet, site);
}

// `width`, a power of two, divides the warp into segments of this size.
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32,
              cuda_host::Site site = cuda_host::Site::here()) {
  const int first = cuda_host::lane() & ~(width - 1);
  return cuda_host::shuffle_from(mask, value, first | (source & (width - 1)), site);
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32,
                 cuda_host::Site site = cuda_host::Site::here()) {
  const int lane = cuda_host::lane();
  const bool inside = by <= static_cast<unsigned>(lane & (width - 1));
  return cuda_host::shuffle_from(mask, value, inside ? lane - static_cast<int>(by) : lane, site);
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32,
                   cuda_host::Site site = cuda_host::Site::here()) {
  const int lane = cuda_host::lane();
  const bool inside = by < static_cast<unsigned>(width - (lane & (width - 1)));
  return cuda_host::shuffle_from(mask, value, inside ? lane + static_cast<int>(by) : lane, site);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32,
                  cuda_host::Site site = cuda_host::Site::here()) {
  const int lane = cuda_host::lane();
  const int source = (lane ^ bits) & 31;
  // Only earlier segments can be read.
  const bool inside = source <= (lane | (width - 1));
  return cuda_host::shuffle_from(mask, value, inside ? source : lane, site);
}

inline unsigned __ballot_sync(unsigned mask, int predicate,
                              cuda_host::Site site = cuda_host::Site::here()) {
  const unsigned bit = predicate != 0 ? 1u << cuda_host::lane() : 0u;
  return cuda_host::reduced<cuda_host::Or>(mask, bit, site);
}
inline int __any_sync(unsigned mask, int predicate,
                      cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::reduced<cuda_host::Or>(mask, predicate != 0 ? 1u : 0u, site) != 0;
}
inline int __all_sync(unsigned mask, int predicate,
                      cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::reduced<cuda_host::And>(mask, predicate != 0 ? 1u : 0u, site) != 0;
}

/// The lanes of `mask` with the same value as this lane.
template <class T>
unsigned __match_any_sync(unsigned mask, T value, cuda_host::Site site = cuda_host::Site::here()) {
  cuda_host::LaneRecord<T, unsigned> record{value, 0, 0};
  cuda_host::warp_operation(mask, &record, cuda_host::match_any<T>, site);
  return record.result;
}

inline unsigned __reduce_add_sync(unsigned mask, unsigned value,
                                  cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::reduced<cuda_host::Add>(mask, value, site);
}
inline int __reduce_add_sync(unsigned mask, int value,
                             cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::reduced<cuda_host::Add>(mask, value, site);
}
inline unsigned __reduce_min_sync(unsigned mask, unsigned value,
                                  cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::reduced<cuda_host::Least>(mask, value, site);
}
inline int __reduce_min_sync(unsigned mask, int value,
                             cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::reduced<cuda_host::Least>(mask, value, site);
}
inline unsigned __reduce_max_sync(unsigned mask, unsigned value,
                                  cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::reduced<cuda_host::Greatest>(mask, value, site);
}
inline int __reduce_max_sync(unsigned mask, int value,
                             cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::reduced<cuda_host::Greatest>(mask, value, site);
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned value,
                                  cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::reduced<cuda_host::And>(mask, value, site);
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned value,
                                 cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::reduced<cuda_host::Or>(mask, value, site);
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned value,
                                  cuda_host::Site site = cuda_host::Site::here()) {
  return cuda_host::reduced<cuda_host::Xor>(mask, value, site);
}
