#pragma once

#include <atomic>

#include "io/splats/splat_sequence.h"
#include "model/moving/frame_store.h"
#include "model/moving/moving_scene.h"

namespace mote {

/// Reads the frames of a sequence, one at a time. It opens a sequence in one file at once, and
/// throws Error if that is damaged.
FrameStore::Read frame_reader(const SplatSequence& sequence, const ProgressCallback& progress = {});

/// A folder of splat files, one per frame, or a file of frames. Frame k starts at k / rate seconds.
class SequenceScene : public MovingScene {
 public:
  static constexpr double kUsualRate = 30;  // frames a second
  static constexpr std::size_t kUsualBytes = std::size_t{1} << 30;

  /// `first`: the first frame; it may be null, but look_at() requires it.
  explicit SequenceScene(const SplatSequence& sequence,
                         std::shared_ptr<const SplatCloud> first = nullptr);
  /// Frames from another source than files.
  SequenceScene(SplatSequence sequence, std::shared_ptr<const SplatCloud> first,
                FrameStore::Read read);

  TimeRange range() const override;
  double frames_per_second() const override { return rate_; }
  void set_frames_per_second(double rate) override;
  void set_memory_bytes(std::size_t bytes) override { store_.set_memory_bytes(bytes); }
  Moment look_at(const ViewTime& time) override;
  std::vector<std::string> take_faults() override;
  std::uint64_t moment_at(double time_s) const override;
  SplatCloud splats_at(double time_s) const override;
  std::string name_at(double time_s) const override;
  std::vector<TimeSpan> ready() const override;

 private:
  std::size_t whole_frame(std::size_t frame) const;
  void show_newest(std::size_t wanted);

  SplatSequence sequence_;
  std::atomic<double> rate_{kUsualRate};
  FrameStore::Read read_;
  std::size_t shown_ = 0;  // index of a frame
  std::shared_ptr<const SplatCloud> splats_;
  FrameStore store_;
};

}  // namespace mote
