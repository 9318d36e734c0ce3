#pragma once

// What Trainer needs of others, without a device or files: a backend whose splats change by a rule
// that is easy to follow, and a dataset of plain photographs.

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "backend/splat_trainer.h"
#include "io/photo_store.h"
#include "scene/dataset.h"

namespace mote {

/// What the fake trainer saw and what it shall answer; shared with the test.
struct FakeRecord {
  std::vector<StepRequest> requests;
  std::vector<std::uint64_t> edits, reorders;  // the steps after which they came
  std::vector<float> opacity_limits;
  std::function<void(const StepRequest&, StepResult&)> amend;  // of each step's result
};

/// Moves every splat a little by step and background, counts gradients that differ from splat to
/// splat, and reverses the order of the splats in each edit and reorder, as a device may.
class FakeSplatTrainer : public SplatTrainer {
 public:
  FakeSplatTrainer(const SplatCloud& cloud, FakeRecord& record);

  std::size_t count() const override { return splats_.size(); }
  StepResult step(const StepRequest& request) override;
  SplatCloud gradients(const StepRequest& request, StepResult& result) override;
  FrameStats render(const Camera&, const RenderSettings&, Frame&) override { return {}; }
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
  FrameStats render(const DeviceScene&, const Camera&, const RenderSettings&, Frame&) override {
    return {};
  }
  std::unique_ptr<SplatTrainer> make_trainer(SplatCloud cloud,
                                             const TrainerSettings& settings) override;

  FakeRecord record;
  TrainerSettings settings;  // of the last make_trainer()
};

/// Grey photographs of the sizes that the dataset's cameras have.
class FakePhotos : public PhotoStore {
 public:
  explicit FakePhotos(const Dataset& dataset) : dataset_(dataset) {}
  std::shared_ptr<const PhotoPixels> get(std::uint32_t index, int level) override;
  std::shared_ptr<const PhotoPixels> if_ready(std::uint32_t index, int level) override;
  void announce(std::span<const std::uint32_t> indices, int level) override;
  std::size_t bytes_needed() const override { return 0; }
  std::size_t bytes_budget() const override { return 0; }
  std::size_t bytes_of_largest() const override { return 0; }
  std::size_t bytes_decoding() const override { return 0; }

  std::vector<std::uint32_t> asked, announced;
  std::vector<int> levels;  // asked for

 private:
  const Dataset& dataset_;
  std::map<std::pair<std::uint32_t, int>, std::shared_ptr<const PhotoPixels>> made_;
};

/// `views` cameras on a ring of radius 4 about the origin that look at it, 128 x 96 px, every
/// fourth to test with, and `points` points in the unit cube.
Dataset ring_dataset(int views, int points);

/// A state in memory.
class MemoryBytes : public ByteSink, public ByteSource {
 public:
  void write(std::span<const std::byte> bytes) override;
  void read(std::span<std::byte> out) override;
  std::size_t left() const override { return bytes.size() - at_; }

  std::vector<std::byte> bytes;

 private:
  std::size_t at_ = 0;
};

}  // namespace mote
