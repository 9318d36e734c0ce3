#pragma once

#include <memory>

#include "model/drawable.h"

namespace mote {

/// Splats that stand still. They ignore the time.
class StillSplats : public Drawable {
 public:
  /// Uploads the cloud. The backend must outlive this.
  StillSplats(Backend& backend, SplatCloud cloud, const SceneExtent& extent);

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override;
  TimeRange time_range() const override { return {}; }
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override;

 private:
  Backend& backend_;
  SceneExtent extent_;
  std::size_t splats_;
  int sh_degree_;
  std::unique_ptr<DeviceScene> scene_;
};

}  // namespace mote
