#pragma once

// The state of a tile's pixels during drawing, and their output to the frame. Only kernel files
// include this.

#include <hwy/cache_control.h>

#include "cpu/quad.h"
#include "cpu/tile_batch.h"
#include "lanes/pack.h"
#include "pipeline/blend.h"

namespace mote::MOTE_ISA {

/// The sums of a pixel that are computed in addition to colour.
struct PixelSums {
  bool depth, overdraw, surface;
};

/// The state of a tile's pixels, by block.
struct TileState {
  alignas(64) float transmittance[kBlocks][kBlockPixels];
  alignas(64) float color[3][kBlocks][kBlockPixels];
  alignas(64) float open[kBlocks][kBlockPixels];  // 1; 0 once a pixel has stopped
  alignas(64) float weighted_depth[kBlocks][kBlockPixels];
  alignas(64) float median_depth[kBlocks][kBlockPixels];
  alignas(64) float overdraw[kBlocks][kBlockPixels];
  alignas(64) float surface[kSurfaceSums][kBlocks][kBlockPixels];
};

/// Starts the pixels of a tile. Marks those outside the image as stopped. Returns a bit mask of the
/// blocks with a pixel inside.
template <PixelSums SUMS>
std::uint32_t clear(TileState& state, int width, int height) {
  std::uint32_t inside = 0;
  for (int block = 0; block < kBlocks; ++block) {
    for (int i = 0; i < kBlockPixels; i += kPackLanes) {
      store(Pack(1.0f), &state.transmittance[block][i]);
      store(Pack(1.0f), &state.open[block][i]);
      for (auto& channel : state.color) store(Pack(), &channel[block][i]);
      if constexpr (SUMS.depth) {
        store(Pack(), &state.weighted_depth[block][i]);
        store(Pack(), &state.median_depth[block][i]);
      }
      if constexpr (SUMS.overdraw) store(Pack(), &state.overdraw[block][i]);
      if constexpr (SUMS.surface) {
        for (auto& sum : state.surface) store(Pack(), &sum[block][i]);
      }
    }
    const int x = block % kGridSide * kPixelBlock, y = block / kGridSide * kPixelBlock;
    if (x < width && y < height) inside |= 1u << block;
    if (x + kPixelBlock <= width && y + kPixelBlock <= height) continue;
    for (int i = 0; i < kBlockPixels; ++i) {
      if (x + i % kPixelBlock >= width || y + i / kPixelBlock >= height) {
        state.open[block][i] = 0;
      }
    }
  }
  return inside;
}

/// The colours of a tile's pixels in the frame's layout: [kTilePx][kTilePx][3].
struct TileColors {
  alignas(64) float rgb[kTilePx][kTilePx * 3];
};

inline void finish_colors(const TileState& state, const float* background, TileColors& colors) {
  const Quad red(background[0]), green(background[1]), blue(background[2]);
  for (int block = 0; block < kBlocks; ++block) {
    for (int y = 0; y < kPixelBlock; ++y) {
      const int pixel = y * kPixelBlock;
      const Quad transmittance = load_quad(&state.transmittance[block][pixel]);
      const auto channel = [&](std::size_t c, Quad behind) {
        return over_background(load_quad(&state.color[c][block][pixel]), transmittance, behind);
      };
      hn::StoreInterleaved3(
          channel(0, red).value, channel(1, green).value, channel(2, blue).value, QuadTag(),
          &colors.rgb[block / kGridSide * kPixelBlock + y][block % kGridSide * kPixelBlock * 3]);
    }
  }
}

/// Writes the colours of a tile. Whole tiles on cache line boundaries are written past the caches.
/// Otherwise the processor would read the frame before overwriting it, since a frame is larger than
/// the caches.
inline void write_colors(const TileColors& colors, const TileParams& params) {
  constexpr std::size_t kRow = kTilePx * 3;
  const bool whole_lines = params.width == kTilePx && params.row_pixels % kTilePx == 0;
  for (int y = 0; y < params.height; ++y) {
    float* out = params.rgb + static_cast<std::size_t>(y) * params.row_pixels * 3;
    if (whole_lines) {
      for (std::size_t i = 0; i < kRow; i += kPackLanes) {
        hn::Stream(load(colors.rgb[y] + i).value, PackTag(), out + i);
      }
    } else {
      __builtin_memcpy(out, colors.rgb[y],
                       static_cast<std::size_t>(params.width) * 3 * sizeof(float));
    }
  }
}

/// Writes the colours with the background, by channel, and the sums of the surface payload.
template <bool SURFACE>
void write_planes(const TileState& state, const TileParams& params) {
  for (int block = 0; block < kBlocks; ++block) {
    const int x = block % kGridSide * kPixelBlock, first_y = block / kGridSide * kPixelBlock;
    for (int row = 0; row < kPixelBlock && first_y + row < params.height; ++row) {
      const int pixel = row * kPixelBlock;
      const Quad transmittance = load_quad(&state.transmittance[block][pixel]);
      const std::size_t at = static_cast<std::size_t>(first_y + row) * params.plane_stride +
                             static_cast<std::size_t>(x);
      for (std::size_t c = 0; c < 3; ++c) {
        // Rows of planes are long enough for whole tiles.
        store(over_background(load_quad(&state.color[c][block][pixel]), transmittance,
                              Quad(params.background[c])),
              params.planes[c] + at);
      }
      store(transmittance, params.transmittance + at);
      if constexpr (SURFACE) {
        for (std::size_t k = 0; k < kSurfaceSums; ++k) {
          store(load_quad(&state.surface[k][block][pixel]), params.surface[k] + at);
        }
      }
    }
  }
}

/// Writes the outputs other than colour. SUMS: the sums that the state holds.
template <PixelSums SUMS>
void write_extras(const TileState& state, const TileParams& params) {
  for (int y = 0; y < params.height; ++y) {
    for (int x = 0; x < params.width; ++x) {
      const int block = y / kPixelBlock * kGridSide + x / kPixelBlock;
      const int pixel = y % kPixelBlock * kPixelBlock + x % kPixelBlock;
      const std::size_t at =
          static_cast<std::size_t>(y) * params.row_pixels + static_cast<std::size_t>(x);
      const float alpha = alpha_of(state.transmittance[block][pixel]);
      if (params.alpha != nullptr) params.alpha[at] = alpha;
      if constexpr (SUMS.depth) {
        if (params.depth_expected != nullptr) {
          params.depth_expected[at] = expected_depth(alpha, state.weighted_depth[block][pixel]);
          params.depth_median[at] = state.median_depth[block][pixel];
        }
      }
      if constexpr (SUMS.overdraw) {
        if (params.overdraw != nullptr) params.overdraw[at] = state.overdraw[block][pixel];
      }
      if constexpr (SUMS.surface) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          params.normal[at * 3 + axis] = state.surface[kNormalXSum + axis][block][pixel];
        }
      }
    }
  }
}

/// Fills a tile without splats with the background.
inline void fill(const TileParams& params) {
  TileColors colors;
  for (float(&row)[kTilePx * 3] : colors.rgb) {
    for (int i = 0; i < kTilePx * 3; ++i) row[i] = params.background[i % 3];
  }
  write_colors(colors, params);
  for (float* plane : {params.alpha, params.depth_expected, params.depth_median, params.overdraw}) {
    if (plane == nullptr) continue;
    for (int y = 0; y < params.height; ++y) {
      __builtin_memset(plane + static_cast<std::size_t>(y) * params.row_pixels, 0,
                       static_cast<std::size_t>(params.width) * sizeof(float));
    }
  }
  if (params.normal == nullptr) return;
  for (int y = 0; y < params.height; ++y) {
    __builtin_memset(params.normal + static_cast<std::size_t>(y) * params.row_pixels * 3, 0,
                     static_cast<std::size_t>(params.width) * 3 * sizeof(float));
  }
}

}  // namespace mote::MOTE_ISA
