#include "app/viewer/view/empty_frame.h"

#include <algorithm>

namespace mote {

void render_nothing(const Camera& camera, const RenderSettings& settings, Frame& frame) {
  prepare_frame(camera, settings, frame);
  for (Image* image : {&frame.alpha, &frame.depth_expected, &frame.depth_median, &frame.normal,
                       &frame.overdraw, &frame.tile_cost}) {
    std::fill(image->pixels.span().begin(), image->pixels.span().end(), 0.0f);
  }
  const std::span<float> rgb = frame.rgb.pixels.span();
  for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = settings.background[i % 3];
}

}  // namespace mote
