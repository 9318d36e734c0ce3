#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace mote {

/// Uninitialised memory for `count` trivial elements, aligned to 64 bytes: a cache line and the
/// widest vector. Large buffers are aligned to huge pages and request them from the system. A
/// buffer grows without keeping its content and never shrinks, so it serves as scratch memory that
/// is reused every frame. Throws std::bad_alloc.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  static constexpr std::size_t kAlignment = 64;
  static constexpr std::size_t kHugePage = std::size_t{2} << 20;

  Buffer() = default;
  explicit Buffer(std::size_t count) { resize_discard(count); }

  /// Afterwards size() is `count` and the content is unspecified.
  void resize_discard(std::size_t count) {
    if (count > capacity_) {
      data_.reset();
      capacity_ = 0;
      const std::size_t bytes = bytes_for(count);
      data_.reset(static_cast<T*>(allocate(bytes)));
      capacity_ = bytes / sizeof(T);
    }
    size_ = count;
  }

  /// Keeps the first `count` elements and the memory; no effect where there are fewer.
  void truncate(std::size_t count) { size_ = count < size_ ? count : size_; }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  struct Free {
    void operator()(T* pointer) const { std::free(pointer); }
  };

  static void* allocate(std::size_t bytes) {
    const bool large = bytes >= kHugePage;
    const std::size_t alignment = large ? kHugePage : kAlignment;
    void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    if (large) ::madvise(memory, bytes, MADV_HUGEPAGE);  // a hint; the system may ignore it
    return memory;
  }

  static std::size_t bytes_for(std::size_t count) {
    if (count > (std::size_t{1} << 60) / sizeof(T)) throw std::bad_alloc();
    return (count * sizeof(T) + kAlignment - 1) / kAlignment * kAlignment;
  }

  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace mote
