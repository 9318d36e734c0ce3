#pragma once

#include <optional>

#include "core/image.h"
#include "scene/dataset.h"

namespace mote {

/// One rendered photograph of a moving scene. The images have its size.
struct RenderedMoment {
  const Photograph& photograph;
  double frame_s;                 // time between the frames of its camera; 0: unknown
  const Image &rendered, &truth;  // [h][w][3]
  const Image& mask;              // [h][w][1] weights of the pixels; may be empty
  const Image& moving;            // moving_pixels()
};

/// Measures how much pixels change from one frame to the next otherwise than the photographs do.
/// Let e = rendered - truth. The error of two consecutive frames of a camera at rest is e of the
/// second minus e of the first: a constant error is no flicker.
class Flicker {
 public:
  /// Compares the moment with that of the last call, if both are consecutive frames of one camera.
  void add(const RenderedMoment& moment);
  /// PSNR of the change of e over the pixels that the dynamic masks of both frames leave, over all
  /// pairs; at most 100 dB. Empty without such pixels.
  std::optional<double> still_psnr_db() const { return still_.psnr_db(); }
  /// The same over the other pixels.
  std::optional<double> moving_psnr_db() const { return moving_.psnr_db(); }

 private:
  struct Sum {
    double squares = 0, weight = 0;

    /// Adds the squares of a pixel's three channels.
    void add(double pixel_squares, double pixel_weight);
    std::optional<double> psnr_db() const;
  };

  bool follows(const RenderedMoment& moment) const;

  Photograph last_;              // the photograph of the last moment
  Image last_error_;             // [h][w][3]; empty before the first moment
  Image last_all_, last_still_;  // [h][w][1]: weights of all pixels, and of those that stand still
  Sum still_, moving_;
};

}  // namespace mote
