#include "model/still_splats.h"
#include "core/spelling.h"

#include <fmt/format.h>

#include <utility>

namespace mote {

StillSplats::StillSplats(Backend& backend, SplatCloud cloud, const SceneExtent& extent)
    : backend_(backend),
      extent_(extent),
      count_(cloud.count()),
      sh_degree_(cloud.sh_degree()),
      range_(cloud.info().moves() ? mote::time_range(cloud.times) : TimeRange()),
      scene_(backend.upload(std::move(cloud))) {}

void StillSplats::update(std::span<const std::uint32_t> splats, SplatCloud values) {
  backend_.update(*scene_, splats, std::move(values));
}

FrameStats StillSplats::render(const View& view, const RenderSettings& settings, Frame& frame) {
  return backend_.render_scenes(scenes_at(view.time_s), view.camera, settings, frame);
}

std::vector<SceneInstance> StillSplats::scenes_at(double time_s) {
  return {{.scene = scene_.get(), .time_s = repeated(time_s, range_)}};
}

std::string StillSplats::description() const {
  const std::string still = fmt::format("{}, SH degree {}", number_of(count_, "splat"), sh_degree_);
  return range_.end_s > 0 ? fmt::format("{}, {:.6g} s", still, range_.end_s) : still;
}

}  // namespace mote
