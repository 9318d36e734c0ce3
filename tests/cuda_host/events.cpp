// Events: marks in a stream's work.

#include <chrono>
#include <memory>
#include <unordered_set>

#include "device_call.h"
#include "streams.h"

namespace {

using Clock = std::chrono::steady_clock;

/// Shared with the work that marks it, which may outlive the event.
struct Mark {
  cudaStream_t stream = nullptr;        // of the last record
  std::uint64_t put = 0, passed = 0;    // number of records, and of those that the stream passed
  Clock::time_point time;               // of the last passing
  const CUgraph_st* capture = nullptr;  // that last recorded it, as an order without a time
};

}  // namespace

struct CUevent_st {
  std::shared_ptr<Mark> mark = std::make_shared<Mark>();
  bool has_time = true;
};

namespace {

using namespace cuda_host;

/// Never destroyed: statics of others may hold events.
std::unordered_set<cudaEvent_t>& events() {
  static auto& events = *new std::unordered_set<cudaEvent_t>;
  return events;
}

/// Runs the work up to record number `count`.
void advance_to(const Mark& mark, std::uint64_t count) {
  while (mark.passed < count && mark.stream != nullptr && is_stream(mark.stream) &&
         !mark.stream->work.empty()) {
    if (!advance_stream(mark.stream)) lose_to_blocked_work();
  }
}

/// Work that marks this position in the stream.
Work put_mark(const std::shared_ptr<Mark>& mark, cudaStream_t stream) {
  mark->stream = stream;
  mark->capture = nullptr;
  const auto pass = [mark, count = ++mark->put] {
    mark->passed = count;
    mark->time = Clock::now();
  };
  return {Work::Kind::wait, nullptr, pass};
}

/// Work of a graph that marks its position in the stream at each launch.
Work record_of_graph(const std::shared_ptr<Mark>& mark) {
  Work work{Work::Kind::wait, nullptr, {}};
  work.at_launch = [known = std::weak_ptr<Mark>(mark)](cudaStream_t stream) -> Work {
    if (const auto living = known.lock()) return put_mark(living, stream);
    lose_device(cudaErrorIllegalAddress, "a graph records an event that was destroyed");
    return {Work::Kind::wait, nullptr, [] {}};
  };
  return work;
}

cudaError_t create(cudaEvent_t* event, unsigned flags) {
  auto created = std::make_unique<CUevent_st>();
  created->has_time = (flags & cudaEventDisableTiming) == 0;
  *event = *events().insert(created.release()).first;
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return device_call([&] { return create(event, cudaEventDefault); });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return device_call([&] { return create(event, flags); });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return device_call([&] {
    if (events().erase(event) == 0) return cudaErrorInvalidResourceHandle;
    const std::unique_ptr<CUevent_st> owner(event);
    return cudaSuccess;
  });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecordWithFlags(event, stream, cudaEventRecordDefault);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return device_call([&] {
    if (!events().contains(event) || !is_stream(stream)) return cudaErrorInvalidResourceHandle;
    const bool captures = stream != nullptr && stream->capture;
    if (flags == cudaEventRecordExternal) {
      return captures ? submit(stream, record_of_graph(event->mark)) : cudaErrorInvalidValue;
    }
    if (flags != cudaEventRecordDefault) return cudaErrorInvalidValue;
    if (captures) {
      event->mark->capture = stream->capture.get();
      return cudaSuccess;
    }
    if (const cudaError_t status = refuse_in_capture_of(stream); status != cudaSuccess) {
      return status;
    }
    return submit(stream, put_mark(event->mark, stream));
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return device_call([&] {
    if (!events().contains(event) || !is_stream(stream)) return cudaErrorInvalidResourceHandle;
    const Mark& mark = *event->mark;
    if (stream != nullptr && stream->capture) {
      const bool same = mark.capture == stream->capture.get();
      return same ? cudaSuccess : spoil_capture(*stream, cudaErrorStreamCaptureIsolation);
    }
    // On a device this adds the stream to the capture.
    if (mark.capture != nullptr) return cudaErrorNotSupported;
    if (const cudaError_t status = refuse_in_capture_of(stream); status != cudaSuccess) {
      return status;
    }
    const auto wait = [mark = event->mark, count = mark.put] { advance_to(*mark, count); };
    return submit(stream, {Work::Kind::wait, nullptr, wait});
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return device_call([&] {
    if (!events().contains(event)) return cudaErrorInvalidResourceHandle;
    const Mark& mark = *event->mark;
    if (mark.capture != nullptr) return cudaErrorCapturedEvent;
    if (mark.passed == mark.put) return cudaSuccess;
    // A caller that polls must see it pass in the end.
    advance_stream(mark.stream);
    return mark.passed == mark.put ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return device_call([&] {
    if (!events().contains(event)) return cudaErrorInvalidResourceHandle;
    if (event->mark->capture != nullptr) return cudaErrorCapturedEvent;
    advance_to(*event->mark, event->mark->put);
    return is_device_lost() ? refusal() : cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return device_call([&] {
    if (!events().contains(start) || !events().contains(end)) return cudaErrorInvalidResourceHandle;
    for (const cudaEvent_t event : {start, end}) {
      if (event->mark->capture != nullptr) return cudaErrorCapturedEvent;
      if (!event->has_time || event->mark->put == 0) return cudaErrorInvalidResourceHandle;
    }
    for (const cudaEvent_t event : {start, end}) {
      if (event->mark->passed < event->mark->put) return cudaErrorNotReady;
    }
    const std::chrono::duration<float, std::milli> elapsed = end->mark->time - start->mark->time;
    *milliseconds = elapsed.count();
    return cudaSuccess;
  });
}
