#include "cuda/training_image.h"

#include <algorithm>

#include "core/error.h"
#include "cuda/kernels/backward.h"
#include "cuda/kernels/blend.h"
#include "cuda/kernels/column_sums.h"
#include "cuda/kernels/surface_loss.h"

namespace mote::cuda {
namespace {

/// The factor that turns a sum over pixels and channels into their mean.
double mean_scale(const PhotoFeed::Photo& photo) {
  return photo.weight > 0 ? 1 / (3 * photo.weight) : 0;
}

}  // namespace

TrainingImage::TrainingImage(cudaStream_t stream, BackwardForm form)
    : stream_(stream), form_(form), photos_(stream) {
  sums_.resize_discard(kLossSums);
  host_sums_.resize_discard(kLossSums);
}

void TrainingImage::enqueue_photo(const StepRequest& request, SplatKind kind) {
  CHECK(request.photo != nullptr);
  const PhotoPixels& photo = *request.photo;
  const Image8 &color = photo.color, &mask = photo.mask;
  const Camera& camera = request.camera;
  CHECK(color.width == camera.width && color.height == camera.height);
  CHECK(color.channels == 3 || color.channels == 4);
  CHECK(mask.pixels.empty() || (mask.width == color.width && mask.height == color.height));
  photo_ = photos_.take(photo);
  const std::size_t pixels =
      static_cast<std::size_t>(camera.width) * static_cast<std::size_t>(camera.height);
  rgb_.resize_discard(3 * pixels);
  d_rgb_.resize_discard(3 * pixels);
  alpha_.resize_discard(pixels);
  const bool surface = request.loss.of_surface() && kind_info(kind).is_surface;
  surface_.resize_discard(surface ? kSurfaceSums * pixels : 0);
  d_surface_.resize_discard(surface ? kSurfaceGradients * pixels : 0);
  derivatives_.resize_discard(request.loss.ssim_weight != 0 ? 12 * pixels
                              : surface                     ? kSlopeValues * pixels
                                                            : 0);
}

Checkpoints TrainingImage::make_checkpoints(const TileLists& lists) {
  const std::size_t pairs = lists.key_capacity();
  checkpoint_states_.resize_discard(state_capacity(pairs, spacing()) * kMacroPixels);
  checkpoint_strips_.resize_discard(piece_capacity(pairs, lists.tiles(), spacing()) * kStrips);
  checkpoint_strips_.fill_bytes(0, stream_);
  return {checkpoint_states_.data(), checkpoint_strips_.data(), spacing()};
}

void TrainingImage::enqueue_blend(TileLists& lists) {
  checkpoints_ = with_checkpoints() ? make_checkpoints(lists) : Checkpoints{};
  run_blend({.frame = lists.params(),
             .kind = lists.kind(),
             .records = lists.records(),
             .extras = lists.extras(),
             .slot_of = nullptr,
             .first = lists.first(),
             .keys = lists.keys(),
             .out = {.rgb = rgb_.data(),
                     .alpha = alpha_.data(),
                     .surface = surface_.empty() ? nullptr : surface_.data()},
             .checkpoints = checkpoints_,
             .queue = lists.blend_queue(),
             .counters = lists.device_counters()},
            stream_);
}

void TrainingImage::enqueue_loss(const StepRequest& request, TileLists& lists) {
  const Image8& photo = request.photo->color;
  const unsigned blocks = loss_blocks(photo.width, photo.height);
  partials_.resize_discard(static_cast<std::size_t>(blocks) * kLossSums);
  LossArgs args{.width = photo.width,
                .height = photo.height,
                .rendered = rgb_.data(),
                .alpha = alpha_.data(),
                .photo = photo_.color,
                .photo_channels = photo.channels,
                .mask = photo_.mask,
                .background = {},
                .exposure = {},
                .ssim_weight = request.loss.ssim_weight,
                .scale = static_cast<float>(mean_scale(photo_)),
                .derivatives = derivatives_.data(),
                .d_rendered = d_rgb_.data(),
                .partials = partials_.data(),
                .counters = lists.device_counters()};
  std::copy(request.background.begin(), request.background.end(), args.background);
  std::copy(request.exposure.begin(), request.exposure.end(), args.exposure);
  run_loss(args, stream_);
  run_column_sums(lists.device_counters(), partials_.data(), blocks, kLossSums, sums_.data(),
                  stream_);
  sums_.download(host_sums_.span(), stream_);
  if (!surface_.empty()) enqueue_surface_loss(request.loss, lists);
}

void TrainingImage::enqueue_surface_loss(const LossSettings& loss, TileLists& lists) {
  const FrameParams& frame = lists.host_params();
  const float pixels = static_cast<float>(frame.width) * static_cast<float>(frame.height);
  run_surface_loss({.frame = lists.params(),
                    .width = frame.width,
                    .height = frame.height,
                    .alpha = alpha_.data(),
                    .surface = surface_.data(),
                    .distortion_weight = loss.distortion_weight / pixels,
                    .normal_weight = loss.normal_weight / pixels,
                    .slopes = derivatives_.data(),
                    .d_surface = d_surface_.data(),
                    .counters = lists.device_counters()},
                   stream_);
}

void TrainingImage::enqueue_backward(TileLists& lists, bool absolute) {
  slots_.resize_discard(lists.slot_capacity() *
                        static_cast<std::size_t>(kind_info(lists.kind()).padded_sums));
  slots_.fill_bytes(0, stream_);
  const BackwardArgs args{.frame = lists.params(),
                          .kind = lists.kind(),
                          .records = lists.records(),
                          .extras = lists.extras(),
                          .rects = lists.rects(),
                          .first_slots = lists.first_slots(),
                          .first = lists.first(),
                          .keys = lists.keys(),
                          .rgb = rgb_.data(),
                          .d_rgb = d_rgb_.data(),
                          .surface = surface_.empty() ? nullptr : surface_.data(),
                          .d_surface = d_surface_.empty() ? nullptr : d_surface_.data(),
                          .alpha = alpha_.data(),
                          .absolute = absolute,
                          .slots = slots_.data(),
                          .checkpoints = checkpoints_,
                          .queue = lists.backward_queue(),
                          .counters = lists.device_counters()};
  if (!by_buckets()) {
    run_backward(args, stream_);
    return;
  }
  const std::size_t buckets = checkpoint_strips_.size() / kStrips;
  run_bucket_backward(args, static_cast<unsigned>(buckets), stream_);
}

void TrainingImage::finish(const StepRequest& request, StepResult& result) const {
  const double* sums = host_sums_.data();
  set_losses({sums[kAbsoluteSum], sums[kSsimSum], sums[kSquaredSum]}, photo_.weight,
             request.loss.ssim_weight, result);
  for (std::size_t k = 0; k < kExposureValues; ++k) {
    result.d_exposure[k] = static_cast<float>(sums[kExposureSum + k]);
  }
  for (std::size_t c = 0; c < 3; ++c) {
    result.d_background[c] = static_cast<float>(sums[kBackgroundSum + c]);
  }
}

std::size_t TrainingImage::memory_bytes() const {
  return rgb_.bytes() + alpha_.bytes() + d_rgb_.bytes() + surface_.bytes() + d_surface_.bytes() +
         derivatives_.bytes() + partials_.bytes() + slots_.bytes() + checkpoint_states_.bytes() +
         checkpoint_strips_.bytes() + photos_.memory_bytes();
}

}  // namespace mote::cuda
