#include "cuda/gpu_backend.h"

#include <utility>

#include "backend/splat_trainer.h"
#include "core/parallel.h"
#include "cuda/cuda_scene.h"
#include "cuda/cuda_trainer.h"
#include "cuda/frame_renderer.h"

namespace mote::cuda {
namespace {

class GpuBackend : public Backend {
 public:
  GpuBackend(std::string description, int threads)
      : description_(std::move(description)), pool_(threads), renderer_(stream_.get()) {}

  std::string description() const override { return description_; }

  std::unique_ptr<DeviceScene> upload(SplatCloud cloud) override {
    return std::make_unique<CudaScene>(std::move(cloud), pool_, stream_.get());
  }

  FrameStats render(const DeviceScene& scene, const Camera& camera, const RenderSettings& settings,
                    Frame& frame) override {
    return renderer_.render(dynamic_cast<const CudaScene&>(scene).splats(), camera, settings,
                            frame);
  }

  std::unique_ptr<SplatTrainer> make_trainer(SplatCloud cloud,
                                             const TrainerSettings& settings) override {
    return make_cuda_trainer(cloud, settings, stream_.get());
  }

 private:
  std::string description_;
  ThreadPool pool_;
  Stream stream_;
  FrameRenderer renderer_;
};

}  // namespace

std::unique_ptr<Backend> make_gpu_backend(std::string description, int threads) {
  return std::make_unique<GpuBackend>(std::move(description), threads);
}

}  // namespace mote::cuda
