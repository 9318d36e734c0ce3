#include <cuda_host/atomics.h>

// Plain operations suffice: one thread runs at a time, and no switch happens within one.

#include <algorithm>

#include "device_memory.h"
#include "interpreter.h"
#include "race_check.h"

namespace {

template <class T, class Change>
T exchange(T* address, Change change) {
  if (!cuda_host::is_device_address(address)) {
    cuda_host::fault("does an atomic operation on memory that is not the device's");
  }
  cuda_host::note_access(address, sizeof(T), cuda_host::Access::atomic);
  const T before = *address;
  *address = change(before);
  return before;
}

template <class T>
T add(T* address, T value) {
  return exchange(address, [&](T old) { return static_cast<T>(old + value); });
}

/// Signed numbers wrap around.
template <>
int add(int* address, int value) {
  return exchange(address, [&](int old) {
    return static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value));
  });
}

template <class T>
T greatest(T* address, T value) {
  return exchange(address, [&](T old) { return std::max(old, value); });
}

template <class T>
T least(T* address, T value) {
  return exchange(address, [&](T old) { return std::min(old, value); });
}

template <class T>
T bits_of_both(T* address, T value) {
  return exchange(address, [&](T old) { return old & value; });
}

template <class T>
T bits_of_either(T* address, T value) {
  return exchange(address, [&](T old) { return old | value; });
}

template <class T>
T put(T* address, T value) {
  return exchange(address, [&](T) { return value; });
}

template <class T>
T put_if(T* address, T expected, T value) {
  return exchange(address, [&](T old) { return old == expected ? value : old; });
}

using Wide = unsigned long long;

}  // namespace

int atomicAdd(int* address, int value) {
  return add(address, value);
}
unsigned atomicAdd(unsigned* address, unsigned value) {
  return add(address, value);
}
Wide atomicAdd(Wide* address, Wide value) {
  return add(address, value);
}
float atomicAdd(float* address, float value) {
  return add(address, value);
}

int atomicSub(int* address, int value) {
  return add(address, static_cast<int>(0u - static_cast<unsigned>(value)));
}
unsigned atomicSub(unsigned* address, unsigned value) {
  return add(address, 0u - value);
}

int atomicMax(int* address, int value) {
  return greatest(address, value);
}
unsigned atomicMax(unsigned* address, unsigned value) {
  return greatest(address, value);
}
Wide atomicMax(Wide* address, Wide value) {
  return greatest(address, value);
}

int atomicMin(int* address, int value) {
  return least(address, value);
}
unsigned atomicMin(unsigned* address, unsigned value) {
  return least(address, value);
}
Wide atomicMin(Wide* address, Wide value) {
  return least(address, value);
}

int atomicAnd(int* address, int value) {
  return bits_of_both(address, value);
}
unsigned atomicAnd(unsigned* address, unsigned value) {
  return bits_of_both(address, value);
}
Wide atomicAnd(Wide* address, Wide value) {
  return bits_of_both(address, value);
}

int atomicOr(int* address, int value) {
  return bits_of_either(address, value);
}
unsigned atomicOr(unsigned* address, unsigned value) {
  return bits_of_either(address, value);
}
Wide atomicOr(Wide* address, Wide value) {
  return bits_of_either(address, value);
}

int atomicExch(int* address, int value) {
  return put(address, value);
}
unsigned atomicExch(unsigned* address, unsigned value) {
  return put(address, value);
}
Wide atomicExch(Wide* address, Wide value) {
  return put(address, value);
}
float atomicExch(float* address, float value) {
  return put(address, value);
}

int atomicCAS(int* address, int expected, int value) {
  return put_if(address, expected, value);
}
unsigned atomicCAS(unsigned* address, unsigned expected, unsigned value) {
  return put_if(address, expected, value);
}
Wide atomicCAS(Wide* address, Wide expected, Wide value) {
  return put_if(address, expected, value);
}
