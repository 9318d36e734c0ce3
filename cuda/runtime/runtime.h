#pragma once

// The CUDA runtime for the host side of the backend. Every call is checked and every resource has
// an owner. It has no kernels and needs no driver before the first call.

#include <cuda_runtime.h>

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.h"

namespace mote::cuda {

/// A GPU for calls of the CUDA runtime. The current device is a property of each thread, so a
/// function that any thread may call must enter its device first.
class Gpu {
 public:
  /// `name`: for messages.
  Gpu(int index, const std::string& name);
  /// The current GPU of the calling thread.
  static Gpu current();

  /// Text such as "device cuda:0 (NVIDIA H200)".
  const std::string& label() const { return label_; }
  /// Makes this the calling thread's current device. Throws Error if it is unusable.
  void enter() const;
  /// The same for destructors: an error is reported by the next checked call.
  void enter_quietly() const noexcept;

 private:
  Gpu() = default;

  int index_ = 0;
  std::string label_;
};

/// The label of the calling thread's device; "device cuda" before it entered one.
const std::string& device_label();

/// Insufficient device memory. The problem states the needed size, its purpose, and the free size.
/// A caller that knows the context replaces the remedy with the size that would fit.
class OutOfMemory : public Error {
 public:
  using Error::Error;
  OutOfMemory(const OutOfMemory& other, std::string remedy)
      : Error(other.problem(), other.where(), std::move(remedy)) {}
};

/// Runs the work. If it throws OutOfMemory, the memory of the work is released and the error is
/// thrown again with `remedy()`.
template <class Work, class Remedy>
auto with_remedy(const Work& work, const Remedy& remedy) {
  try {
    return work();
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(error, remedy());
  }
}

/// Throws DeviceLost if the device no longer answers after this error, otherwise Error.
[[noreturn]] void fail(cudaError_t status, const char* what);

/// Throws Error if `status` is not success. The message says that `what` failed (a phrase such as
/// "copying the scene"), CUDA's reason, the device, and the remedy.
inline void check(cudaError_t status, const char* what) {
  if (status != cudaSuccess) [[unlikely]]
    fail(status, what);
}

/// One-dimensional blocks and grids.
struct LaunchShape {
  unsigned blocks, threads;
  std::size_t dynamic_shared_bytes = 0;
  const char* name = "a kernel";  // for messages
};

/// Number of blocks of `threads` threads for `count` items.
constexpr unsigned blocks_for(std::size_t count, unsigned threads) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

/// A kernel must request dynamic shared memory above this number of bytes.
inline constexpr std::size_t kFreelySharedBytes = 48 << 10;

/// Loads the kernel on the current device, once for each device. CUDA itself loads a kernel at its
/// first launch, which may fail while work is captured. `name`: for messages.
void load_kernel(const void* kernel, const char* name);

/// Number of blocks of the kernel that the current device can run concurrently: the grid size of a
/// kernel whose blocks take work from a queue. CUDA is asked once for each kernel. `name`: for
/// messages.
unsigned resident_blocks(const void* kernel, unsigned threads, const char* name);
template <class... Params>
unsigned resident_blocks(void (*kernel)(Params...), unsigned threads, const char* name) {
  return resident_blocks(reinterpret_cast<const void*>(kernel), threads, name);
}

/// Launches the kernel on the stream; no effect for zero blocks. Throws Error if the launch fails.
/// Errors during its execution are reported by a later call.
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), const LaunchShape& shape, cudaStream_t stream,
            Args&&... args) {
  if (shape.blocks == 0) return;
  load_kernel(reinterpret_cast<const void*>(kernel), shape.name);
  if (shape.dynamic_shared_bytes > kFreelySharedBytes) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shape.dynamic_shared_bytes)),
          shape.name);
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(shape.blocks);
  config.blockDim = dim3(shape.threads);
  config.dynamicSmemBytes = shape.dynamic_shared_bytes;
  config.stream = stream;
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...), shape.name);
}

/// Memory on the device, or pinned memory on the host. Move only.
class Memory {
 public:
  enum class Kind { device, pinned };

  /// `purpose`: content of the memory, a plural phrase such as "splat positions"; not copied.
  Memory(Kind kind, const char* purpose) : kind_(kind), purpose_(purpose) {}
  ~Memory() { release(); }
  Memory(Memory&& other) noexcept
      : kind_(other.kind_),
        purpose_(other.purpose_),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Memory& operator=(Memory&& other) noexcept;

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  /// Grows to at least `wanted` bytes; if possible, to 1.5 times the old size where that is more.
  /// The old memory is freed first, so that both need not fit: its content is lost, and the call
  /// waits for the device. If memory is insufficient, throws Error (OutOfMemory for device memory)
  /// and holds no memory afterwards.
  void grow_discard(std::size_t wanted);
  void release() noexcept;

 private:
  cudaError_t allocate(std::size_t bytes);

  Kind kind_;
  const char* purpose_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// An array of trivial values in Memory with size() elements.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// Number of elements that fit without growing.
  std::size_t capacity() const { return memory_.bytes() / sizeof(T); }
  std::size_t bytes() const { return memory_.bytes(); }
  /// Makes space for at least `count` elements. If the space grows (see grow_discard()), the array
  /// is empty afterwards, and the call waits for the device. Throws Error if memory is
  /// insufficient.
  void reserve_discard(std::size_t count) {
    CHECK(count <= std::numeric_limits<std::size_t>::max() / sizeof(T));
    if (count <= capacity()) return;
    size_ = 0;
    memory_.grow_discard(count * sizeof(T));
  }
  /// Resizes to `count` elements with unspecified values; never shrinks the allocation.
  void resize_discard(std::size_t count) {
    reserve_discard(count);
    size_ = count;
  }
  /// Frees the memory.
  void release() noexcept {
    size_ = 0;
    memory_.release();
  }

 protected:
  Array(Memory::Kind kind, const char* purpose) : memory_(kind, purpose) {}
  Array(Array&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~Array() = default;

  T* values() const { return static_cast<T*>(memory_.data()); }

 private:
  Memory memory_;
  std::size_t size_ = 0;
};

/// An array on the device.
template <class T>
class DeviceBuffer : public Array<T> {
 public:
  /// `purpose`: content for messages about memory, such as "splat positions"; not copied.
  explicit DeviceBuffer(const char* purpose) : Array<T>(Memory::Kind::device, purpose) {}

  T* data() { return this->values(); }
  const T* data() const { return this->values(); }

  /// Copies `from` to the elements from `first` on, in stream order. From pinned memory it returns
  /// immediately: `from` must stay unchanged until the copy is done.
  void upload(std::span<const T> from, cudaStream_t stream, std::size_t first = 0) {
    CHECK(first <= this->size() && from.size() <= this->size() - first);
    if (from.empty()) return;
    check(cudaMemcpyAsync(data() + first, from.data(), from.size_bytes(), cudaMemcpyHostToDevice,
                          stream),
          "copying to the device");
  }
  /// Copies the elements from `first` on into `to`, in stream order. Into pinned memory it returns
  /// immediately: `to` is valid when the copy is done.
  void download(std::span<T> to, cudaStream_t stream, std::size_t first = 0) const {
    CHECK(first <= this->size() && to.size() <= this->size() - first);
    if (to.empty()) return;
    check(
        cudaMemcpyAsync(to.data(), data() + first, to.size_bytes(), cudaMemcpyDeviceToHost, stream),
        "copying from the device");
  }
  /// Copies the content of `from`, in stream order.
  void copy(const DeviceBuffer& from, cudaStream_t stream) {
    this->resize_discard(from.size());
    if (from.empty()) return;
    check(cudaMemcpyAsync(data(), from.data(), from.size() * sizeof(T), cudaMemcpyDeviceToDevice,
                          stream),
          "copying on the device");
  }
  /// Sets every byte of all elements to `byte`, in stream order.
  void fill_bytes(unsigned char byte, cudaStream_t stream) {
    if (this->empty()) return;
    check(cudaMemsetAsync(data(), byte, this->size() * sizeof(T), stream), "clearing memory");
  }
};

/// An array in pinned host memory, for asynchronous copies.
template <class T>
class PinnedBuffer : public Array<T> {
 public:
  /// `purpose`: content for messages about memory; not copied.
  explicit PinnedBuffer(const char* purpose) : Array<T>(Memory::Kind::pinned, purpose) {}

  T* data() { return this->values(); }
  const T* data() const { return this->values(); }
  std::span<T> span() { return {data(), this->size()}; }
  std::span<const T> span() const { return {data(), this->size()}; }
};

/// Use of an event: timing has a small cost per record.
enum class EventUse { order, timing };

/// A point in a stream's work.
class Event {
 public:
  explicit Event(EventUse use);
  ~Event();
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }

  cudaEvent_t get() const { return event_; }
  void record(cudaStream_t stream);
  /// Records the event at this point of a captured graph, each time the graph runs. Required to
  /// wait for it or time it.
  void record_in_graph(cudaStream_t stream);
  /// Waits on the host until the event is reached.
  void synchronize() const;
  /// Milliseconds from `start` to this event. Both need EventUse::timing and must have been
  /// reached.
  float elapsed_ms(const Event& start) const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// A sequence of work, independent of the default stream.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}
  Stream& operator=(Stream&& other) noexcept {
    std::swap(stream_, other.stream_);
    return *this;
  }

  cudaStream_t get() const { return stream_; }
  /// Waits on the host for all work so far. Throws Error for its failures.
  void synchronize() const;
  /// Makes later work wait for the last record of `event`.
  void wait(const Event& event) const;

 private:
  cudaStream_t stream_ = nullptr;
};

/// Captured work, launched as a whole.
class Graph {
 public:
  /// Empty; launching it is a programming fault.
  Graph() = default;
  ~Graph();
  Graph(Graph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
  Graph& operator=(Graph&& other) noexcept {
    std::swap(graph_, other.graph_);
    return *this;
  }

  explicit operator bool() const { return graph_ != nullptr; }
  void launch(cudaStream_t stream) const;

 private:
  friend class GraphCapture;
  cudaGraphExec_t graph_ = nullptr;
};

/// Records the work given to `stream` until finish() instead of executing it. This thread must not
/// grow buffers meanwhile. Without finish(), as after an Error, the recording is dropped.
class GraphCapture {
 public:
  explicit GraphCapture(cudaStream_t stream);
  ~GraphCapture();
  GraphCapture(const GraphCapture&) = delete;
  GraphCapture& operator=(const GraphCapture&) = delete;

  Graph finish();

 private:
  cudaStream_t stream_;
  bool capturing_ = true;
};

}  // namespace mote::cuda
