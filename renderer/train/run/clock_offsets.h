#pragma once

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
/// lives of splats do; so each step ends by subtracting the mean. Cameras without training
/// photographs keep the offset 0.
class ClockOffsets {
 public:
  /// `is_learned`: of each camera; at least one is.
  explicit ClockOffsets(std::vector<bool> is_learned);

  double at(std::size_t camera) const { return offsets_s_[camera]; }
  bool is_learned(std::size_t camera) const { return is_learned_[camera]; }
  /// Updates the offset after one step on a photograph of the camera. `d_time`: gradient by the
  /// time of the view, 1/s; `learning_rate` in s.
  void update(std::size_t camera, double d_time, double learning_rate);

  void save(ByteSink& sink) const;
  /// Throws Error for offsets of another number of cameras.
  void restore(ByteSource& source);

 private:
  std::vector<bool> is_learned_;
  std::vector<double> offsets_s_;
  std::vector<SmallAdam> adam_;
};

}  // namespace mote
