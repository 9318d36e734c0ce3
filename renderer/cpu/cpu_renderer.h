#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/drawable_splats.h"
#include "core/parallel.h"
#include "cpu/bin_work.h"
#include "cpu/binning.h"
#include "cpu/cpu_pages.h"
#include "cpu/kernels.h"

namespace mote {

/// References to splats in the layout of SplatCloud, with stored or activated values.
struct SplatBlocks {
  explicit SplatBlocks(const SplatCloud& stored);
  explicit SplatBlocks(const DrawableSplats& splats);
  explicit SplatBlocks(const CpuPages& pages);

  /// The bounds of clusters that are valid at the time; empty: none are known.
  std::span<const Cluster> clusters_at(double time_s) const {
    const bool bounded = from_s <= time_s && time_s <= to_s;
    return bounded ? clusters : std::span<const Cluster>();
  }
  std::size_t block_count() const { return (count + kBlockSize - 1) / kBlockSize; }

  SplatKind kind;
  SplatMotion motion;
  std::size_t count;
  int sh_degree;
  const float *geometry, *sh;
  bool activated;
  std::span<const std::uint32_t> index;  // index in the file; empty: equal to the index here
  std::span<const Cluster> clusters;     // bounds, if known, at the times from_s to to_s
  std::span<const BlockLife> lives = {};
  double from_s = -std::numeric_limits<double>::infinity();
  double to_s = std::numeric_limits<double>::infinity();
  std::span<const float> marks = {};  // as DrawableSplats::marks()
  std::uint64_t dropped = 0;
  std::size_t numbers = 0;      // all values of `index` are below; 0: below `count`
  ShownFeatures features = {};  // of splats that have features
};

/// The kernels' parameters for splats, a camera and a time.
ProjectParams project_params(const SplatBlocks& scene, const CameraFloats& camera, double time_s,
                             const RenderSettings& settings);

/// Splats placed in the world, at a time.
struct PlacedBlocks {
  SplatBlocks blocks;
  Similarity world_from_scene = {};
  double time_s = 0;
};

/// The indices of the bins, largest first, ties by index.
void order_by_size(const Binning& binning, std::vector<std::uint32_t>& order);

/// Renders views: culls and projects the splats' blocks, then for each bin of the image sorts by
/// depth, lists by tile, and blends. A pixel depends only on its bin's list, which does not depend
/// on the number of threads. Each frame reuses the memory of the last one.
class CpuRenderer {
 public:
  CpuRenderer(const CpuKernels& kernels, ThreadPool& pool)
      : kernels_(kernels), pool_(pool), workers_(static_cast<std::size_t>(pool.threads())) {}

  /// Like Backend::render().
  FrameStats render(std::span<const PlacedBlocks> scenes, const Camera& camera,
                    const RenderSettings& settings, Frame& frame);

  std::size_t memory_bytes() const;

 private:
  /// Work of one thread in the current frame.
  struct Tally {
    double sort_ms = 0, blend_ms = 0;
    std::uint64_t pairs = 0, evaluations = 0;
  };
  struct Worker {
    BinWork bin;
    Tally tally;
  };

  void project(std::span<const PlacedBlocks> scenes, const DrawnView& view, FrameStats& stats);
  std::size_t order_bins();
  void prepare(std::size_t bin, SplatShape shape, BinWork& work, Tally& tally);
  void blend(const BinWork& work, int first_tile, int end_tile, const DrawnView& view, Frame& frame,
             Tally& tally) const;
  void blend_bins(const DrawnView& view, Frame& frame);

  const CpuKernels& kernels_;
  ThreadPool& pool_;
  Binning binning_;
  std::vector<std::uint32_t> bin_order_;  // largest first
  std::size_t shared_bins_ = 0;           // number of leading bins that all threads blend together
  std::vector<BinWork> shared_;
  std::vector<Worker> workers_;
};

}  // namespace mote
