#include "cpu/bin_work.h"

#include <hwy/cache_control.h>

#include <algorithm>
#include <numeric>

#include "cpu/depth_sort.h"

namespace mote {

void BinWork::sort(Binning& binning, std::size_t bin) {
  sort_by_depth(binning.bin(bin), binning, sort_scratch_);
  gather(binning, bin);
}

void BinWork::gather(Binning& binning, std::size_t bin) {
  x_ = static_cast<int>(bin) % binning.columns() * kBinPx;
  y_ = static_cast<int>(bin) / binning.columns() * kBinPx;
  const auto entries = binning.bin(bin);
  sorted_.resize_discard(entries.size());
  constexpr std::size_t kAhead = 32;  // prefetch distance, in splats; their memory is scattered
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i + kAhead < entries.size()) __builtin_prefetch(&binning.splat(entries[i + kAhead]));
    sorted_[i] = binning.splat(entries[i]);
  }
  kind_ = binning.kind();
  const std::size_t words = binning.extra_words();
  extras_.resize_discard(entries.size() * words);
  if (words == 0) return;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    std::copy_n(binning.extra(entries[i]), words, extras_.data() + i * words);
  }
}

void BinWork::list_tiles(const CpuKernels& kernels, SplatShape shape) {
  const std::size_t capacity = list_capacity_for(sorted_.size());
  lists_.resize_discard(capacity * kTilesPerBin);
  if (numbers_.size() < capacity) {
    numbers_.resize_discard(capacity);
    std::iota(numbers_.data(), numbers_.data() + capacity, 0u);
  }
  std::fill(std::begin(list_sizes_), std::end(list_sizes_), 0u);
  kernels.list_tiles({.kind = kind_,
                      .solid = shape != SplatShape::blended,
                      .splats = sorted_.data(),
                      .extras = extras_.data(),
                      .numbers = numbers_.data(),
                      .count = sorted_.size(),
                      .list_capacity = capacity,
                      .x = static_cast<float>(x_),
                      .y = static_cast<float>(y_)},
                     lists_.data(), list_sizes_);
}

TileParams BinWork::tile(int tile, int image_width, int image_height) const {
  TileParams params{};
  params.kind = kind_;
  params.splats = sorted_.data();
  params.extras = extras_.data();
  place(tile, image_width, image_height, params);
  return params;
}

void BinWork::place(int tile, int image_width, int image_height, TileParams& params) const {
  const int x = x_ + tile % kBinTiles * kTilePx, y = y_ + tile / kBinTiles * kTilePx;
  params.width = std::clamp(image_width - x, 0, kTilePx);
  params.height = std::clamp(image_height - y, 0, kTilePx);
  params.list = lists_.data() + static_cast<std::size_t>(tile) * list_capacity_for(sorted_.size());
  params.list_size = list_sizes_[tile];
  params.origin_x = static_cast<float>(x);
  params.origin_y = static_cast<float>(y);
}

std::size_t BinWork::memory_bytes() const {
  return sort_scratch_.size() * sizeof(BinEntry) + sorted_.size() * sizeof(ProjectedSplat) +
         extras_.size() * sizeof(float) + (numbers_.size() + lists_.size()) * sizeof(std::uint32_t);
}

BlendCounts BinWork::blend_tiles(const CpuKernels& kernels, int first, int end,
                                 const DrawnView& view, Frame& frame) const {
  const RenderSettings& settings = view.settings;
  const RenderOutputs& outputs = settings.outputs;
  const int width = frame.rgb.width, height = frame.rgb.height;
  const CameraFloats lens = camera_floats(view.camera);
  TileParams params = tile(first, width, height);
  std::copy(settings.background.begin(), settings.background.end(), params.background);
  params.row_pixels = static_cast<std::size_t>(width);
  if (outputs.normal) params.camera = &lens;
  BlendCounts counts;
  for (int tile = first; tile < end; ++tile) {
    place(tile, width, height, params);
    if (params.width == 0 || params.height == 0) continue;
    counts.pairs += params.list_size;
    const std::size_t at = static_cast<std::size_t>(params.origin_y) * params.row_pixels +
                           static_cast<std::size_t>(params.origin_x);
    params.rgb = frame.rgb.pixels.data() + at * 3;
    if (outputs.alpha) params.alpha = frame.alpha.pixels.data() + at;
    if (outputs.depth) {
      params.depth_expected = frame.depth_expected.pixels.data() + at;
      params.depth_median = frame.depth_median.pixels.data() + at;
    }
    if (outputs.normal) params.normal = frame.normal.pixels.data() + at * 3;
    if (outputs.overdraw) params.overdraw = frame.overdraw.pixels.data() + at;
    if (outputs.tile_cost) {
      float* row = frame.tile_cost.pixels.data() + at;
      for (int y = 0; y < params.height; ++y, row += params.row_pixels) {
        std::fill_n(row, params.width, static_cast<float>(params.list_size));
      }
    }
    if (settings.shape == SplatShape::blended) {
      counts.evaluations += kernels.blend_tile(params);
    } else {
      counts.evaluations +=
          kernels.draw_solid_tile({.tile = params,
                                   .shaded = settings.shape == SplatShape::ellipsoid,
                                   .focal_x = lens.focal_x,
                                   .focal_y = lens.focal_y,
                                   .center_x = lens.center_x,
                                   .center_y = lens.center_y});
    }
  }
  hwy::FlushStream();
  return counts;
}

}  // namespace mote
