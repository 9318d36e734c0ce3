#include "model/moving/frame_store.h"

#include <algorithm>

#include "core/error.h"
#include "core/interrupt.h"
#include "core/worker_fault.h"

namespace mote {

FrameStore::FrameStore(std::size_t frames, std::size_t bytes, Read read)
    : read_(std::move(read)), frames_(frames), broken_(frames), bytes_(bytes) {
  CHECK(frames > 0);
  thread_ = std::thread([this] { work(); });
}

FrameStore::~FrameStore() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    stop_reading_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FrameStore::set_memory_bytes(std::size_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    if (bytes == bytes_) return;
    bytes_ = bytes;
    evict();
  }
  changed_.notify_all();
}

void FrameStore::want(std::size_t frame) {
  {
    const std::lock_guard lock(mutex_);
    CHECK(frame < frames_.size());
    if (wanted_ == frame) return;
    wanted_ = frame;
  }
  changed_.notify_all();
}

void FrameStore::put(std::size_t frame, Kept cloud) {
  {
    const std::lock_guard lock(mutex_);
    largest_ = std::max(largest_, cloud->memory_bytes());
    frames_.at(frame) = std::move(cloud);
    newest_ = frame;
    evict();
  }
  changed_.notify_all();
}

FrameStore::Kept FrameStore::find(std::size_t frame) const {
  const std::lock_guard lock(mutex_);
  return frames_.at(frame);
}

bool FrameStore::broken(std::size_t frame) const {
  const std::lock_guard lock(mutex_);
  return broken_.at(frame);
}

std::vector<bool> FrameStore::kept() const {
  const std::lock_guard lock(mutex_);
  std::vector<bool> flags(frames_.size());
  for (std::size_t i = 0; i < flags.size(); ++i) flags[i] = frames_[i] != nullptr;
  return flags;
}

/// The first missing frame in playback order, among those that fit into memory.
std::optional<std::size_t> FrameStore::next_to_read() const {
  if (!wanted_) return {};
  std::size_t used = 0;
  for (std::size_t distance = 0; distance < frames_.size(); ++distance) {
    const std::size_t frame = ahead(distance);
    if (broken_[frame]) continue;
    if (frames_[frame] == nullptr) {
      const bool fits = distance == 0 || used + largest_ <= bytes_;
      return fits ? std::optional(frame) : std::nullopt;
    }
    used += frames_[frame]->memory_bytes();
    if (used > bytes_) return {};
  }
  return {};
}

void FrameStore::evict() {
  if (!wanted_) return;
  std::size_t used = 0;
  for (std::size_t distance = 0; distance < frames_.size(); ++distance) {
    const std::size_t frame = ahead(distance);
    if (frames_[frame] == nullptr) continue;
    const std::size_t bytes = frames_[frame]->memory_bytes();
    if (used + bytes > bytes_ && distance > 0 && frame != newest_) {
      frames_[frame].reset();
    } else {
      used += bytes;
    }
  }
}

void FrameStore::work() {
  const auto progress = [this](double) {
    if (stop_reading_) throw Interrupted{};
  };
  std::unique_lock lock(mutex_);
  for (;;) {
    std::optional<std::size_t> next;
    changed_.wait(lock, [&] { return stopping_ || (next = next_to_read()).has_value(); });
    if (stopping_) return;
    lock.unlock();
    Kept cloud;
    std::optional<std::string> fault;
    try {
      fault = fault_of([&] { cloud = std::make_shared<const SplatCloud>(read_(*next, progress)); });
    } catch (const Interrupted&) {
      return;  // only the destructor stops the reading
    }
    lock.lock();
    if (fault) {
      broken_[*next] = true;
      faults_.put(*fault);
      continue;
    }
    largest_ = std::max(largest_, cloud->memory_bytes());
    frames_[*next] = std::move(cloud);
    newest_ = *next;
    evict();
  }
}

}  // namespace mote
