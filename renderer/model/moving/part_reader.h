#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "backend/backend.h"
#include "backend/drawable_splats.h"
#include "splats/motion_trails.h"

namespace mote {

/// A part of a scene, ready to be drawn.
struct ReadPart {
  ReadPart(SplatCloud cloud, ThreadPool& pool, SplatOrder order,
           std::shared_ptr<const MotionTrails> ways = nullptr)
      : splats(std::move(cloud), pool, order), trails(std::move(ways)) {}

  DrawableSplats splats;
  std::shared_ptr<const MotionTrails> trails;  // null: not wanted
  StreamWork work;                             // of this part
};

/// Reads parts of a scene on threads that it owns, and prepares them for drawing. A few parts that
/// nobody takes are kept; then the threads wait.
class PartReader {
 public:
  using Read = std::function<std::unique_ptr<ReadPart>(std::uint32_t part)>;
  struct Done {
    std::uint32_t part;
    std::unique_ptr<ReadPart> read;
  };

  /// `read` is called by several threads at a time.
  PartReader(int threads, Read read);
  ~PartReader();
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;

  /// Replaces the parts to read, the most urgent first. Parts that were read and are not among them
  /// are dropped.
  void want(std::span<const std::uint32_t> parts);
  /// The parts that were read since the last call. Each is given once.
  std::vector<Done> take();
  /// Waits until take() has something or a part could not be read, at most `seconds`.
  void wait(double seconds);
  /// Throws the error of reading the part, if there was one. It is not read again.
  void check(std::uint32_t part) const;

 private:
  void work();
  bool has_work() const;

  const Read read_;
  const std::size_t most_held_;
  mutable std::mutex mutex_;
  std::condition_variable wanted_changed_, done_changed_;
  std::deque<std::uint32_t> wanted_;
  std::vector<std::uint32_t> in_work_;
  std::vector<Done> done_;
  std::map<std::uint32_t, std::exception_ptr> broken_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // last member: the threads use all of the above
};

}  // namespace mote
