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

#include "app/viewer/mailbox.h"
#include "io/scene_format.h"
#include "scene/splat_cloud.h"

namespace mote {

/// Frames of a sequence as they are read on a thread of its own: the one that is wanted, then those
/// behind it, the first ones behind the last, as many as the memory allows. Of what is read the
/// frames that will be wanted last go first. A frame that cannot be read is told once and then left
/// out.
class FrameStore {
 public:
  /// Reads one frame. Throws Error; `progress` throws where reading is to stop.
  using Read = std::function<SplatCloud(std::size_t frame, const ProgressCallback& progress)>;
  using Kept = std::shared_ptr<const SplatCloud>;

  /// Reads nothing before something is wanted. `bytes`: of splats, for all frames that are kept;
  /// the one that is wanted and the one that was read last are kept in any case.
  FrameStore(std::size_t frames, std::size_t bytes, Read read);
  /// Stops what is being read.
  ~FrameStore();
  FrameStore(const FrameStore&) = delete;
  FrameStore& operator=(const FrameStore&) = delete;

  void set_memory_bytes(std::size_t bytes);
  void want(std::size_t frame);
  /// Takes in a frame that is read already.
  void put(std::size_t frame, Kept cloud);

  /// Null where it is not kept.
  Kept find(std::size_t frame) const;
  /// It was tried, and cannot be read.
  bool broken(std::size_t frame) const;
  /// A flag a frame: whether it is kept.
  std::vector<bool> kept() const;
  std::vector<std::string> take_faults() { return faults_.take(); }

 private:
  void work();
  std::optional<std::size_t> next_to_read() const;
  void make_room();
  /// The frame that is wanted `distance` frames after the one that is wanted now.
  std::size_t ahead(std::size_t distance) const { return (*wanted_ + distance) % frames_.size(); }

  const Read read_;
  Mailbox<std::string> faults_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Kept> frames_;  // null: not kept
  std::vector<bool> broken_;
  std::size_t bytes_;
  std::size_t largest_ = 0;  // bytes of a frame that was read
  std::optional<std::size_t> wanted_, newest_;
  bool stopping_ = false;
  std::atomic<bool> stop_reading_{false};
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace mote
