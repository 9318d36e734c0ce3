#pragma once

#include <cstdint>
#include <vector>

#include "cameras/frustum.h"
#include "core/parallel.h"
#include "scene/splat_cloud.h"

namespace mote {

/// Blocks in a cluster.
inline constexpr std::size_t kClusterBlocks = 16;

/// A scene made ready to be drawn: splats in Morton order, so that what is near in space is near in
/// memory, and activated in place (log_scale holds the scale, logit_opacity the opacity). Splats
/// with a non-finite position, scale or rotation have opacity zero.
class DrawableSplats {
 public:
  DrawableSplats(SplatCloud cloud, ThreadPool& pool);

  const SplatCloud& splats() const { return splats_; }
  /// Each splat's place in the cloud as it was given, padding included.
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
