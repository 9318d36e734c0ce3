#include "cuda/fields/cuda_field.h"

#include <algorithm>

#include "core/elapsed.h"
#include "core/error.h"
#include "cuda/fields/field_tables.h"
#include "cuda/kernels/fields/image_picture.h"
#include "fields/applications/field_layout.h"
#include "fields/image_plane.h"
#include "fields/image_view.h"

namespace mote::cuda {
namespace {

/// Positions that are evaluated at once, so that they take little memory.
constexpr std::size_t kPositionsAtOnce = std::size_t{1} << 20;

float* data_or_null(DeviceBuffer<float>& buffer) {
  return buffer.empty() ? nullptr : buffer.data();
}

class CudaField : public DeviceField {
 public:
  CudaField(NeuralField field, std::string device, cudaStream_t stream)
      : gpu_(Gpu::current()),
        device_(std::move(device)),
        stream_(stream),
        tables_(field, stream),
        inputs_(static_cast<std::size_t>(field_inputs(field.application))),
        outputs_(static_cast<std::size_t>(field_outputs(field.application))),
        field_(std::move(field)) {
    field_.parameters = {};
  }
  ~CudaField() override { gpu_.enter_quietly(); }
  CudaField(const CudaField&) = delete;
  CudaField& operator=(const CudaField&) = delete;

  FrameStats render(const Camera& camera, const RenderSettings& settings, Frame& frame) override {
    gpu_.enter();
    if (field_.application != FieldApplication::image) {
      throw Error("pictures of signed distance fields are not built for CUDA", device_,
                  "use --device cpu");
    }
    check_outputs_of_image(settings.outputs);
    const auto start = SteadyClock::now();
    prepare_frame(camera, settings, frame);
    const FrameStats stats = with_remedy([&] { return draw_image(camera, settings, frame); },
                                         [] { return "use a smaller size, or --device cpu"; });
    FrameStats result = stats;
    result.total_ms = ms_since(start);
    return result;
  }

  void evaluate(const float* positions, std::size_t count, std::size_t stride,
                float* values) override {
    gpu_.enter();
    for (std::size_t first = 0; first < count; first += kPositionsAtOnce) {
      evaluate_some(positions + first, std::min(kPositionsAtOnce, count - first), stride,
                    values + first);
    }
  }

 private:
  void check_outputs_of_image(const RenderOutputs& outputs) const {
    const auto refuse = [&](const char* what) {
      throw Error(what, "the requested images", "request depth or overdraw");
    };
    if (outputs.normal) refuse("images have no normals");
    if (outputs.tile_cost) refuse("images are not drawn in tiles");
    if (outputs.slice) refuse("images have no slices");
  }

  FrameStats draw_image(const Camera& camera, const RenderSettings& settings, Frame& frame) {
    rgb_.resize_discard(frame.rgb.pixels.size());
    alpha_.resize_discard(frame.alpha.pixels.size());
    depth_.resize_discard(frame.depth_expected.pixels.size());
    overdraw_.resize_discard(frame.overdraw.pixels.size());
    const double aspect = image_aspect(field_);
    ImagePictureArgs args{
        .field = tables_.tables(),
        .view = image_view(aspect, camera),
        .width = camera.width,
        .height = camera.height,
        .samples_per_side = image_samples_per_side(aspect, field_.image_height, camera),
        .hdr = field_.hdr,
        .background = {},
        .rgb = rgb_.data(),
        .alpha = data_or_null(alpha_),
        .depth = data_or_null(depth_),
        .overdraw = data_or_null(overdraw_)};
    std::ranges::copy(settings.background, args.background);
    start_.record(stream_);
    run_image_picture(args, stream_);
    end_.record(stream_);
    if (settings.outputs.picture) download(frame);
    check(cudaStreamSynchronize(stream_), "drawing a neural image");
    FrameStats stats;
    const auto samples = static_cast<std::uint64_t>(args.samples_per_side);
    stats.evaluations = samples * samples * static_cast<std::uint64_t>(camera.width) *
                        static_cast<std::uint64_t>(camera.height);
    // Rays, encoding, network and display are one kernel.
    stats.network_ms = static_cast<double>(end_.elapsed_ms(start_));
    return stats;
  }

  void download(Frame& frame) {
    rgb_.download(frame.rgb.pixels.span(), stream_);
    alpha_.download(frame.alpha.pixels.span(), stream_);
    depth_.download(frame.depth_expected.pixels.span(), stream_);
    depth_.download(frame.depth_median.pixels.span(), stream_);
    overdraw_.download(frame.overdraw.pixels.span(), stream_);
  }

  void evaluate_some(const float* positions, std::size_t count, std::size_t stride, float* values) {
    positions_.resize_discard(inputs_ * count);
    values_.resize_discard(outputs_ * count);
    for (std::size_t i = 0; i < inputs_; ++i) {
      positions_.upload({positions + i * stride, count}, stream_, i * count);
    }
    run_field_values({.field = tables_.tables(),
                      .positions = positions_.data(),
                      .values = values_.data(),
                      .count = static_cast<unsigned>(count),
                      .stride = count},
                     stream_);
    for (std::size_t i = 0; i < outputs_; ++i) {
      values_.download({values + i * stride, count}, stream_, i * count);
    }
    check(cudaStreamSynchronize(stream_), "evaluating a neural field");
  }

  Gpu gpu_;
  std::string device_;
  cudaStream_t stream_;
  DeviceTables tables_;
  std::size_t inputs_, outputs_;
  NeuralField field_;  // without its parameters
  DeviceBuffer<float> rgb_{"the picture"}, alpha_{"the picture's alpha"};
  DeviceBuffer<float> depth_{"the picture's depth"}, overdraw_{"the picture's overdraw"};
  DeviceBuffer<float> positions_{"positions in a field"}, values_{"values of a field"};
  Event start_{EventUse::timing}, end_{EventUse::timing};
};

}  // namespace

std::unique_ptr<DeviceField> make_cuda_field(NeuralField field, const std::string& device,
                                             cudaStream_t stream) {
  const std::string missing = missing_kernels(field);
  if (!missing.empty()) throw Error(missing, device, "use --device cpu");
  return with_remedy([&] { return std::make_unique<CudaField>(std::move(field), device, stream); },
                     [] { return "end other programs on the device, or use --device cpu"; });
}

}  // namespace mote::cuda
