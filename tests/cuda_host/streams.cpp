#include "streams.h"

#include <algorithm>
#include <utility>

#include "device_call.h"
#include "schedule.h"

namespace cuda_host {
namespace {

thread_local cudaStreamCaptureMode thread_capture_mode = cudaStreamCaptureModeGlobal;

/// In the order of their creation. Never destroyed: statics of others may hold streams.
std::vector<std::unique_ptr<CUstream_st>>& streams() {
  static auto& streams = *new std::vector<std::unique_ptr<CUstream_st>>;
  return streams;
}

cudaError_t device_status() {
  return is_device_lost() ? refusal() : cudaSuccess;
}

/// Does all work of these streams; if the order is to be shuffled, the next stream is chosen at
/// random.
cudaError_t finish(std::vector<cudaStream_t> open) {
  Draw draw(machine().schedule_seed);
  bool advanced = true;
  while (!open.empty()) {
    if (!advanced) lose_to_blocked_work();
    advanced = false;
    for (std::vector<cudaStream_t> going = open; !going.empty();) {
      const unsigned at =
          machine().schedule_seed == 0 ? 0 : draw.below(static_cast<unsigned>(going.size()));
      if (advance_stream(going[at])) {
        advanced = true;
      } else {
        going.erase(going.begin() + at);
      }
    }
    std::erase_if(open, [](cudaStream_t stream) { return stream->work.empty(); });
  }
  return device_status();
}

cudaError_t finish_those_that_wait_for_default() {
  std::vector<cudaStream_t> open;
  for (const auto& stream : streams()) {
    if (stream->waits_for_default) open.push_back(stream.get());
  }
  return finish(std::move(open));
}

std::vector<WorkNote>& notes() {
  static std::vector<WorkNote> notes;
  return notes;
}

void note_work(WorkNote::What what, const Work& work, cudaStream_t stream) {
  if (!machine().logs_work) return;
  notes().push_back({what, work.kind, stream, work.bytes, work.from_pinned});
}

void do_work(const Work& work, cudaStream_t stream) {
  work.run();
  note_work(WorkNote::What::done, work, stream);
}

cudaError_t create(cudaStream_t* stream, unsigned flags) {
  auto created = std::make_unique<CUstream_st>();
  created->device = current_device();
  created->waits_for_default = (flags & cudaStreamNonBlocking) == 0;
  *stream = created.get();
  streams().push_back(std::move(created));
  return cudaSuccess;
}

}  // namespace

bool is_stream(cudaStream_t stream) {
  return stream == nullptr || std::any_of(streams().begin(), streams().end(),
                                          [&](const auto& s) { return s.get() == stream; });
}

void forget_streams() {
  streams().clear();
}

bool takes_launches(cudaStream_t stream) {
  return stream == nullptr || (is_stream(stream) && stream->device == current_device());
}

bool advance_stream(cudaStream_t stream) {
  if (stream->work.empty()) return false;
  const Work& next = stream->work.front();
  if (!is_device_lost() && next.is_blocked && next.is_blocked()) return false;
  const Work work = std::move(stream->work.front());
  stream->work.pop_front();
  if (!is_device_lost()) do_work(work, stream);
  return true;
}

void lose_to_blocked_work() {
  lose_device(cudaErrorLaunchTimeout, "a timeline never reaches the awaited value");
}

cudaError_t finish_stream(cudaStream_t stream) {
  return stream == nullptr ? finish_those_that_wait_for_default() : finish({stream});
}

cudaError_t finish_all_streams() {
  std::vector<cudaStream_t> all;
  for (const auto& stream : streams()) all.push_back(stream.get());
  return finish(std::move(all));
}

cudaError_t spoil_capture(CUstream_st& stream, cudaError_t status) {
  stream.capture_invalid = true;
  return status;
}

std::vector<WorkNote> work_log() {
  const std::lock_guard lock(device_mutex());
  return notes();
}

void forget_work_log() {
  notes().clear();
}

bool captures(cudaStream_t stream) {
  return stream != nullptr && is_stream(stream) && stream->capture != nullptr;
}

bool is_capture_relaxed() {
  return thread_capture_mode == cudaStreamCaptureModeRelaxed;
}

cudaError_t refuse_in_capture() {
  for (const auto& stream : streams()) {
    if (stream->capture && stream->capture_mode != cudaStreamCaptureModeRelaxed) {
      return spoil_capture(*stream, cudaErrorStreamCaptureUnsupported);
    }
  }
  return cudaSuccess;
}

cudaError_t refuse_in_capture_of(cudaStream_t stream) {
  if (stream == nullptr) {
    for (const auto& other : streams()) {
      if (other->capture && other->waits_for_default) {
        return spoil_capture(*other, cudaErrorStreamCaptureImplicit);
      }
    }
    return cudaSuccess;
  }
  return stream->capture ? spoil_capture(*stream, cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

cudaError_t submit(cudaStream_t stream, Work work) {
  if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
  if (stream == nullptr) {
    cudaError_t status = refuse_in_capture_of(nullptr);
    if (status == cudaSuccess) status = finish_those_that_wait_for_default();
    if (status != cudaSuccess) return status;
    note_work(WorkNote::What::given, work, stream);
    do_work(work, stream);
    return cudaSuccess;  // the next call reports a fault
  }
  if (stream->capture) {
    if (stream->capture_invalid) return cudaErrorStreamCaptureInvalidated;
    stream->capture->work.push_back(std::move(work));
    return cudaSuccess;
  }
  note_work(WorkNote::What::given, work, stream);
  stream->work.push_back(std::move(work));
  while (!machine().lazy_streams && advance_stream(stream)) {
  }
  return cudaSuccess;
}

}  // namespace cuda_host

using namespace cuda_host;

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return device_call([&] { return create(stream, cudaStreamDefault); });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return device_call([&] { return create(stream, flags); });
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return device_call([&] { return create(stream, flags); });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return device_call([&] {
    if (stream == nullptr || !is_stream(stream)) return cudaErrorInvalidResourceHandle;
    const cudaError_t status = finish_stream(stream);
    std::erase_if(streams(), [&](const auto& s) { return s.get() == stream; });
    return status;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return device_call([&] {
    if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
    const cudaError_t status = refuse_in_capture_of(stream);
    return status == cudaSuccess ? finish_stream(stream) : status;
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return device_call([&] {
    if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t status = refuse_in_capture_of(stream); status != cudaSuccess) {
      return status;
    }
    if (stream == nullptr) return finish_stream(stream);
    // A caller that polls must see it finish in the end.
    advance_stream(stream);
    return stream->work.empty() ? device_status() : cudaErrorNotReady;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return device_call([&] {
    for (const auto& stream : streams()) {
      if (stream->capture) return spoil_capture(*stream, cudaErrorStreamCaptureUnsupported);
    }
    return finish_all_streams();
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return device_call([&] {
    std::swap(*mode, thread_capture_mode);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return device_call([&] {
    if (stream == nullptr) return cudaErrorStreamCaptureUnsupported;
    if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (stream->capture) return cudaErrorStreamCaptureUnmatched;
    stream->capture = std::make_unique<CUgraph_st>();
    stream->capture_mode = mode;
    stream->capture_invalid = false;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  *graph = nullptr;
  return device_call([&] {
    if (stream == nullptr || !is_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (!stream->capture) return cudaErrorStreamCaptureUnmatched;
    std::unique_ptr<CUgraph_st> captured = std::move(stream->capture);
    if (stream->capture_invalid) return cudaErrorStreamCaptureInvalidated;
    *graph = captured.release();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return device_call([&] {
    if (!is_stream(stream)) return cudaErrorInvalidResourceHandle;
    *status = stream == nullptr || !stream->capture ? cudaStreamCaptureStatusNone
              : stream->capture_invalid             ? cudaStreamCaptureStatusInvalidated
                                                    : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}
