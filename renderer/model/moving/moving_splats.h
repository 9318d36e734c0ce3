#pragma once

#include <memory>

#include "model/host_model.h"
#include "model/moving/moving_scene.h"

namespace mote {

/// Splats that depend on time. One moment is on the device. A view at another time makes it read
/// and upload the splats of that time.
class MovingSplats : public Drawable {
 public:
  /// Uploads `first`, the splats at `first_s`. The backend must outlive this.
  MovingSplats(Backend& backend, std::unique_ptr<MovingScene> scene, SplatCloud first,
               double first_s, const SceneExtent& extent);

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override;
  std::vector<SceneInstance> scenes_at(double time_s, const MotionPaint& paint) override;
  TimeRange time_range() const override { return source_->range(); }
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override;

 private:
  /// Makes scene_ that of the time.
  void bring(double time_s);

  Backend& backend_;
  std::unique_ptr<MovingScene> source_;
  SceneExtent extent_;
  std::uint64_t moment_;  // Moment::number of scene_
  std::unique_ptr<DeviceScene> scene_;
};

/// A moving scene in the host's memory, at one of its times. Extent, warnings, counts and the
/// splats that it writes or returns for editing are those of that time.
class HostMovingSplats : public HostModel {
 public:
  /// `moment`: the splats at `moment_s`.
  HostMovingSplats(std::unique_ptr<MovingScene> scene, std::unique_ptr<HostModel> moment,
                   double moment_s);

  const ModelEntry& model() const override { return moment_->model(); }
  TimeRange time_range() const override { return scene_->range(); }
  std::uint64_t count() const override { return moment_->count(); }
  std::uint64_t memory_bytes() const override { return moment_->memory_bytes(); }
  bool is_antialiased() const override { return moment_->is_antialiased(); }
  int detail() const override { return moment_->detail(); }
  SceneExtent extent() const override { return moment_->extent(); }
  View closeup(const SceneExtent& extent, const OrbitOptions& orbit) const override;
  void add_samples(SceneSamples& samples, const Similarity& world_from_model) const override {
    moment_->add_samples(samples, world_from_model);
  }
  std::vector<std::string> warnings() const override { return moment_->warnings(); }
  std::vector<std::string> write(const std::filesystem::path& path) const override;
  std::unique_ptr<Drawable> upload(Backend& backend, const SceneExtent& extent) override;
  /// Throws Error: a moving scene has no gradients.
  std::unique_ptr<Differentiable> upload_for_gradients(Backend& backend, const SceneExtent& extent,
                                                       bool antialiased) override;
  SplatCloud take_splats() override { return moment_->take_splats(); }

 private:
  std::unique_ptr<MovingScene> scene_;
  std::unique_ptr<HostModel> moment_;
  double moment_s_;
};

}  // namespace mote
