#include "model/still_splats.h"

#include <fmt/format.h>

#include <utility>

namespace mote {

StillSplats::StillSplats(Backend& backend, SplatCloud cloud, const SceneExtent& extent)
    : backend_(backend),
      extent_(extent),
      splats_(cloud.count()),
      sh_degree_(cloud.sh_degree()),
      scene_(backend.upload(std::move(cloud))) {}

FrameStats StillSplats::render(const View& view, const RenderSettings& settings, Frame& frame) {
  return backend_.render(*scene_, view.camera, settings, frame);
}

std::string StillSplats::description() const {
  return fmt::format("{} splats, SH degree {}", splats_, sh_degree_);
}

}  // namespace mote
