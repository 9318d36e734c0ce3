#pragma once

// Fakes for tests of Trainer without a device or files: a backend whose splats change by a simple
// rule, and a dataset of grey photographs.

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backend/splat_trainer.h"
#include "core/error.h"
#include "core/memory_bytes.h"
#include "io/datasets/photo_store.h"
#include "scene/dataset.h"

namespace mote {

/// Calls that the fake trainer received, and its answers; shared with the test.
struct FakeRecord {
  std::vector<StepRequest> requests;
  std::vector<std::uint64_t> edits, reorders;  // the steps after which they were called
  std::vector<float> opacity_limits;
  std::function<void(const StepRequest&, StepResult&)> amend;  // changes each step's result
};

/// Moves every splat slightly, depending on step and background, and counts gradients that differ
/// between splats. Reverses the order of the splats in each edit and reorder, as a device may.
class FakeSplatTrainer : public SplatTrainer {
 public:
  FakeSplatTrainer(const SplatCloud& cloud, FakeRecord& record);

  SplatKind kind() const override { return SplatKind::gaussian; }
  std::size_t count() const override { return splats_.size(); }
  StepResult step(const StepRequest& request) override;
  SplatCloud gradients(const StepRequest& request, StepResult& result) override;
  FrameStats render(const View&, const RenderSettings&, Frame&) override { return {}; }
  DensityStatistics statistics() const override { return statistics_; }
  void clear_statistics() override;
  std::vector<SplatGeometry> geometry() const override { return splats_; }
  void edit(const DensityEdit& edit) override;
  void reorder() override;
  void limit_opacity(float most) override;
  SplatCloud cloud() override;
  void save(ByteSink& sink) const override;
  void restore(ByteSource& source) override;
  std::size_t memory_bytes() const override { return splats_.size() * sizeof(SplatGeometry); }

 private:
  std::vector<SplatGeometry> splats_;
  DensityStatistics statistics_;
  FakeRecord& record_;
};

class FakeBackend : public Backend {
 public:
  std::string description() const override { return "fake"; }
  std::unique_ptr<DeviceScene> upload(SplatCloud) override { return nullptr; }
  void update(DeviceScene&, std::span<const std::uint32_t>, SplatCloud) override {}
  void mark(DeviceScene&, const SplatMask&) override {}
  FrameStats render_scenes(std::span<const SceneInstance>, const Camera&, const RenderSettings&,
                           Frame&) override {
    return {};
  }
  std::unique_ptr<SplatTrainer> make_trainer(SplatCloud cloud,
                                             const TrainerSettings& settings) override;

  FakeRecord record;
  TrainerSettings settings;  // of the last make_trainer()
};

/// Grey photographs with the sizes of the dataset's cameras.
class FakePhotos : public PhotoStore {
 public:
  explicit FakePhotos(const Dataset& dataset) : dataset_(dataset) {}
  std::shared_ptr<const PhotoPixels> get(std::uint32_t index, int level) override;
  std::shared_ptr<const PhotoPixels> if_ready(std::uint32_t index, int level) override;
  void announce(std::span<const std::uint32_t> indices, int level) override;
  std::size_t bytes_needed() const override { return 0; }
  std::size_t bytes_budget() const override { return 0; }
  std::size_t bytes_of_largest() const override { return 0; }
  std::size_t bytes_decoding(int /*level*/) const override { return 0; }

  std::vector<std::uint32_t> asked, announced;
  std::vector<int> levels;  // requested levels

 private:
  const Dataset& dataset_;
  std::map<std::pair<std::uint32_t, int>, std::shared_ptr<const PhotoPixels>> made_;
};

/// `views` cameras of 128 x 96 px on a ring of radius 4 that look at the origin; every fourth is a
/// test view. `points` points in the unit cube.
Dataset ring_dataset(int views, int points);

/// The options of a run that continues: its first splats are not made.
template <class Options>
Options as_resumed(Options options) {
  options.resumes = true;
  return options;
}

/// Continues `after` from the state of `before`, all of which it must read.
template <class Trainer>
void hand_over(const Trainer& before, Trainer& after) {
  MemoryBytes state;
  before.save(state);
  after.restore(state);
  CHECK(state.left() == 0);
}

}  // namespace mote
