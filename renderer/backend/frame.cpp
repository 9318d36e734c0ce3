// What every backend does before it renders.
#include <string>

#include "backend/backend.h"
#include "core/error.h"
#include "core/image_limits.h"

namespace mote {

void check_camera(const Camera& camera) {
  const auto side_ok = [](int side) { return side >= 1 && side <= kMaxImageSide; };
  if (!side_ok(camera.width) || !side_ok(camera.height)) {
    throw Error("image size " + std::to_string(camera.width) + "x" + std::to_string(camera.height) +
                    " is outside 1 to " + std::to_string(kMaxImageSide),
                "camera", "choose another size");
  }
  if (!(camera.focal_px.x > 0 && camera.focal_px.y > 0)) {
    throw Error("focal length is not positive", "camera", "check the camera's intrinsics");
  }
}

void prepare_frame(const Camera& camera, const RenderOutputs& outputs, Frame& frame) {
  check_camera(camera);
  const auto size = [&](Image& image, bool wanted, int channels) {
    image.resize_discard(wanted ? camera.width : 0, wanted ? camera.height : 0, channels);
  };
  size(frame.rgb, true, 3);
  size(frame.alpha, outputs.alpha, 1);
  size(frame.depth_expected, outputs.depth, 1);
  size(frame.depth_median, outputs.depth, 1);
}

}  // namespace mote
