#include "cpu/training_image.h"

#include <algorithm>

#include "core/error.h"
#include "cpu/cpu_renderer.h"

namespace mote {
namespace {

bool fits(const Image8& image, int width, int height) {
  return image.pixels.empty() || (image.width == width && image.height == height);
}

/// dL/d(background) of a range of rows: sums of transmittance * dL/dcolour.
std::array<double, 3> background_gradient(const float* transmittance,
                                          const std::array<const float*, 3>& d_color, int width,
                                          std::size_t stride, int first_row, int end_row) {
  std::array<double, 3> sums{};
  for (int y = first_row; y < end_row; ++y) {
    const std::size_t at = static_cast<std::size_t>(y) * stride;
    for (std::size_t c = 0; c < 3; ++c) {
      float row = 0;
      for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
        row += transmittance[at + x] * d_color[c][at + x];
      }
      sums[c] += static_cast<double>(row);
    }
  }
  return sums;
}

/// Length of a record of gradient sums.
std::size_t sum_count(const Binning& binning) {
  return static_cast<std::size_t>(kind_info(binning.kind()).padded_sums);
}

}  // namespace

void TrainingImage::blend(Binning& binning, const StepRequest& request) {
  width_ = request.camera.width;
  height_ = request.camera.height;
  stride_ = plane_stride(width_);
  background_ = request.background;
  camera_ = camera_floats(request.camera);
  const std::size_t floats = stride_ * static_cast<std::size_t>(height_);
  const bool surface = request.loss.of_surface() && kind_info(binning.kind()).is_surface;
  for (Buffer<float>& plane : surface_) plane.resize_discard(surface ? floats : 0);
  for (Buffer<float>& plane : d_surface_) plane.resize_discard(surface ? floats : 0);
  for (std::size_t c = 0; c < 3; ++c) {
    color_[c].resize_discard(floats);
    d_color_[c].resize_discard(floats);
  }
  transmittance_.resize_discard(floats);
  for (Work& work : works_) work.pairs = work.evaluations = 0;
  order_by_size(binning, bin_order_);
  pool_.run(bin_order_.size(), [&](std::size_t i, int thread) {
    Work& work = works_[static_cast<std::size_t>(thread)];
    work.bin.sort(binning, bin_order_[i]);
    work.bin.list_tiles(kernels_, SplatShape::blended);
    for (int tile = 0; tile < kTilesPerBin; ++tile) {
      const TileParams params = forward_tile(work.bin, tile);
      if (params.width <= 0 || params.height <= 0) continue;
      work.pairs += params.list_size;
      work.evaluations += kernels_.blend_tile(params);
    }
  });
  pairs_ = evaluations_ = 0;
  for (const Work& work : works_) {
    pairs_ += work.pairs;
    evaluations_ += work.evaluations;
  }
}

TileParams TrainingImage::forward_tile(const BinWork& bin, int tile) {
  TileParams params = bin.tile(tile, width_, height_);
  if (params.width <= 0 || params.height <= 0) return params;
  std::copy(background_.begin(), background_.end(), params.background);
  params.plane_stride = stride_;
  const std::size_t at = static_cast<std::size_t>(params.origin_y) * stride_ +
                         static_cast<std::size_t>(params.origin_x);
  for (std::size_t c = 0; c < 3; ++c) {
    params.planes[c] = color_[c].data() + at;
  }
  params.transmittance = transmittance_.data() + at;
  if (!surface_[0].empty()) {
    params.camera = &camera_;
    for (std::size_t k = 0; k < kSurfaceSums; ++k) params.surface[k] = surface_[k].data() + at;
  }
  return params;
}

void TrainingImage::compare(const StepRequest& request, StepResult& result) {
  const PhotoPixels& photo = *request.photo;
  CHECK(photo.color.width == width_ && photo.color.height == height_);
  CHECK(photo.color.channels == 3 || photo.color.channels == 4);
  CHECK(fits(photo.mask, width_, height_));
  const double weight = total_weight(photo);
  LossParams params{};
  params.width = width_;
  params.height = height_;
  params.stride = stride_;
  std::array<const float*, 3> d_color{};
  for (std::size_t c = 0; c < 3; ++c) {
    params.rendered[c] = color_[c].data();
    params.d_rendered[c] = d_color_[c].data();
    d_color[c] = d_color_[c].data();
    params.background[c] = background_[c];
  }
  params.photo = photo.color.pixels.data();
  params.photo_channels = photo.color.channels;
  params.mask = photo.mask.pixels.empty() ? nullptr : photo.mask.pixels.data();
  std::copy(request.exposure.begin(), request.exposure.end(), params.exposure);
  params.ssim_weight = request.loss.ssim_weight;
  params.scale = weight > 0 ? static_cast<float>(1 / (3 * weight)) : 0.0f;

  struct Band {
    LossSums loss;
    std::array<double, 3> d_background;
  };
  std::vector<Band> bands(static_cast<std::size_t>((height_ + kLossBandRows - 1) / kLossBandRows));
  pool_.run(bands.size(), [&](std::size_t i, int thread) {
    Buffer<float>& scratch = works_[static_cast<std::size_t>(thread)].scratch;
    scratch.resize_discard(loss_scratch_floats(width_));
    const int first = static_cast<int>(i) * kLossBandRows;
    bands[i].loss = kernels_.loss_band(params, first, scratch.data());
    bands[i].d_background = background_gradient(transmittance_.data(), d_color, width_, stride_,
                                                first, std::min(height_, first + kLossBandRows));
  });

  LossSums sums;
  std::array<double, 3> d_background{};
  for (const Band& band : bands) {
    sums.absolute += band.loss.absolute;
    sums.ssim += band.loss.ssim;
    sums.squared += band.loss.squared;
    for (std::size_t k = 0; k < kExposureValues; ++k) sums.d_exposure[k] += band.loss.d_exposure[k];
    for (std::size_t c = 0; c < 3; ++c) {
      d_background[c] += band.d_background[c] + band.loss.d_background_target[c];
    }
  }
  set_losses({sums.absolute, sums.ssim, sums.squared}, weight, request.loss.ssim_weight, result);
  for (std::size_t k = 0; k < kExposureValues; ++k) {
    result.d_exposure[k] = static_cast<float>(sums.d_exposure[k]);
  }
  for (std::size_t c = 0; c < 3; ++c) result.d_background[c] = static_cast<float>(d_background[c]);
  if (!surface_[0].empty()) differentiate_surface(request.loss);
}

void TrainingImage::differentiate_surface(const LossSettings& loss) {
  const float pixels = static_cast<float>(width_) * static_cast<float>(height_);
  SurfaceLossParams params{};
  params.camera = &camera_;
  params.width = width_;
  params.height = height_;
  params.stride = stride_;
  params.transmittance = transmittance_.data();
  for (std::size_t k = 0; k < kSurfaceSums; ++k) params.sums[k] = surface_[k].data();
  for (std::size_t k = 0; k < kSurfaceGradients; ++k) params.d_sums[k] = d_surface_[k].data();
  params.distortion_weight = loss.distortion_weight / pixels;
  params.normal_weight = loss.normal_weight / pixels;
  pool_.run(static_cast<std::size_t>((height_ + kLossBandRows - 1) / kLossBandRows),
            [&](std::size_t i, int thread) {
              Buffer<float>& scratch = works_[static_cast<std::size_t>(thread)].scratch;
              scratch.resize_discard(loss_scratch_floats(width_));
              kernels_.surface_band(params, static_cast<int>(i) * kLossBandRows, scratch.data());
            });
}

const float* TrainingImage::backward(Binning& binning, bool absolute) {
  sums_.resize_discard(binning.entry_count() * sum_count(binning));
  pool_.run(bin_order_.size(), [&](std::size_t i, int thread) {
    backward_bin(binning, bin_order_[i], absolute, works_[static_cast<std::size_t>(thread)]);
  });
  return sums_.data();
}

void TrainingImage::backward_bin(Binning& binning, std::size_t bin, bool absolute, Work& work) {
  const auto entries = binning.bin(bin);
  work.bin.gather(binning, bin);
  work.bin.list_tiles(kernels_, SplatShape::blended);
  const std::size_t count = sum_count(binning);
  work.sums.resize_discard(entries.size() * count);
  std::ranges::fill(work.sums.span(), 0.0f);
  for (int tile = 0; tile < kTilesPerBin; ++tile) {
    const TileParams forward = work.bin.tile(tile, width_, height_);
    if (forward.width <= 0 || forward.height <= 0) continue;
    BackwardTileParams params{};
    params.kind = forward.kind;
    params.splats = forward.splats;
    params.extras = forward.extras;
    params.list = forward.list;
    params.list_size = forward.list_size;
    params.origin_x = forward.origin_x;
    params.origin_y = forward.origin_y;
    params.width = forward.width;
    params.height = forward.height;
    const std::size_t at = static_cast<std::size_t>(forward.origin_y) * stride_ +
                           static_cast<std::size_t>(forward.origin_x);
    for (std::size_t c = 0; c < 3; ++c) {
      params.color[c] = color_[c].data() + at;
      params.d_color[c] = d_color_[c].data() + at;
    }
    if (!surface_[0].empty()) {
      params.camera = &camera_;
      params.transmittance = transmittance_.data() + at;
      for (std::size_t k = 0; k < kSurfaceSums; ++k) params.surface[k] = surface_[k].data() + at;
      for (std::size_t k = 0; k < kSurfaceGradients; ++k) {
        params.d_surface[k] = d_surface_[k].data() + at;
      }
    }
    params.plane_stride = stride_;
    params.absolute = absolute;
    params.sums = work.sums.data();
    kernels_.backward_tile(params);
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::size_t hit = static_cast<std::uint32_t>(entries[i]);
    std::copy_n(work.sums.data() + i * count, count, sums_.data() + hit * count);
  }
}

std::size_t TrainingImage::pixel_bytes() const {
  std::size_t floats = transmittance_.size();
  for (std::size_t c = 0; c < 3; ++c) floats += color_[c].size() + d_color_[c].size();
  for (const Buffer<float>& plane : surface_) floats += plane.size();
  for (const Buffer<float>& plane : d_surface_) floats += plane.size();
  for (const Work& work : works_) floats += work.scratch.size();
  return floats * sizeof(float);
}

std::size_t TrainingImage::pair_bytes() const {
  std::size_t bytes = sums_.size() * sizeof(float);
  for (const Work& work : works_) {
    bytes += work.bin.memory_bytes() + work.sums.size() * sizeof(float);
  }
  return bytes;
}

}  // namespace mote
