// Events: marks in the work of a stream.

#include <chrono>
#include <memory>
#include <unordered_set>

#include "device_call.h"
#include "streams.h"

namespace {

using Clock = std::chrono::steady_clock;

/// Shared with the work that marks it, which may be left when the event is destroyed.
struct Mark {
  cudaStream_t stream = nullptr;      // where it was last put
  std::uint64_t put = 0, passed = 0;  // how often
  Clock::time_point time;             // of the last passing
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

/// Does the work up to the mark's putting number `count`.
void advance_to(const Mark& mark, std::uint64_t count) {
  while (mark.passed < count && is_stream(mark.stream) && advance_stream(mark.stream)) {
  }
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
  return device_call([&] {
    if (!events().contains(event) || !is_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t status = refuse_in_capture_of(stream); status != cudaSuccess) {
      return status;
    }
    event->mark->stream = stream;
    const auto pass = [mark = event->mark, count = ++event->mark->put] {
      mark->passed = count;
      mark->time = Clock::now();
    };
    return submit(stream, {Work::Kind::wait, nullptr, pass});
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return device_call([&] {
    if (!events().contains(event) || !is_stream(stream)) return cudaErrorInvalidResourceHandle;
    if (const cudaError_t status = refuse_in_capture_of(stream); status != cudaSuccess) {
      return status;
    }
    const auto wait = [mark = event->mark, count = event->mark->put] { advance_to(*mark, count); };
    return submit(stream, {Work::Kind::wait, nullptr, wait});
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  return device_call([&] {
    if (!events().contains(event)) return cudaErrorInvalidResourceHandle;
    const Mark& mark = *event->mark;
    if (mark.passed == mark.put) return cudaSuccess;
    // Whoever asks again and again must see it pass.
    advance_stream(mark.stream);
    return mark.passed == mark.put ? cudaSuccess : cudaErrorNotReady;
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return device_call([&] {
    if (!events().contains(event)) return cudaErrorInvalidResourceHandle;
    advance_to(*event->mark, event->mark->put);
    return is_device_lost() ? refusal() : cudaSuccess;
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return device_call([&] {
    if (!events().contains(start) || !events().contains(end)) return cudaErrorInvalidResourceHandle;
    for (const cudaEvent_t event : {start, end}) {
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
