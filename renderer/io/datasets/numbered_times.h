#pragma once

#include "io/datasets/posed_images.h"

namespace mote {

/// Sets the times of images that are frames of a video by one moving camera, s: the number at the
/// end of an image's name, such as 12 of "frame_00012.jpg", divided by the rate. The least number
/// is time 0. Adds a note. If a name ends with no number, or if all end with the same one, the
/// images keep no time, and a warning says so.
void set_seconds_by_number(PosedImages& posed, double frames_per_second);

}  // namespace mote
