#include "cuda/runtime/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <compare>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "core/machine.h"

namespace mote::cuda {
namespace {

// Stored, since CUDA answers no query after a kernel fault.
thread_local std::string entered_label = "device cuda";

/// Whether some device has worked in this process. Before, an error is a reason why none can.
std::atomic<bool> had_context = false;

/// Whether the device is known to return this error for every later call of this process.
bool stays(cudaError_t status) {
  switch (status) {
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorLaunchFailure:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

/// While it lives, the calling thread may make calls that a capture of its work forbids.
class RelaxedCapture {
 public:
  RelaxedCapture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  ~RelaxedCapture() { static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode_)); }
  RelaxedCapture(const RelaxedCapture&) = delete;
  RelaxedCapture& operator=(const RelaxedCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// Whether the device will return an error for every later call of this process. The codes of
/// newer CUDA versions are unknown here, so the device is asked.
bool is_lost(cudaError_t status) {
  if (stays(status)) return true;
  if (!had_context || status == cudaErrorMemoryAllocation) return false;
  const RelaxedCapture relaxed;
  std::size_t free_bytes = 0, total_bytes = 0;
  const bool answers = cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess;
  cudaGetLastError();
  return !answers;
}

/// The remedy for a failed call.
const char* remedy_for(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return "use fewer splats or a smaller size, end other programs on the device, or use "
             "--device cpu";
    case cudaErrorInsufficientDriver:
      return "install a newer NVIDIA driver, or use --device cpu";
    case cudaErrorNoDevice:
    case cudaErrorInvalidDevice:
      return "`mote devices` lists the devices; --device cpu works everywhere";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
      return "build Mote for this device (-DMOTE_CUDA_ARCHITECTURES=native), install a newer "
             "driver, or use --device cpu";
    case cudaErrorLaunchTimeout:
      return "a device that also drives a display stops long work: use a smaller size, another "
             "device, or --device cpu";
    case cudaErrorDevicesUnavailable:
      return "another program uses the device exclusively: end it, use another device, or use "
             "--device cpu";
    default:
      return "start again; if it fails again, use --device cpu and report it";
  }
}

/// Throws for a failed allocation of `bytes` of host memory for `purpose`.
[[noreturn]] void fail_out_of_pinned(std::size_t bytes, const char* purpose) {
  throw Error(fmt::format("out of pinned host memory: {} are needed for {}, but {} are available",
                          bytes_text(bytes), purpose, bytes_text(this_machine().available_bytes)),
              device_label(),
              "end other programs, lower --memory, or reduce photographs with --resize");
}

/// Throws for a failed allocation of `bytes` of device memory for `purpose`.
[[noreturn]] void fail_out_of_memory(std::size_t bytes, const char* purpose) {
  std::size_t free_bytes = 0, total_bytes = 0;
  const std::string free_text =
      cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess
          ? fmt::format("{} of {} free", bytes_text(free_bytes), bytes_text(total_bytes))
          : "the amount of free memory is unknown";
  throw OutOfMemory(fmt::format("out of device memory: {} are needed for {}, {}", bytes_text(bytes),
                                purpose, free_text),
                    device_label(), remedy_for(cudaErrorMemoryAllocation));
}

struct KernelOnDevice {
  int device;
  const void* kernel;
  auto operator<=>(const KernelOnDevice&) const = default;
};

KernelOnDevice on_current_device(const void* kernel, const char* name) {
  int device = 0;
  check(cudaGetDevice(&device), name);
  return {device, kernel};
}

}  // namespace

void load_kernel(const void* kernel, const char* name) {
  static std::mutex mutex;
  static std::set<KernelOnDevice> loaded;
  const KernelOnDevice key = on_current_device(kernel, name);
  const std::lock_guard lock(mutex);
  if (loaded.contains(key)) return;
  const RelaxedCapture relaxed;
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), name);
  loaded.insert(key);
}

unsigned resident_blocks(const void* kernel, unsigned threads, const char* name) {
  static std::mutex mutex;
  static std::map<std::pair<KernelOnDevice, unsigned>, unsigned> known;
  const std::pair key(on_current_device(kernel, name), threads);
  const std::lock_guard lock(mutex);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  int multiprocessors = 0, each = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, key.first.device),
        name);
  check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, static_cast<int>(threads), 0),
        name);
  const auto blocks = static_cast<unsigned>(std::max(1, multiprocessors * each));
  known.emplace(key, blocks);
  return blocks;
}

Gpu::Gpu(int index, const std::string& name)
    : index_(index), label_(fmt::format("device cuda:{} ({})", index, name)) {}

Gpu Gpu::current() {
  Gpu gpu;
  check(cudaGetDevice(&gpu.index_), "querying the current device");
  gpu.label_ = entered_label;
  return gpu;
}

void Gpu::enter() const {
  entered_label = label_;
  int current = -1;
  check(cudaGetDevice(&current), "selecting the device");
  if (current != index_) check(cudaSetDevice(index_), "selecting the device");
}

void Gpu::enter_quietly() const noexcept {
  int current = -1;
  if (cudaGetDevice(&current) != cudaSuccess || current == index_) return;
  static_cast<void>(cudaSetDevice(index_));
}

const std::string& device_label() {
  return entered_label;
}

void fail(cudaError_t status, const char* what) {
  cudaGetLastError();
  const std::string problem =
      fmt::format("{} failed: {} ({})", what, cudaGetErrorString(status), cudaGetErrorName(status));
  if (is_lost(status)) throw DeviceLost(problem, device_label(), remedy_for(status));
  throw Error(problem, device_label(), remedy_for(status));
}

Memory& Memory::operator=(Memory&& other) noexcept {
  if (this == &other) return *this;
  release();
  kind_ = other.kind_;
  purpose_ = other.purpose_;
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

void Memory::release() noexcept {
  if (data_ == nullptr) return;
  // An error here is reported by the next checked call.
  static_cast<void>(kind_ == Kind::device ? cudaFree(data_) : cudaFreeHost(data_));
  data_ = nullptr;
  bytes_ = 0;
}

cudaError_t Memory::allocate(std::size_t bytes) {
  const cudaError_t status =
      kind_ == Kind::device ? cudaMalloc(&data_, bytes) : cudaMallocHost(&data_, bytes);
  if (status == cudaSuccess) {
    bytes_ = bytes;
  } else {
    data_ = nullptr;
    cudaGetLastError();
  }
  return status;
}

void Memory::grow_discard(std::size_t wanted) {
  if (wanted <= bytes_) return;
  const std::size_t generous = std::max(wanted, bytes_ + bytes_ / 2);
  release();
  cudaError_t status = allocate(generous);
  if (status == cudaErrorMemoryAllocation && generous > wanted) status = allocate(wanted);
  if (status == cudaErrorMemoryAllocation) {
    if (kind_ == Kind::pinned) fail_out_of_pinned(wanted, purpose_);
    fail_out_of_memory(wanted, purpose_);
  }
  check(status, "allocating memory");
}

Event::Event(EventUse use) {
  check(cudaEventCreateWithFlags(
            &event_, use == EventUse::timing ? cudaEventDefault : cudaEventDisableTiming),
        "creating an event");
}

Event::~Event() {
  if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
}

void Event::record(cudaStream_t stream) {
  check(cudaEventRecord(event_, stream), "recording an event");
}

void Event::record_in_graph(cudaStream_t stream) {
  check(cudaEventRecordWithFlags(event_, stream, cudaEventRecordExternal), "recording an event");
}

void Event::synchronize() const {
  check(cudaEventSynchronize(event_), "waiting for the device");
}

float Event::elapsed_ms(const Event& start) const {
  float elapsed = 0;
  check(cudaEventElapsedTime(&elapsed, start.event_, event_), "measuring time");
  return elapsed;
}

Stream::Stream() {
  check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "creating a stream");
  had_context = true;
}

Stream::~Stream() {
  if (stream_ != nullptr) static_cast<void>(cudaStreamDestroy(stream_));
}

void Stream::synchronize() const {
  check(cudaStreamSynchronize(stream_), "work on the device");
}

void Stream::wait(const Event& event) const {
  check(cudaStreamWaitEvent(stream_, event.get(), 0), "waiting for another stream");
}

Graph::~Graph() {
  if (graph_ != nullptr) static_cast<void>(cudaGraphExecDestroy(graph_));
}

void Graph::launch(cudaStream_t stream) const {
  CHECK(graph_ != nullptr);
  check(cudaGraphLaunch(graph_, stream), "starting captured work");
}

GraphCapture::GraphCapture(cudaStream_t stream) : stream_(stream) {
  // Other threads may allocate memory during the capture.
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "capturing work");
}

GraphCapture::~GraphCapture() {
  if (!capturing_) return;
  cudaGraph_t graph = nullptr;
  static_cast<void>(cudaStreamEndCapture(stream_, &graph));
  if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
  cudaGetLastError();
}

Graph GraphCapture::finish() {
  CHECK(capturing_);
  capturing_ = false;
  cudaGraph_t captured = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream_, &captured);
  if (ended != cudaSuccess && captured != nullptr) static_cast<void>(cudaGraphDestroy(captured));
  check(ended, "capturing work");
  Graph graph;
  const cudaError_t made = cudaGraphInstantiate(&graph.graph_, captured, 0);
  static_cast<void>(cudaGraphDestroy(captured));
  check(made, "preparing captured work");
  return graph;
}

}  // namespace mote::cuda
