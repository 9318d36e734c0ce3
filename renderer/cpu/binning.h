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
  std::span<BinEntry> bin(std::size_t b) {
    return entries_.span().subspan(first_[b], first_[b + 1] - first_[b]);
  }
  std::size_t bin_size(std::size_t b) const { return first_[b + 1] - first_[b]; }
  const ProjectedSplat& splat(BinEntry entry) const {
    return projected_[static_cast<std::uint32_t>(entry)];
  }

 private:
  /// A run of blocks that one task projects, and how many of its splats fell into each bin.
  struct Part {
    std::size_t first_block, end_block;
    std::size_t projected;  // written from first_block * kBlockSize on
    std::vector<std::uint32_t> in_bin;
  };

  void split(std::size_t blocks, int threads);
  std::span<const ProjectedSplat> splats_of(const Part& part) const {
    return {projected_.data() + part.first_block * kBlockSize, part.projected};
  }

  int columns_ = 0, rows_ = 0;
  std::uint64_t visible_ = 0;
  std::vector<Part> parts_;
  std::vector<std::size_t> first_;  // entry of each bin, and the end
  Buffer<ProjectedSplat> projected_;
  Buffer<BinEntry> entries_;
};

}  // namespace mote
