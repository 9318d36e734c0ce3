#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/byte_stream.h"
#include "train/run/small_adam.h"

namespace mote {

/// The offset of a camera's clock: a photograph shows the time `offset_s` after its own one.
struct ClockOffset {
  std::string camera;
  double offset_s = 0;
};

/// Offsets of the clocks of cameras, learned by Adam. All clocks could run ahead together while the
/// lives of splats do; so a step that moves one clock moves all of them back by the mean, which
/// stays. Cameras without training photographs keep the offset 0.
class ClockOffsets {
 public:
  /// `is_learned`: of each camera; at least one is.
  explicit ClockOffsets(std::vector<bool> is_learned);

  double at(std::size_t camera) const { return offsets_s_[camera]; }
  bool is_learned(std::size_t camera) const { return is_learned_[camera]; }
  /// Updates the offset after one step on a photograph of the camera. `d_time`: gradient by the
  /// time of the view, 1/s; `learning_rate` in s.
  void update(std::size_t camera, double d_time, double learning_rate);
  /// Adds the changes that a search found, s, one for each camera, less their median over the
  /// learned ones. With the mean in its place, one camera of twenty that is off by 5 frames would
  /// set the 19 right clocks a quarter of a frame back: the splats would have to follow them, and
  /// would then be late for the test cameras, which keep their clocks. The median stays 0 as long
  /// as most clocks are right. `searches`: see searches().
  void shift(std::span<const double> found_s, std::uint32_t searches);
  /// Number of searches of the run that are done. It is saved, since it does not follow from the
  /// number of steps: a resumed run may be longer or shorter than before.
  std::uint32_t searches() const { return searches_; }

  void save(ByteSink& sink) const;
  /// Throws Error for offsets of another number of cameras.
  void restore(ByteSource& source);

 private:
  std::vector<bool> is_learned_;
  std::vector<double> offsets_s_;
  std::vector<SmallAdam> adam_;
  std::uint32_t searches_ = 0;
};

}  // namespace mote
