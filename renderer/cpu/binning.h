#pragma once

#include <cstdint>
#include <vector>

#include "core/buffer.h"
#include "core/parallel.h"
#include "cpu/cpu_scene.h"
#include "cpu/kernels.h"

namespace mote {

/// A splat in a bin: its depth's bits above its place among the projected splats.
using BinEntry = std::uint64_t;

/// The visible splats of one frame, filed by the 64-px bins of the image that they touch. Memory is
/// kept from frame to frame. The content does not depend on the number of threads: the splats stand
/// in the scene's order in each bin.
class Binning {
 public:
  /// Culls and projects the scene, counting what falls into each bin.
  void project(const CpuScene& scene, const ProjectParams& params, const CpuKernels& kernels,
               ThreadPool& pool);
  /// Files the projected splats into the bins.
  void fill(ThreadPool& pool);

  int columns() const { return columns_; }
  std::size_t bin_count() const { return first_.size() - 1; }
  std::uint64_t visible() const { return visible_; }
  std::size_t entry_count() const { return first_.back(); }
  std::span<BinEntry> bin(std::size_t b) {
    return entries_.span().subspan(first_[b], first_[b + 1] - first_[b]);
  }
  std::size_t bin_size(std::size_t b) const { return first_[b + 1] - first_[b]; }
  const ProjectedSplat& splat(BinEntry entry) const {
    return projected_[static_cast<std::uint32_t>(entry)];
  }

 private:
  struct Hit {
    std::uint32_t bin;
    std::uint32_t splat;
    std::uint32_t depth_bits;
  };
  /// A run of blocks that one task projects, the bins that its splats touch, and how many hits each
  /// bin has of it, later where its first goes.
  struct Part {
    std::size_t first_block, end_block;
    std::size_t visible;
    std::vector<Hit> hits;
    std::vector<std::uint32_t> in_bin;
  };

  void split(std::size_t blocks, int threads);
  void add_hits(Part& part, const ProjectedSplat* begin, const ProjectedSplat* end) const;

  int columns_ = 0;
  std::uint64_t visible_ = 0;
  std::vector<Part> parts_;
  std::vector<std::size_t> first_;  // entry of each bin, and the end
  Buffer<ProjectedSplat> projected_;
  Buffer<BinEntry> entries_;
};

}  // namespace mote
