#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/mailbox.h"
#include "io/splats/scene_format.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Reads and keeps frames of a sequence, on a thread that it owns. It reads the wanted frame first,
/// then the frames after it (cyclic), up to the memory limit. It evicts the frames that will be
/// needed last. A frame that cannot be read is reported once and then skipped.
class FrameStore {
 public:
  /// Reads one frame. Throws Error. `progress` throws to stop the reading.
  using Read = std::function<SplatCloud(std::size_t frame, const ProgressCallback& progress)>;
  using Kept = std::shared_ptr<const SplatCloud>;

  /// Reads nothing before the first want(). `bytes`: memory limit for the splats of all kept
  /// frames. The wanted frame and the frame read last are kept in any case.
  FrameStore(std::size_t frames, std::size_t bytes, Read read);
  /// Stops the current read.
  ~FrameStore();
  FrameStore(const FrameStore&) = delete;
  FrameStore& operator=(const FrameStore&) = delete;

  void set_memory_bytes(std::size_t bytes);
  void want(std::size_t frame);
  /// Adds a frame that is already read.
  void put(std::size_t frame, Kept cloud);

  /// Null if the frame is not kept.
  Kept find(std::size_t frame) const;
  /// Whether reading the frame failed.
  bool broken(std::size_t frame) const;
  /// One flag per frame: whether it is kept.
  std::vector<bool> kept() const;
  std::vector<std::string> take_faults() { return faults_.take(); }

 private:
  void work();
  std::optional<std::size_t> next_to_read() const;
  void evict();
  /// The index `distance` frames after the wanted frame, cyclic.
  std::size_t ahead(std::size_t distance) const { return (*wanted_ + distance) % frames_.size(); }

  const Read read_;
  Mailbox<std::string> faults_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Kept> frames_;  // null: not kept
  std::vector<bool> broken_;
  std::size_t bytes_;
  std::size_t largest_ = 0;  // size of the largest frame so far, bytes
  std::optional<std::size_t> wanted_, newest_;
  bool stopping_ = false;
  std::atomic<bool> stop_reading_{false};
  std::thread thread_;  // last member: the thread uses all of the above
};

}  // namespace mote
