#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/drawable_splats.h"
#include "core/buffer.h"
#include "core/parallel.h"
#include "cpu/kernels.h"

namespace mote {

/// A splat in a bin: the bits of its depth above its index among the projected splats, or above the
/// number of the hit if hits are numbered.
using BinEntry = std::uint64_t;

/// The input of projection: the splats' blocks, and optionally the bounds of clusters of
/// kClusterBlocks blocks. Projection skips clusters out of view.
struct BlocksToProject {
  std::size_t blocks;
  std::span<const Cluster> clusters;
  std::size_t clusters_per_part;  // each task processes one part
};

/// One of several scenes to project into one image.
struct SceneToProject {
  BlocksToProject blocks;
  ProjectParams params;
  std::uint32_t first_index = 0;  // added to the splats' indices in their file
};

/// A range of blocks that one task projected: its visible splats in the scene's order, and their
/// hits in the order of the splats.
struct ProjectedPart {
  std::size_t first_block, end_block;  // of its scene
  std::span<const ProjectedSplat> splats;
  std::span<const BinHit> hits;
  std::size_t first_hit;  // number of its first hit within the frame
};

/// The visible splats of one frame, sorted into the 64-px bins that they touch. Each frame reuses
/// the memory of the last one. Each bin has its splats in the scene's order, so the content does
/// not depend on the number of threads.
class Binning {
 public:
  /// Culls and projects the scenes, at least one, and counts the splats of each bin. The scenes
  /// have the same image and shape of splats. Throws Error if there are 2^32 splats or more.
  void project(std::span<const SceneToProject> scenes, const CpuKernels& kernels, ThreadPool& pool);
  /// Writes the projected splats into the bins. With `number_hits`, entries hold the number of the
  /// hit instead of the splat's index.
  void fill(ThreadPool& pool, bool number_hits = false);

  int columns() const { return columns_; }
  std::size_t bin_count() const { return first_.size() - 1; }
  std::uint64_t visible() const { return visible_; }
  std::size_t entry_count() const { return first_.back(); }
  std::span<BinEntry> bin(std::size_t b) {
    return entries_.span().subspan(first_[b], first_[b + 1] - first_[b]);
  }
  std::size_t bin_size(std::size_t b) const { return first_[b + 1] - first_[b]; }
  const ProjectedSplat& splat(BinEntry entry) const { return projected_[splat_number(entry)]; }
  SplatKind kind() const { return kind_; }
  /// Number of additional words of a projected splat, and the words of a bin's entry.
  std::size_t extra_words() const { return extra_words_; }
  const float* extra(BinEntry entry) const {
    return extras_.data() + splat_number(entry) * extra_words_;
  }
  std::size_t memory_bytes() const;
  std::size_t part_count() const { return parts_.size(); }
  ProjectedPart part(std::size_t i) const;

 private:
  /// Number of hits of the part in each bin; later the offset of the first one.
  struct Part {
    std::size_t scene;
    std::size_t first_block, end_block;  // of the scene
    std::size_t first_place;             // index of its first splat among the projected splats
    std::size_t visible;
    std::size_t first_hit;
    std::vector<BinHit> hits;
    std::vector<std::uint32_t> in_bin;
  };

  std::size_t splat_number(BinEntry entry) const {
    const auto number = static_cast<std::uint32_t>(entry);
    return hit_splats_.empty() ? number : hit_splats_[number];
  }
  void split(std::span<const SceneToProject> scenes);
  void project_part(const SceneToProject& scene, const Frustum& frustum, const CpuKernels& kernels,
                    Part& part);
  void add_hits(Part& part, const ProjectedSplat* begin, const ProjectedSplat* end) const;

  int columns_ = 0;
  std::uint64_t visible_ = 0;
  std::vector<Part> parts_;
  std::vector<std::size_t> first_;  // first entry of each bin, and the end
  Buffer<ProjectedSplat> projected_;
  SplatKind kind_ = SplatKind::gaussian;
  std::size_t extra_words_ = 0;
  Buffer<float> extras_;  // [projected splats][extra_words()]
  Buffer<BinEntry> entries_;
  Buffer<std::uint32_t> hit_splats_;  // the splat of each hit, if hits are numbered
};

/// Number of clusters per part, from the numbers of blocks and threads.
std::size_t clusters_per_part(std::size_t blocks, int threads);

}  // namespace mote
