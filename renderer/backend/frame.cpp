// Checks that every backend makes before it renders, the sums of its work, and the default of
// import_pictures(), which throws.
#include <fmt/format.h>

#include <string>

#include "backend/backend.h"
#include "core/error.h"
#include "core/image.h"
#include "core/interrupt.h"

namespace mote {

void stop_if_superseded(const RenderSettings& settings) {
  if (settings.superseded != nullptr && *settings.superseded) throw Interrupted{};
}

void check_same_kind(SplatKind first, SplatKind other) {
  if (first == other) return;
  throw Error(std::string("scenes of different kinds cannot be blended together: ") +
                  kind_info(first).name + " and " + kind_info(other).name,
              "the shown scenes", "show the scenes of one kind at a time");
}

void check_outputs(SplatKind kind, const RenderSettings& settings) {
  if (settings.outputs.slice) {
    throw Error("splats have no density on a plane", "the requested slice",
                "render a neural field, or another --mode");
  }
  if (!settings.outputs.normal) return;
  if (kind_info(kind).is_surface && settings.shape == SplatShape::blended) return;
  throw Error(settings.shape == SplatShape::blended
                  ? fmt::format("splats of kind {} have no normals", kind_info(kind).name)
                  : "solid splats are drawn without normals",
              "the requested images",
              "request no normals; --mode normals shows normals computed from the depths");
}

void StreamWork::add(const StreamWork& other) {
  wait_ms += other.wait_ms;
  fill_ms += other.fill_ms;
  read_ms += other.read_ms;
  decode_ms += other.decode_ms;
  prepare_ms += other.prepare_ms;
  parts += other.parts;
  splats += other.splats;
  bytes += other.bytes;
}

void check_camera(const Camera& camera) {
  const auto side_ok = [](int side) { return side >= 1 && side <= kMaxImageSide; };
  if (!side_ok(camera.width) || !side_ok(camera.height)) {
    throw Error("image size " + std::to_string(camera.width) + "x" + std::to_string(camera.height) +
                    " is outside 1 to " + std::to_string(kMaxImageSide),
                "camera", "choose a size in this range");
  }
  if (!(camera.focal_px.x > 0 && camera.focal_px.y > 0)) {
    throw Error("focal length is not positive", "camera", "check the camera's intrinsics");
  }
}

void prepare_frame(const Camera& camera, const RenderSettings& settings, Frame& frame) {
  check_camera(camera);
  if (!(settings.splat_scale >= kSplatScaleMin && settings.splat_scale <= kSplatScaleMax)) {
    throw Error(fmt::format("splat scale {} is outside {} to {}", settings.splat_scale,
                            kSplatScaleMin, kSplatScaleMax),
                "render settings", "choose a scale in this range");
  }
  if (!(settings.field_step >= kFieldStepMin && settings.field_step <= kFieldStepMax)) {
    throw Error(fmt::format("field step {} is outside {} to {}", settings.field_step, kFieldStepMin,
                            kFieldStepMax),
                "render settings", "choose a step in this range");
  }
  const RenderOutputs& outputs = settings.outputs;
  const auto size = [&](Image& image, bool wanted, int channels) {
    image.resize_discard(wanted ? camera.width : 0, wanted ? camera.height : 0, channels);
  };
  size(frame.rgb, true, 3);
  size(frame.alpha, outputs.alpha, 1);
  size(frame.depth_expected, outputs.depth, 1);
  size(frame.depth_median, outputs.depth, 1);
  size(frame.normal, outputs.normal, 3);
  size(frame.overdraw, outputs.overdraw, 1);
  size(frame.tile_cost, outputs.tile_cost, 1);
  size(frame.slice, outputs.slice, 1);
}

std::unique_ptr<PictureSink> Backend::import_pictures(SharedPictures) {
  throw Error("it renders into host memory", description(), "copy its pictures from there");
}

}  // namespace mote
