#include "cuda/fields/cuda_field.h"

#include <utility>

#include "backend/slice_drawing.h"
#include "core/error.h"
#include "cuda/fields/cuda_nerf.h"
#include "cuda/fields/field_painter.h"
#include "cuda/fields/field_tables.h"

namespace mote::cuda {
namespace {

/// A field with one network.
class CudaField : public DeviceField {
 public:
  CudaField(NeuralField field, ThreadPool& pool, cudaStream_t stream)
      : gpu_(Gpu::current()),
        pool_(pool),
        tables_(field, stream),
        painter_(std::move(field), pool, stream) {}
  ~CudaField() override { gpu_.enter_quietly(); }
  CudaField(const CudaField&) = delete;
  CudaField& operator=(const CudaField&) = delete;

  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override {
    return render_parts(camera, settings, {}, {&frame, 1});
  }

  FrameStats render_parts(const Camera& camera, const RenderSettings& settings,
                          const Dividers& dividers, std::span<Frame> parts) override {
    gpu_.enter();
    const PictureRequest request{camera, settings, parts, dividers};
    if (settings.outputs.slice) return draw_slice_of(*this, painter_.field(), request, pool_);
    return painter_.render(tables_.tables(), request);
  }

  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    gpu_.enter();
    painter_.evaluate(tables_.tables(), positions, count, stride, values);
  }

 private:
  Gpu gpu_;
  ThreadPool& pool_;
  DeviceTables tables_;
  FieldPainter painter_;
};

}  // namespace

std::unique_ptr<DeviceField> make_cuda_field(NeuralField field, const std::string& device,
                                             ThreadPool& pool, cudaStream_t stream) {
  const bool is_nerf = field.application == FieldApplication::nerf;
  const std::string missing = is_nerf ? missing_nerf_kernels(field) : missing_kernels(field);
  if (!missing.empty()) throw Error(missing, device, "use --device cpu");
  return with_remedy(
      [&]() -> std::unique_ptr<DeviceField> {
        if (is_nerf) return make_cuda_nerf(std::move(field), pool, stream);
        return std::make_unique<CudaField>(std::move(field), pool, stream);
      },
      [] { return "end other programs on the device, or use --device cpu"; });
}

}  // namespace mote::cuda
