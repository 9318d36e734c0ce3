#pragma once

#include <memory>

#include "model/drawable.h"
#include "model/moving/moving_scene.h"

namespace mote {

/// Splats that depend on time. Holds one moment on the device, and reads and uploads another when a
/// view needs it.
class MovingSplats : public Drawable {
 public:
  /// Uploads `first`, the splats at `first_s`. The backend must outlive this.
  MovingSplats(Backend& backend, std::unique_ptr<MovingScene> scene, SplatCloud first,
               double first_s, const SceneExtent& extent);

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override;
  TimeRange time_range() const override { return source_->range(); }
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override;

 private:
  Backend& backend_;
  std::unique_ptr<MovingScene> source_;
  SceneExtent extent_;
  std::uint64_t moment_;  // Moment::number of scene_
  std::unique_ptr<DeviceScene> scene_;
};

}  // namespace mote
