#pragma once

// The CUDA runtime for the host side of the backend: every call checked, everything it hands out
// owned. No kernels here, and nothing that needs a driver before the first call.

#include <cuda_runtime.h>

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "core/error.h"

namespace mote::cuda {

/// A GPU as work is given to it. Which one a call to CUDA means is kept for each thread, so that
/// whoever may be called by any thread enters its own first.
class Gpu {
 public:
  /// `name` is for messages.
  Gpu(int index, const std::string& name);
  /// The one that the calling thread is in.
  static Gpu current();

  /// "device cuda:0 (NVIDIA H200)"
  const std::string& label() const { return label_; }
  /// From here on the calling thread's calls mean this one. Throws Error where it cannot be used.
  void enter() const;
  /// The same for destructors: what fails shows at the next checked call.
  void enter_quietly() const noexcept;

 private:
  Gpu() = default;

  int index_ = 0;
  std::string label_;
};

/// The label of what the calling thread is in; "device cuda" before it entered any.
const std::string& device_label();

/// Memory of the device that could not be had. The problem says how much was needed for what and
/// how much is free; whoever knows what it was part of puts what would fit into the remedy.
class OutOfMemory : public Error {
 public:
  using Error::Error;
  OutOfMemory(const OutOfMemory& other, std::string remedy)
      : Error(other.problem(), other.where(), std::move(remedy)) {}
};

/// Does the work; where memory does not suffice for it, `remedy()` takes the place of the error's,
/// once what the work took is given back.
template <class Work, class Remedy>
auto with_remedy(const Work& work, const Remedy& remedy) {
  try {
    return work();
  } catch (const OutOfMemory& error) {
    throw OutOfMemory(error, remedy());
  }
}

/// Throws DeviceLost where the device answers nothing more after such a failure, or else Error.
[[noreturn]] void fail(cudaError_t status, const char* what);

/// Throws Error where `status` is not success: that `what` failed, a phrase as in "copying the
/// scene", with CUDA's words, on which device, and what to do.
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

/// The blocks that `count` items take at `threads` a block.
constexpr unsigned blocks_for(std::size_t count, unsigned threads) {
  return static_cast<unsigned>((count + threads - 1) / threads);
}

/// Dynamic shared memory beyond this many bytes is asked for kernel by kernel.
inline constexpr std::size_t kFreelySharedBytes = 48 << 10;

/// Starts the kernel on the stream; no blocks start nothing. Throws Error where it cannot start;
/// what fails while it runs shows at a later call.
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), const LaunchShape& shape, cudaStream_t stream,
            Args&&... args) {
  if (shape.blocks == 0) return;
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

/// Bytes on the device or, pinned, on the host. Moves only.
class Memory {
 public:
  enum class Kind { device, pinned };

  /// `purpose`: what they hold, a phrase in the plural as in "splat positions"; not copied.
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
  /// Makes room for `wanted` bytes, or for half as much again as there was where that is more and
  /// to be had. What was there is lost when it grows, freed before the new is taken, so that both
  /// need not fit; for that it waits for the device. Throws Error where memory does not suffice,
  /// OutOfMemory where it is the device's; then there is none.
  void grow_discard(std::size_t wanted);
  void release() noexcept;

 private:
  cudaError_t allocate(std::size_t bytes);

  Kind kind_;
  const char* purpose_;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// An array of plain values in Memory, of which size() count.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// How many fit without growing.
  std::size_t capacity() const { return memory_.bytes() / sizeof(T); }
  std::size_t bytes() const { return memory_.bytes(); }
  /// Makes room for `count`. Where it grows, by half at least, it holds none afterwards: contents
  /// are lost, and it waits for the device. Throws Error where memory does not suffice.
  void reserve_discard(std::size_t count) {
    CHECK(count <= std::numeric_limits<std::size_t>::max() / sizeof(T));
    if (count <= capacity()) return;
    size_ = 0;
    memory_.grow_discard(count * sizeof(T));
  }
  /// Holds `count`, whose values are whatever memory has; never shrinks what is allocated.
  void resize_discard(std::size_t count) {
    reserve_discard(count);
    size_ = count;
  }
  /// Gives the memory back.
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
  /// `purpose`: what it holds, for messages about memory: "splat positions". Not copied.
  explicit DeviceBuffer(const char* purpose) : Array<T>(Memory::Kind::device, purpose) {}

  T* data() { return this->values(); }
  const T* data() const { return this->values(); }

  /// Copies `from` to the elements from `first` on, in the stream's order. From pinned memory it
  /// returns at once: `from` must stay as it is until the stream has come there.
  void upload(std::span<const T> from, cudaStream_t stream, std::size_t first = 0) {
    CHECK(first <= this->size() && from.size() <= this->size() - first);
    if (from.empty()) return;
    check(cudaMemcpyAsync(data() + first, from.data(), from.size_bytes(), cudaMemcpyHostToDevice,
                          stream),
          "copying to the device");
  }
  /// Copies the elements from `first` on into `to`, in the stream's order. Into pinned memory it
  /// returns at once: `to` holds them when the stream has come there.
  void download(std::span<T> to, cudaStream_t stream, std::size_t first = 0) const {
    CHECK(first <= this->size() && to.size() <= this->size() - first);
    if (to.empty()) return;
    check(
        cudaMemcpyAsync(to.data(), data() + first, to.size_bytes(), cudaMemcpyDeviceToHost, stream),
        "copying from the device");
  }
  /// Holds what `from` holds, in the stream's order.
  void copy(const DeviceBuffer& from, cudaStream_t stream) {
    this->resize_discard(from.size());
    if (from.empty()) return;
    check(cudaMemcpyAsync(data(), from.data(), from.size() * sizeof(T), cudaMemcpyDeviceToDevice,
                          stream),
          "copying on the device");
  }
  /// Sets every byte of all elements to `byte`, in the stream's order.
  void fill_bytes(unsigned char byte, cudaStream_t stream) {
    if (this->empty()) return;
    check(cudaMemsetAsync(data(), byte, this->size() * sizeof(T), stream), "clearing memory");
  }
};

/// An array on the host that the device copies from and to while the caller goes on.
template <class T>
class PinnedBuffer : public Array<T> {
 public:
  /// `purpose`: what it holds, for messages about memory. Not copied.
  explicit PinnedBuffer(const char* purpose) : Array<T>(Memory::Kind::pinned, purpose) {}

  T* data() { return this->values(); }
  const T* data() const { return this->values(); }
  std::span<T> span() { return {data(), this->size()}; }
  std::span<const T> span() const { return {data(), this->size()}; }
};

/// What an event is for: timing costs a little at each record.
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
  /// To be recorded whenever the graph that the stream is capturing comes here; only then can it be
  /// waited for and timed.
  void record_in_graph(cudaStream_t stream);
  /// Waits, on the host, until the stream has come here.
  void synchronize() const;
  /// Milliseconds from `start` to here; both with EventUse::timing, recorded, and reached.
  float elapsed_ms(const Event& start) const;

 private:
  cudaEvent_t event_ = nullptr;
};

/// Work in order, beside the default stream and not waiting for it.
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
  /// Waits, on the host, for all work so far. Throws Error for what failed in it.
  void synchronize() const;
  /// Work that follows starts when `event`, as last recorded, is reached.
  void wait(const Event& event) const;

 private:
  cudaStream_t stream_ = nullptr;
};

/// Work that was captured, to be started as a whole.
class Graph {
 public:
  /// Holds nothing; launching it is a fault of the programmer.
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

/// Work given to `stream`, from here to finish(), is recorded and not done. Buffers must not grow
/// meanwhile, in this thread. Unfinished, as when an Error passes, the recording is dropped.
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
