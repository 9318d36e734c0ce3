#pragma once

#include "io/datasets/posed_images.h"
#include "scene/dataset.h"

namespace mote {

/// A part of the times of a dataset, s, which becomes a scene of its own.
struct TimeClip {
  double from_s = 0, to_s = 0;
};

/// Keeps the images whose times are in the part, with a note. Their times begin at its first one.
/// Throws Error if the images have no times, or none is in the part.
void clip_images(PosedImages& posed, const TimeClip& clip);

/// The same for points. Points without times stay.
void clip_points(PointCloud& points, const TimeClip& clip);

}  // namespace mote
