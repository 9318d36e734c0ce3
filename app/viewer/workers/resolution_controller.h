#pragma once

#include <algorithm>

namespace mote {

/// Chooses the render size while the view moves, so that frames keep a target rate. It uses the
/// measured milliseconds per megapixel. The scale changes in steps of 1/16, and only if the gain
/// outweighs the flicker. Not thread-safe.
class ResolutionController {
 public:
  /// `target_ms`: time limit of a frame. `least`: minimum scale of the sides, 0 to 1.
  explicit ResolutionController(double target_ms = 33, double least = 0.25)
      : target_ms_(target_ms), least_(least) {}

  void set_target(double target_ms) { target_ms_ = target_ms; }
  double target_ms() const { return target_ms_; }

  /// Records that a frame of this many megapixels took `ms`.
  void measured(double megapixels, double ms);
  /// Discards the measurements, since another scene has another cost. `least`: as in the
  /// constructor. A slow scene begins at this scale, since its first frame tells its cost.
  void begin(double least, bool is_slow) {
    ms_per_megapixel_ = 0;
    least_ = least;
    scale_ = is_slow ? least : std::max(scale_, least);
  }

  /// Scale of the sides for the next frame of a moving view of `megapixels` at full size.
  double scale_for(double megapixels);
  /// Estimated time of such a frame at full size, ms; 0 without a measurement.
  double full_ms(double megapixels) const { return ms_per_megapixel_ * megapixels; }
  /// Scale of a single frame that is expected to take `ms`, at most 1; the smallest one without a
  /// measurement.
  double scale_within(double ms, double megapixels) const;

 private:
  double target_ms_, least_;
  double ms_per_megapixel_ = 0;  // smoothed; 0: none measured
  double scale_ = 1;
};

}  // namespace mote
