#include "cuda/gpu_backend.h"

#include <utility>
#include <vector>

#include "backend/field_trainer.h"
#include "backend/splat_trainer.h"
#include "core/parallel.h"
#include "cuda/cuda_pages.h"
#include "cuda/cuda_scene.h"
#include "cuda/cuda_trainer.h"
#include "cuda/fields/cuda_field.h"
#include "cuda/fields/cuda_field_fitter.h"
#include "cuda/fields/cuda_field_trainer.h"
#include "cuda/fields/training_bytes.h"
#include "cuda/frame_renderer.h"
#include "cuda/memory_estimate.h"
#include "cuda/pictures/picture_sink.h"

namespace mote::cuda {
namespace {

/// Whether no image is requested that is always drawn exactly.
bool may_be_fast(const RenderSettings& settings) {
  const RenderOutputs& outputs = settings.outputs;
  return settings.shape == SplatShape::blended &&
         !(outputs.depth || outputs.normal || outputs.overdraw || outputs.tile_cost);
}

class GpuBackend : public Backend {
 public:
  GpuBackend(std::string description, int threads)
      : description_(std::move(description)),
        gpu_(Gpu::current()),
        pool_(threads),
        renderer_(stream_.get()) {}
  ~GpuBackend() override { gpu_.enter_quietly(); }
  GpuBackend(const GpuBackend&) = delete;
  GpuBackend& operator=(const GpuBackend&) = delete;

  std::string description() const override { return description_; }

  std::optional<MemoryEstimate> memory_for(const MemoryRequest& request) const override {
    gpu_.enter();
    return memory_estimate(request);
  }

  std::optional<MemoryEstimate> memory_for_field(const NeuralField& field, std::uint64_t samples,
                                                 bool eikonal) const override {
    gpu_.enter();
    const auto bytes = field_training_bytes(field, samples, eikonal);
    if (!bytes) return {};
    MemoryEstimate estimate = memory_estimate({});
    estimate.each = {.element = (bytes->state + bytes->parameters - 1) / bytes->parameters,
                     .pixel = (bytes->step + samples - 1) / samples};
    estimate.pixels = samples;
    return estimate;
  }

  std::unique_ptr<DeviceScene> upload(SplatCloud cloud) override {
    gpu_.enter();
    const SplatForm splat = cloud.form();
    return with_remedy(
        [&]() -> std::unique_ptr<DeviceScene> {
          return std::make_unique<CudaScene>(std::move(cloud), pool_, stream_.get());
        },
        [&] { return scene_remedy(memory_estimate({.use = MemoryUse::scene, .splat = splat})); });
  }

  void update(DeviceScene& scene, std::span<const std::uint32_t> splats,
              SplatCloud values) override {
    gpu_.enter();
    dynamic_cast<CudaScene&>(scene).update(splats, std::move(values), pool_, stream_.get());
  }

  std::unique_ptr<DeviceScene> make_pages(const SplatForm& form, std::size_t pages,
                                          std::size_t) override {
    gpu_.enter();
    return with_remedy(
        [&]() -> std::unique_ptr<DeviceScene> {
          return std::make_unique<CudaPages>(form, pages, stream_.get());
        },
        [] { return "give less --memory"; });
  }

  void fill_pages(DeviceScene& scene, const PagesToFill& fill) override {
    gpu_.enter();
    dynamic_cast<CudaPages&>(scene).fill(fill, stream_.get());
  }

  void empty_pages(DeviceScene& scene, std::span<const std::uint32_t> pages) override {
    gpu_.enter();
    dynamic_cast<CudaPages&>(scene).empty(pages, stream_.get());
  }

  void mark(DeviceScene& scene, const SplatMask& marked) override {
    gpu_.enter();
    dynamic_cast<CudaScene&>(scene).mark(marked, stream_.get());
  }

  FrameStats render_scenes(std::span<const SceneInstance> scenes, const Camera& camera,
                           const RenderSettings& settings, Frame& frame) override {
    gpu_.enter();
    RenderSettings drawn = settings;
    const bool has_features = scenes.front().scene->has_features();
    if (has_features || !may_be_fast(settings)) drawn.precision = Precision::exact;
    std::vector<PlacedSplats> placed;
    for (const SceneInstance& instance : scenes) {
      placed.push_back({splats_of(*instance.scene, drawn.precision), instance.world_from_scene,
                        instance.time_s});
    }
    return renderer_.render(placed, camera, drawn, frame);
  }

  bool has_fast_precision() const override { return true; }
  bool shares_pictures() const override { return true; }

  std::unique_ptr<PictureSink> import_pictures(SharedPictures pictures) override {
    gpu_.enter();
    return std::make_unique<CudaPictureSink>(std::move(pictures));
  }

  std::unique_ptr<SplatTrainer> make_trainer(SplatCloud cloud,
                                             const TrainerSettings& settings) override {
    gpu_.enter();
    return guarded(make_cuda_trainer(cloud, settings, stream_.get()), gpu_);
  }

  std::unique_ptr<DeviceField> upload_field(NeuralField field) override {
    gpu_.enter();
    return make_cuda_field(std::move(field), description_, pool_, stream_.get());
  }

  std::unique_ptr<FieldFitter> make_field_fitter(NeuralField field) override {
    gpu_.enter();
    return make_cuda_field_fitter(std::move(field), description_, pool_, stream_.get());
  }

  std::unique_ptr<FieldTrainer> make_field_trainer(NeuralField field,
                                                   const FieldTrainerSettings& settings,
                                                   std::span<const Camera> cameras) override {
    gpu_.enter();
    return make_cuda_field_trainer(std::move(field), settings, cameras, description_, pool_,
                                   stream_.get());
  }

 private:
  DeviceSplats splats_of(const DeviceScene& scene, Precision precision) const {
    const auto& own = dynamic_cast<const DrawnScene&>(scene);
    if (precision == Precision::exact) return own.splats();
    return with_remedy([&] { return own.splats_with_halves(stream_.get()); },
                       [] { return "draw with exact precision, which needs no second copy"; });
  }

  std::string description_;
  Gpu gpu_;
  ThreadPool pool_;
  Stream stream_;
  FrameRenderer renderer_;
};

}  // namespace

std::unique_ptr<Backend> make_gpu_backend(std::string description, int threads) {
  return std::make_unique<GpuBackend>(std::move(description), threads);
}

}  // namespace mote::cuda
