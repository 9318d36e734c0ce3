#pragma once

namespace mote {

/// Chooses how large frames are rendered while the view moves, so that they come at a rate: from
/// measured milliseconds a megapixel. Steps of a sixteenth of the sides, and only where the gain is
/// worth the flicker. One thread's.
class ResolutionController {
 public:
  /// `target_ms`: what a frame may take; `least`: the smallest scale of the sides, 0 to 1.
  explicit ResolutionController(double target_ms = 33, double least = 0.25)
      : target_ms_(target_ms), least_(least) {}

  void set_target(double target_ms) { target_ms_ = target_ms; }
  double target_ms() const { return target_ms_; }

  /// A frame of so many megapixels took `ms`.
  void measured(double megapixels, double ms);
  /// Forgets what was measured: another scene costs something else.
  void forget() { ms_per_megapixel_ = 0; }

  /// The scale of the sides for the next frame of a moving view of `megapixels` at full size.
  double scale_for(double megapixels);
  /// What such a frame should take at full size; 0 where nothing was measured.
  double full_ms(double megapixels) const { return ms_per_megapixel_ * megapixels; }

 private:
  double target_ms_, least_;
  double ms_per_megapixel_ = 0;  // smoothed; 0: none measured
  double scale_ = 1;
};

}  // namespace mote
