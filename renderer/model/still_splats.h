#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/drawable.h"
#include "scene/similarity.h"

namespace mote {

/// Splats that stand still, whose pictures do not depend on the time: one scene, or several scenes
/// that are placed in the world and drawn as one.
class StillSplats : public Drawable {
 public:
  struct Part {
    std::shared_ptr<const DeviceScene> scene;
    SceneExtent extent;  // in the scene's own frame
    Similarity world_from_scene = {};
  };
  struct Size {
    std::uint64_t splats = 0;
    int sh_degree = 0;
  };

  /// Uploads the cloud. The backend must outlive this.
  StillSplats(Backend& backend, SplatCloud cloud, const SceneExtent& extent);
  /// Scenes that are already on the device, at least one. `size` counts the splats that are not
  /// hidden.
  StillSplats(Backend& backend, std::span<const Part> parts, const Size& size);

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override;
  TimeRange time_range() const override { return {}; }
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override;

 private:
  Backend& backend_;
  SceneExtent extent_;
  Size size_;
  std::vector<std::shared_ptr<const DeviceScene>> scenes_;
  std::vector<SceneInstance> instances_;  // of scenes_
};

}  // namespace mote
