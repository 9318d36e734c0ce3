#include "cpu/binning.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "splats/kinds/ellipse.h"

namespace mote {
namespace {

constexpr std::size_t kPartsPerThread = 16;

/// Calls visit(column, row) for every bin that the splat's ellipse touches, row by row.
template <class Visit>
void for_each_bin(const ProjectedSplat& s, const Visit& visit) {
  const int x0 = s.bins[0], x1 = s.bins[1], y0 = s.bins[2], y1 = s.bins[3];
  if (x0 == x1 || y0 == y1) {
    for (int y = y0; y <= y1; ++y) {
      for (int x = x0; x <= x1; ++x) visit(x, y);
    }
    return;
  }
  const EllipseForm<float> response{s.curvature_u, s.shear, s.curvature_y, s.shear_x};
  const float limit = s.log2_opacity - kLog2AlphaMin;
  constexpr float kBin = kBinPx;
  const auto bin_at = [](float px, int first, int last) {
    return static_cast<int>(
        std::clamp(px / kBin, static_cast<float>(first), static_cast<float>(last)));
  };
  for (int y = y0; y <= y1; ++y) {
    const float top = static_cast<float>(y) * kBin - s.mean_y;
    const EllipseSpan<float> span =
        ellipse_span(response, limit, s.extent_x, s.extent_y, top, top + kBin);
    const float left = s.mean_x + span.left, right = s.mean_x + span.right;
    if (right < static_cast<float>(x0) * kBin || left > static_cast<float>(x1 + 1) * kBin) continue;
    for (int x = bin_at(left, x0, x1); x <= bin_at(right, x0, x1); ++x) visit(x, y);
  }
}

}  // namespace

std::size_t clusters_per_part(std::size_t blocks, int threads) {
  const std::size_t clusters = (blocks + kClusterBlocks - 1) / kClusterBlocks;
  const std::size_t wanted = kPartsPerThread * static_cast<std::size_t>(threads);
  return std::max<std::size_t>(1, (clusters + wanted - 1) / wanted);
}

void Binning::split(std::span<const SceneToProject> scenes) {
  std::size_t parts = 0, blocks_before = 0;
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const BlocksToProject& scene = scenes[i].blocks;
    const std::size_t step = scene.clusters_per_part * kClusterBlocks;
    for (std::size_t first = 0; first < scene.blocks; first += step) {
      if (++parts > parts_.size()) parts_.emplace_back();
      Part& part = parts_[parts - 1];
      part.scene = i;
      part.first_block = first;
      part.end_block = std::min(scene.blocks, first + step);
      part.first_place = (blocks_before + first) * kBlockSize;
    }
    blocks_before += scene.blocks;
  }
  parts_.resize(parts);
  if (blocks_before * kBlockSize > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("more than 2^32 - 1 splats are shown together", "view", "show fewer scenes");
  }
  projected_.resize_discard(blocks_before * kBlockSize);
}

std::size_t Binning::memory_bytes() const {
  std::size_t bytes = projected_.size() * sizeof(ProjectedSplat) + extras_.size() * sizeof(float) +
                      entries_.size() * sizeof(BinEntry) +
                      hit_splats_.size() * sizeof(std::uint32_t);
  bytes += first_.size() * sizeof(std::size_t);
  for (const Part& part : parts_) {
    bytes += part.hits.capacity() * sizeof(BinHit) + part.in_bin.capacity() * sizeof(std::uint32_t);
  }
  return bytes;
}

ProjectedPart Binning::part(std::size_t i) const {
  const Part& p = parts_[i];
  return {p.first_block,
          p.end_block,
          {projected_.data() + p.first_place, p.visible},
          p.hits,
          p.first_hit};
}

void Binning::project(std::span<const SceneToProject> scenes, const CpuKernels& kernels,
                      ThreadPool& pool) {
  CHECK(!scenes.empty());
  const ProjectParams& image = scenes[0].params;
  columns_ = (static_cast<int>(image.camera.width) + kBinPx - 1) / kBinPx;
  const int rows = (static_cast<int>(image.camera.height) + kBinPx - 1) / kBinPx;
  const auto bins = static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows);
  first_.assign(bins + 1, 0);
  split(scenes);
  kind_ = image.kind;
  extra_words_ = static_cast<std::size_t>(
      image.shape == SplatShape::blended ? kind_info(kind_).extra_words : kSurfaceWords);
  extras_.resize_discard(projected_.size() * extra_words_);
  std::vector<Frustum> frusta;
  for (const SceneToProject& scene : scenes) {
    CHECK(scene.params.kind == kind_);
    frusta.push_back(make_frustum(scene.params.camera, scene.params.splat_scale));
  }
  pool.run(parts_.size(), [&](std::size_t i, int) {
    Part& part = parts_[i];
    part.in_bin.assign(bins, 0);
    project_part(scenes[part.scene], frusta[part.scene], kernels, part);
  });
}

void Binning::project_part(const SceneToProject& scene, const Frustum& frustum,
                           const CpuKernels& kernels, Part& part) {
  part.hits.clear();
  part.visible = 0;
  const std::span<const Cluster> clusters = scene.blocks.clusters;
  ProjectedSplat* next = projected_.data() + part.first_place;
  for (std::size_t block = part.first_block; block < part.end_block; block += kClusterBlocks) {
    if (!clusters.empty() && !may_see(frustum, clusters[block / kClusterBlocks])) continue;
    const std::size_t end = std::min(block + kClusterBlocks, part.end_block);
    float* extras =
        extras_.data() + static_cast<std::size_t>(next - projected_.data()) * extra_words_;
    const std::size_t visible = kernels.project(scene.params, block, end, next, extras);
    if (scene.first_index != 0) {
      for (std::size_t i = 0; i < visible; ++i) next[i].index += scene.first_index;
    }
    add_hits(part, next, next + visible);
    next += visible;
    part.visible += visible;
  }
}

void Binning::add_hits(Part& part, const ProjectedSplat* begin, const ProjectedSplat* end) const {
  for (const ProjectedSplat* s = begin; s != end; ++s) {
    const auto number = static_cast<std::uint32_t>(s - projected_.data());
    for_each_bin(*s, [&](int x, int y) {
      const auto bin = static_cast<std::uint32_t>(y * columns_ + x);
      part.hits.push_back({bin, number, std::bit_cast<std::uint32_t>(s->depth)});
      ++part.in_bin[bin];
    });
  }
}

void Binning::fill(ThreadPool& pool, bool number_hits) {
  // Counts become offsets, ordered by bin, then by part.
  std::size_t place = 0;
  for (std::size_t b = 0; b < bin_count(); ++b) {
    first_[b] = place;
    for (Part& part : parts_) {
      const std::uint32_t count = part.in_bin[b];
      part.in_bin[b] = static_cast<std::uint32_t>(place - first_[b]);
      place += count;
    }
  }
  first_.back() = place;
  entries_.resize_discard(place);
  visible_ = 0;
  std::size_t hits = 0;
  for (Part& part : parts_) {
    visible_ += part.visible;
    part.first_hit = hits;
    hits += part.hits.size();
  }
  hit_splats_.resize_discard(number_hits ? hits : 0);
  if (hits > std::numeric_limits<std::uint32_t>::max()) {
    throw Error("more than 2^32 - 1 pairs of a splat and a bin of 64x64 pixels", "view",
                "render fewer splats or a smaller image");
  }

  pool.run(parts_.size(), [&](std::size_t i, int) {
    Part& part = parts_[i];
    auto number = static_cast<std::uint32_t>(part.first_hit);
    for (const BinHit& hit : part.hits) {
      if (number_hits) hit_splats_[number] = hit.splat;
      entries_[first_[hit.bin] + part.in_bin[hit.bin]++] =
          static_cast<BinEntry>(hit.depth_bits) << 32 | (number_hits ? number : hit.splat);
      ++number;
    }
  });
}

}  // namespace mote
