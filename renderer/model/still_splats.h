#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/drawable.h"

namespace mote {

/// Splats in one scene of the device: they stand still, or the device moves them. Those with a
/// deformation field are moved here: a view at another time makes a scene of that time.
class StillSplats : public Drawable {
 public:
  /// Uploads the cloud. The backend must outlive this.
  StillSplats(Backend& backend, SplatCloud cloud, const SceneExtent& extent);

  /// Like Backend::update(). Extent and description stay.
  void update(std::span<const std::uint32_t> splats, SplatCloud values);

  /// Like Backend::mark().
  void mark(const SplatMask& marked);

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override;
  std::vector<SceneInstance> scenes_at(double time_s, const MotionPaint& paint) override;
  void add_life_counts(FrameStats& stats) const override;
  TimeRange time_range() const override { return range_; }
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override;

 private:
  SceneInstance scene_at(double time_s, const MotionPaint& paint);

  Backend& backend_;
  SceneExtent extent_;
  std::size_t count_;
  int sh_degree_;
  TimeRange range_;
  double shown_s_ = 0;                  // of the last view
  std::optional<SplatCloud> deformed_;  // with a deformation field
  std::optional<double> moment_s_;      // of scene_ then; empty: its splats have changed
  bool has_velocities_ = false;         // scene_ then, for pictures of them
  SplatMask marked_;                    // then
  std::unique_ptr<DeviceScene> scene_;
};

}  // namespace mote
