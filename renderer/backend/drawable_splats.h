#pragma once

#include <cstdint>
#include <vector>

#include "cameras/frustum.h"
#include "core/parallel.h"
#include "splats/splat_cloud.h"

namespace mote {

/// Number of blocks per cluster.
inline constexpr std::size_t kClusterBlocks = 16;

/// A scene prepared for drawing. Splats are in Morton order, so that neighbours in space are
/// neighbours in memory. They are activated in place: log_scale holds the scale, logit_opacity the
/// opacity. Splats with a non-finite position, scale or rotation get opacity zero.
class DrawableSplats {
 public:
  DrawableSplats(SplatCloud cloud, ThreadPool& pool);

  const SplatCloud& splats() const { return splats_; }
  /// Each splat's index in the original cloud, padding included.
  const std::vector<std::uint32_t>& index() const { return index_; }
  const std::vector<Cluster>& clusters() const { return clusters_; }
  std::uint64_t dropped() const { return dropped_; }

 private:
  void activate(ThreadPool& pool);
  void bound_clusters(ThreadPool& pool);

  SplatCloud splats_;
  std::vector<std::uint32_t> index_;
  std::vector<Cluster> clusters_;
  std::uint64_t dropped_ = 0;
};

}  // namespace mote
