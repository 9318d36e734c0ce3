#include "cuda/cuda_trainer.h"

#include <new>
#include <utility>

namespace mote::cuda {
namespace {

class GuardedTrainer : public SplatTrainer {
 public:
  GuardedTrainer(std::unique_ptr<SplatTrainer> trainer, const Gpu& gpu)
      : gpu_(gpu), trainer_(std::move(trainer)) {}
  ~GuardedTrainer() override { gpu_.enter_quietly(); }
  GuardedTrainer(const GuardedTrainer&) = delete;
  GuardedTrainer& operator=(const GuardedTrainer&) = delete;

  SplatKind kind() const override { return on_device().kind(); }
  std::size_t count() const override { return on_device().count(); }
  StepResult step(const StepRequest& request) override {
    return changing([&](SplatTrainer& trainer) { return trainer.step(request); });
  }
  SplatCloud gradients(const StepRequest& request, StepResult& result) override {
    return on_device().gradients(request, result);
  }
  FrameStats render(const View& view, const RenderSettings& settings, Frame& frame) override {
    return on_device().render(view, settings, frame);
  }
  DensityStatistics statistics() const override { return on_device().statistics(); }
  void clear_statistics() override { on_device().clear_statistics(); }
  std::vector<SplatGeometry> geometry() const override { return on_device().geometry(); }
  std::vector<MotionValues> motions() const override { return on_device().motions(); }
  void edit(const DensityEdit& edit) override {
    changing([&](SplatTrainer& trainer) { trainer.edit(edit); });
  }
  AdcOutcome change(const AdcRules& rules, std::span<const std::uint32_t> broken,
                    std::uint64_t seed) override {
    return changing([&](SplatTrainer& trainer) { return trainer.change(rules, broken, seed); });
  }
  McmcOutcome change(const McmcRules& rules, std::span<const std::uint32_t> broken,
                     std::uint64_t seed) override {
    return changing([&](SplatTrainer& trainer) { return trainer.change(rules, broken, seed); });
  }
  void reorder() override {
    changing([](SplatTrainer& trainer) { trainer.reorder(); });
  }
  void limit_opacity(float most) override { on_device().limit_opacity(most); }
  SplatCloud cloud() override { return on_device().cloud(); }
  void save(ByteSink& sink) const override { on_device().save(sink); }
  void restore(ByteSource& source) override { on_device().restore(source); }
  bool is_whole() const override { return is_whole_; }
  std::size_t memory_bytes() const override { return on_device().memory_bytes(); }
  TrainerMemory host_memory() const override { return on_device().host_memory(); }

 private:
  /// If the device's memory is insufficient, the state is unchanged. Trainers do not guarantee this
  /// for host memory.
  template <class Change>
  auto changing(const Change& change) -> decltype(change(std::declval<SplatTrainer&>())) {
    try {
      return change(on_device());
    } catch (const std::bad_alloc&) {
      is_whole_ = false;
      throw;
    }
  }

  SplatTrainer& on_device() const {
    gpu_.enter();
    return *trainer_;
  }

  Gpu gpu_;
  std::unique_ptr<SplatTrainer> trainer_;
  bool is_whole_ = true;
};

}  // namespace

std::unique_ptr<SplatTrainer> guarded(std::unique_ptr<SplatTrainer> trainer, const Gpu& gpu) {
  return std::make_unique<GuardedTrainer>(std::move(trainer), gpu);
}

}  // namespace mote::cuda
