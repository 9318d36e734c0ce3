#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "model/drawable.h"

namespace mote {

/// Splats in one scene of the device: they stand still, or the device moves them.
class StillSplats : public Drawable {
 public:
  /// Uploads the cloud. The backend must outlive this.
  StillSplats(Backend& backend, SplatCloud cloud, const SceneExtent& extent);

  /// Like Backend::update(). Extent and description stay.
  void update(std::span<const std::uint32_t> splats, SplatCloud values);

  /// Like Backend::mark().
  void mark(const SplatMask& marked) { backend_.mark(*scene_, marked); }

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override;
  std::vector<SceneInstance> scenes_at(double time_s) override;
  TimeRange time_range() const override { return range_; }
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override;

 private:
  Backend& backend_;
  SceneExtent extent_;
  std::size_t count_;
  int sh_degree_;
  TimeRange range_;
  std::unique_ptr<DeviceScene> scene_;
};

}  // namespace mote
