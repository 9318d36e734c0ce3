#pragma once

#include <memory>

#include "backend/splat_trainer.h"
#include "model/learner.h"

namespace mote {

/// Splats in the memory of a trainer, drawn with the kernel that they are trained with.
class SplatsInTraining : public Differentiable {
 public:
  SplatsInTraining(std::unique_ptr<SplatTrainer> trainer, bool antialiased,
                   const SceneExtent& extent, const TimeRange& range = {});

  SplatTrainer& trainer() const { return *trainer_; }

  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override;
  PhotoStepResult differentiate(const LearnRequest& request) override;
  TimeRange time_range() const override { return range_; }
  const SceneExtent& extent() const override { return extent_; }
  std::string description() const override;

 private:
  std::unique_ptr<SplatTrainer> trainer_;
  bool antialiased_;
  SceneExtent extent_;
  TimeRange range_;
};

/// Splats in the host's memory. Extent and close-up of splats that a deformation field moves are
/// those at the time 0.
class HostSplats : public HostModel {
 public:
  explicit HostSplats(SplatCloud cloud) : cloud_(std::move(cloud)) {}

  const ModelEntry& model() const override { return kSplatModel; }
  std::uint64_t count() const override { return cloud_.count(); }
  std::uint64_t memory_bytes() const override;
  bool is_antialiased() const override { return cloud_.antialiased; }
  int detail() const override { return cloud_.decoder != nullptr ? 0 : cloud_.sh_degree(); }
  SceneExtent extent() const override;
  TimeRange time_range() const override { return mote::time_range(cloud_.times); }
  View closeup(const SceneExtent& extent, const OrbitOptions& orbit) const override;
  void add_samples(SceneSamples& samples, const Similarity& world_from_model) const override;
  std::vector<std::string> warnings() const override { return cloud_.warnings; }
  const SplatCloud* splats() const override { return &cloud_; }
  std::vector<std::string> write(const std::filesystem::path& path) const override;
  std::unique_ptr<Drawable> upload(Backend& backend, const SceneExtent& extent) override;
  std::unique_ptr<Differentiable> upload_for_gradients(Backend& backend, const SceneExtent& extent,
                                                       bool antialiased) override;
  SplatCloud take_splats() override;

 private:
  SplatCloud cloud_;
};

/// The trainer's request for `request`, with the defaults of a fit of a view: all SH bands, and no
/// learning rates.
StepRequest photo_request(const LearnRequest& request);

}  // namespace mote
