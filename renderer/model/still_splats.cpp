#include "model/still_splats.h"

#include <fmt/format.h>

#include <utility>

#include "core/error.h"
#include "scene/camera_path.h"

namespace mote {

StillSplats::StillSplats(Backend& backend, SplatCloud cloud, const SceneExtent& extent)
    : backend_(backend),
      extent_(extent),
      size_{.splats = cloud.count(), .sh_degree = cloud.sh_degree()} {
  scenes_.push_back(backend.upload(std::move(cloud)));
  instances_.push_back({.scene = scenes_.front().get()});
}

StillSplats::StillSplats(Backend& backend, std::span<const Part> parts, const Size& size)
    : backend_(backend), size_(size) {
  CHECK(!parts.empty());
  for (const Part& part : parts) {
    const SceneExtent extent = placed_extent(part.extent, part.world_from_scene);
    extent_ = scenes_.empty() ? extent : joint_extent(extent_, extent);
    scenes_.push_back(part.scene);
    instances_.push_back({part.scene.get(), part.world_from_scene});
  }
}

FrameStats StillSplats::render(const View& view, const RenderSettings& settings, Frame& frame) {
  for (SceneInstance& instance : instances_) instance.time_s = view.time_s;
  FrameStats stats = backend_.render_scenes(instances_, view.camera, settings, frame);
  stats.splats = size_.splats;
  return stats;
}

std::string StillSplats::description() const {
  return fmt::format("{} splats, SH degree {}", size_.splats, size_.sh_degree);
}

}  // namespace mote
