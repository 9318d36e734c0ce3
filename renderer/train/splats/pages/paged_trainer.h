#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/splat_trainer.h"
#include "core/error.h"
#include "scene/time_window.h"
#include "train/splats/pages/splat_pages.h"

namespace mote {

/// Trains more splats than fit into memory: those of one window of time are in the memory of a
/// trainer of the device, the others rest in a file. Splats that rest are not seen in the window,
/// so that a step does to the others as it would with all of them in memory: Adam and the
/// regularisers change visible splats only. count(), statistics and changes are of the splats in
/// memory; before the first call of open(), there are none. Pictures and gradients of other moments
/// are made of copies of their splats, and change nothing.
class PagedTrainer : public SplatTrainer {
 public:
  /// `most_in_memory`: splats. The backend must outlive this.
  PagedTrainer(Backend& backend, std::shared_ptr<SplatPages> pages, const TrainerSettings& settings,
               std::size_t most_in_memory);

  /// As Learner::windows(). Throws Error if the splats of a moment do not fit, before the first
  /// call of open().
  std::vector<std::size_t> windows(std::span<const double> times_s);
  /// Whether open() must be called before a step at the time.
  bool must_open(const TimeWindow& window, double time_s) const;
  /// Brings the splats of the window into memory and puts the others back, and reorders them. If
  /// the splats of the window do not fit because lives got longer since windows(), only a part of
  /// it around the time is opened. If not even the splats of the moment fit, those rest whose lives
  /// end soonest, with a warning. Throws Error if the disk fails.
  void open(const TimeWindow& window, double time_s);
  /// Lets the system read the pages of a window ahead.
  void announce(const TimeWindow& window) const;

  /// All splats, those that rest, the upper bound of those in memory, and the most that there were.
  std::size_t total() const { return resting_ + count(); }
  std::size_t resting() const { return resting_; }
  std::size_t most_in_memory() const { return most_pages_ * kRestingPage; }
  std::size_t peak_in_memory() const { return peak_; }
  /// Number of calls of open().
  std::uint64_t exchanges() const { return exchanges_; }
  /// The pages, with the current values of all splats.
  std::shared_ptr<const SplatPages> pages() const;

  SplatKind kind() const override { return trainer_->kind(); }
  std::size_t count() const override { return open_ ? trainer_->count() : 0; }
  StepResult step(const StepRequest& request) override;
  SplatCloud gradients(const StepRequest& request, StepResult& result) override;
  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override;
  DensityStatistics statistics() const override { return trainer_->statistics(); }
  void clear_statistics() override;
  std::vector<SplatGeometry> geometry() const override { return trainer_->geometry(); }
  std::vector<MotionValues> motions() const override { return trainer_->motions(); }
  void edit(const DensityEdit& edit) override;
  void reorder() override;
  void limit_opacity(float most) override;
  SplatCloud cloud() override;
  void save(ByteSink& sink) const override;
  void restore(ByteSource& source) override;
  bool is_whole() const override { return is_whole_ && trainer_->is_whole(); }
  std::size_t memory_bytes() const override;
  TrainerMemory host_memory() const override;

 private:
  /// A copy of the splats of some moments, on the device.
  struct Picture {
    TimeWindow window;
    std::size_t bytes;
    std::unique_ptr<DeviceScene> scene;
  };

  std::size_t all_but_rest() const { return most_pages_ - 1; }
  bool is_open_at(double time_s) const { return open_ && open_->has(time_s); }
  struct Part {
    TimeWindow window;
    PageList pages;
  };
  /// The largest part of the window around the time whose splats fit.
  Part part_that_fits(const TimeWindow& window, double time_s);
  Error first_that_does_not_fit(std::span<const double> times_s) const;
  /// The window of the last windows() that has the time, or the time alone.
  TimeWindow window_at(double time_s) const;
  Picture& picture_at(double time_s);
  /// Files the splats in memory. Does not change what training does.
  void file() const;
  /// Called before each change of the splats in memory.
  void begin_change();

  Backend& backend_;
  std::shared_ptr<SplatPages> pages_;
  TrainerSettings settings_;
  std::size_t most_pages_;
  std::unique_ptr<SplatTrainer> trainer_;
  mutable PageList held_;           // by trainer_
  mutable bool is_filed_ = true;    // pages_ has the current values
  std::optional<TimeWindow> open_;  // its part that is in memory, with the number of the window
  std::vector<TimeWindow> windows_;
  std::size_t resting_ = 0, peak_ = 0;
  std::uint64_t exchanges_ = 0;
  bool is_whole_ = true, has_warned_ = false;
  std::optional<Picture> picture_;
};

}  // namespace mote
