#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cameras/frustum.h"
#include "core/parallel.h"
#include "splats/splat_cloud.h"

namespace mote {

/// The bounds of the union.
Cluster joined(const Cluster& a, const Cluster& b);

/// The inverse of the first `count` entries of a permutation: slot_of[index[i]] = i.
std::vector<std::uint32_t> inverse_order(std::span<const std::uint32_t> index, std::size_t count);

/// Number of blocks per cluster.
inline constexpr std::size_t kClusterBlocks = 16;

/// A scene prepared for drawing: activated splats in the layout of SplatCloud, in Morton order, so
/// that neighbours in space are neighbours in memory. Splats with a non-finite position, scale or
/// rotation get opacity zero.
class DrawableSplats {
 public:
  DrawableSplats(SplatCloud cloud, ThreadPool& pool);

  SplatKind kind() const { return splats_.kind(); }
  std::size_t count() const { return splats_.count(); }
  int sh_degree() const { return splats_.sh_degree(); }
  /// Activated values, [blocks][fields of the kind][16].
  std::span<const float> geometry() const {
    return {splats_.geometry_block(0), splats_.block_count() * splats_.geometry_stride()};
  }
  /// [blocks][coefficient][channel][16].
  std::span<const float> sh() const {
    return {splats_.sh_block(0), splats_.block_count() * splats_.sh_stride()};
  }
  /// Each splat's index in the original cloud, padding included.
  const std::vector<std::uint32_t>& index() const { return index_; }
  const std::vector<Cluster>& clusters() const { return clusters_; }
  /// Number of splats of the original cloud that cannot be drawn.
  std::uint64_t dropped() const { return dropped_; }
  /// The bounds of one splat.
  Cluster bound_of(std::size_t splat) const { return bound_of(splat, splat + 1); }

  /// Replaces splats: the splat with index splats[i] in the original cloud gets the values of splat
  /// i of `values`. The order stays, and bounds of clusters only grow.
  void update(std::span<const std::uint32_t> splats, const DrawableSplats& values);

 private:
  void activate(ThreadPool& pool);
  void bound_clusters(ThreadPool& pool);
  Cluster bound_of(std::size_t first, std::size_t end) const;

  SplatCloud splats_;  // activated in place
  std::vector<std::uint32_t> index_;
  std::vector<Cluster> clusters_;
  std::vector<std::uint32_t> slot_of_;  // inverse of index_; empty before the first update
  std::uint64_t dropped_ = 0;
};

}  // namespace mote
