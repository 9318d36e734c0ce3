#include "cpu/plain_drawing.h"

#include "core/elapsed.h"
#include "core/error.h"
#include "cpu/image_drawing.h"
#include "cpu/sdf_drawing.h"
#include "cpu/volume_drawing.h"

namespace mote {

FrameStats draw_plain(const DrawnPlain& drawn, const Camera& camera, const RenderSettings& settings,
                      Frame& frame) {
  const auto start = SteadyClock::now();
  prepare_frame(camera, settings, frame);
  FrameStats stats;
  switch (drawn.field.application) {
    case FieldApplication::image:
      draw_image(drawn, camera, settings, frame, stats);
      break;
    case FieldApplication::sdf:
      draw_sdf(drawn, camera, settings, frame, stats);
      break;
    case FieldApplication::volume:
      draw_volume(drawn, camera, settings, frame, stats);
      break;
    case FieldApplication::nerf:
      CHECK(false);
  }
  take_times(drawn.values.times(), ms_since(start), stats);
  return stats;
}

}  // namespace mote
