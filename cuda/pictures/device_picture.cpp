#include "cuda/pictures/device_picture.h"

#include "cuda/pictures/picture_sink.h"

namespace mote::cuda {
namespace {

const CudaPictureSink* sink_of(const RenderSettings& settings) {
  const PictureDelivery* delivery = settings.outputs.delivery;
  return delivery == nullptr ? nullptr : &dynamic_cast<const CudaPictureSink&>(*delivery->sink);
}

float* image_or_null(DeviceBuffer<float>& image) {
  return image.empty() ? nullptr : image.data();
}

}  // namespace

void DevicePicture::begin(const RenderSettings& settings, const Frame& frame) {
  const CudaPictureSink* sink = sink_of(settings);
  texels_ = sink != nullptr ? sink->target(*settings.outputs.delivery) : TexelTarget{};
  rgb_.resize_discard(sink != nullptr ? 0 : frame.rgb.pixels.size());
  alpha_.resize_discard(frame.alpha.pixels.size());
  depth_expected_.resize_discard(frame.depth_expected.pixels.size());
  depth_median_.resize_discard(frame.depth_median.pixels.size());
  overdraw_.resize_discard(frame.overdraw.pixels.size());
  tile_cost_.resize_discard(frame.tile_cost.pixels.size());
  normal_.resize_discard(frame.normal.pixels.size());
}

PictureImages DevicePicture::images() {
  return {.texels = texels_,
          .rgb = image_or_null(rgb_),
          .alpha = image_or_null(alpha_),
          .depth_expected = image_or_null(depth_expected_),
          .depth_median = image_or_null(depth_median_),
          .overdraw = image_or_null(overdraw_),
          .normal = image_or_null(normal_)};
}

float* DevicePicture::tile_cost() {
  return image_or_null(tile_cost_);
}

bool DevicePicture::finish(const RenderSettings& settings, Frame& frame) {
  const CudaPictureSink* sink = sink_of(settings);
  if (sink != nullptr) {
    check(cudaStreamSynchronize(stream_), "drawing a picture");
    sink->announce(*settings.outputs.delivery, stream_);
    return true;
  }
  if (settings.outputs.picture) {
    const auto copy = [&](const DeviceBuffer<float>& from, Image& image) {
      from.download(image.pixels.span(), stream_);
    };
    copy(rgb_, frame.rgb);
    copy(alpha_, frame.alpha);
    copy(depth_expected_, frame.depth_expected);
    copy(depth_median_, frame.depth_median);
    copy(overdraw_, frame.overdraw);
    copy(tile_cost_, frame.tile_cost);
    copy(normal_, frame.normal);
  }
  check(cudaStreamSynchronize(stream_), "drawing a picture");
  return false;
}

std::size_t DevicePicture::memory_bytes() const {
  std::size_t bytes = 0;
  for (const DeviceBuffer<float>* image :
       {&rgb_, &alpha_, &depth_expected_, &depth_median_, &overdraw_, &tile_cost_, &normal_}) {
    bytes += image->bytes();
  }
  return bytes;
}

}  // namespace mote::cuda
