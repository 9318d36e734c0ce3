#include "cpu/plain_drawing.h"

#include "core/elapsed.h"
#include "core/error.h"
#include "cpu/image_drawing.h"
#include "cpu/sdf_drawing.h"
#include "cpu/volume_drawing.h"

namespace mote {

namespace {

/// Prepares the parts that the field is drawn in. Surfaces and images are one part.
void prepare_parts(const DrawnPlain& drawn, const PictureRequest& picture) {
  const bool is_one = drawn.field.application != FieldApplication::volume;
  for (Frame& part : picture.parts) {
    if (is_one && &part != &picture.first()) {
      part = {};
    } else {
      prepare_frame(picture.camera, picture.settings, part);
    }
  }
}

}  // namespace

FrameStats draw_plain(const DrawnPlain& drawn, const PictureRequest& picture) {
  const auto start = SteadyClock::now();
  prepare_parts(drawn, picture);
  FrameStats stats;
  switch (drawn.field.application) {
    case FieldApplication::image:
      draw_image(drawn, picture.camera, picture.settings, picture.first(), stats);
      break;
    case FieldApplication::sdf:
      draw_sdf(drawn, picture.camera, picture.settings, picture.first(), stats);
      break;
    case FieldApplication::volume:
      draw_volume(drawn, picture, stats);
      break;
    case FieldApplication::nerf:
      CHECK(false);
  }
  take_times(drawn.values.times(), ms_since(start), stats);
  return stats;
}

}  // namespace mote
