#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "cameras/frustum.h"
#include "core/buffer.h"
#include "core/parallel.h"
#include "splats/block_life.h"
#include "splats/life_range.h"
#include "splats/splat_cloud.h"
#include "splats/splat_mask.h"

namespace mote {

/// The bounds of the union.
Cluster joined(const Cluster& a, const Cluster& b);

/// The union of both.
BlockLife joined(const BlockLife& a, const BlockLife& b);

/// Number of splats in the blocks that have one that lives at the time, of `count` splats; all of
/// them if `lives` is empty, since they have no lives then.
std::size_t splats_of_living_blocks(std::span<const BlockLife> lives, std::size_t count,
                                    double time_s);

/// The inverse of the first `count` entries of a permutation: slot_of[index[i]] = i.
std::vector<std::uint32_t> inverse_order(std::span<const std::uint32_t> index, std::size_t count);

/// 1 at the slots of the splats in the mask, else 0, for `slots` slots; empty if the mask is empty.
Buffer<float> marks_in_slots(const SplatMask& marked, std::span<const std::uint32_t> slot_of,
                             std::size_t slots);

/// Number of blocks per cluster.
inline constexpr std::size_t kClusterBlocks = 16;

/// The range of a coordinate, world units.
struct MeanRange {
  float low, high;
};

/// The activated values of a cloud: scales and opacities, in the layout of SplatCloud and the order
/// of its splats. Splats with a non-finite position, scale or rotation get opacity zero.
class ActivatedCloud {
 public:
  /// Activates the splats in place.
  ActivatedCloud(SplatCloud stored, ThreadPool& pool);

  SplatForm form() const { return values_.form(); }
  std::size_t count() const { return values_.count(); }
  std::size_t block_count() const { return values_.block_count(); }
  /// [blocks][fields of kind and motion][16].
  std::span<const float> geometry() const {
    return {values_.geometry_block(0), block_count() * values_.geometry_stride()};
  }
  /// [blocks][coefficient][channel][16].
  std::span<const float> sh() const {
    return {values_.sh_block(0), block_count() * values_.sh_stride()};
  }
  float mean(std::size_t splat, int axis) const;  // world units
  float opacity(std::size_t splat) const { return values_.at(splat, Field::logit_opacity); }
  float largest_scale(std::size_t splat) const;  // standard deviation, world units
  /// The times at which the splat can be seen.
  LifeRange life(std::size_t splat) const;
  /// The least and largest mean along an axis: from one time to another if the splats depend on
  /// time, and of all directions in which the splat can be seen if they depend on these.
  MeanRange means(std::size_t splat, int axis, const LifeRange& times) const;
  const SceneTimes& times() const { return values_.times; }
  /// Number of splats that cannot be drawn.
  std::uint64_t dropped() const { return dropped_; }

  /// Copies a splat of a cloud of the same form.
  void copy(const ActivatedCloud& from, std::size_t source, std::size_t target) {
    copy_splat(from.values_, source, values_, target);
  }

 private:
  MeanRange means_by_direction(std::size_t splat, int axis) const;

  SplatCloud values_;  // each field holds its activated value
  std::uint64_t dropped_ = 0;
};

/// The order of splats in memory: that of morton_order(), or that of the cloud.
enum class SplatOrder : std::uint8_t { morton, of_cloud };

/// A scene prepared for drawing: its activated splats in an order in which neighbours in space, or
/// in time and space, are neighbours in memory.
class DrawableSplats {
 public:
  /// `order`: SplatOrder::of_cloud for a cloud that is in the order of morton_order(), or nearly.
  /// Pictures do not depend on it, but their times do.
  DrawableSplats(SplatCloud cloud, ThreadPool& pool, SplatOrder order = SplatOrder::morton);

  SplatForm form() const { return splats_.form(); }
  SplatKind kind() const { return splats_.form().kind; }
  std::size_t count() const { return splats_.count(); }
  int sh_degree() const { return splats_.form().sh_degree; }
  std::span<const float> geometry() const { return splats_.geometry(); }
  std::span<const float> sh() const { return splats_.sh(); }
  /// Each splat's index in the original cloud, padding included.
  const std::vector<std::uint32_t>& index() const { return index_; }
  const std::vector<Cluster>& clusters() const { return clusters_; }
  /// The times at which clusters bound their splats: from 0 to the scene's duration, or always for
  /// splats without motion.
  LifeRange bounded() const {
    constexpr double kForEver = std::numeric_limits<double>::infinity();
    return moves_ ? LifeRange{0, splats_.times().duration_s} : LifeRange{-kForEver, kForEver};
  }
  /// The lives of the blocks, [blocks]; empty for splats without lives.
  std::span<const BlockLife> lives() const { return lives_; }
  /// Number of splats of the original cloud that cannot be drawn.
  std::uint64_t dropped() const { return splats_.dropped(); }
  /// The bounds of one splat, and its life.
  Cluster bound_of(std::size_t splat) const { return bound_of(splat, splat + 1); }
  BlockLife life_of(std::size_t splat) const;

  /// Replaces splats: the splat with index splats[i] in the original cloud gets the values of splat
  /// i of `values`. The order stays, and bounds of clusters only grow.
  void update(std::span<const std::uint32_t> splats, const DrawableSplats& values);

  /// Marks the splats of the original cloud that are in the mask, and no others.
  void mark(const SplatMask& marked);
  /// [blocks][16]: 1 for marked splats, else 0; empty if none is marked.
  std::span<const float> marks() const { return marks_.span(); }

 private:
  void bound_clusters(ThreadPool& pool);
  void find_lives(ThreadPool& pool);
  Cluster bound_of(std::size_t first, std::size_t end) const;
  const std::vector<std::uint32_t>& slot_of();

  // The order first: it is made from the stored means, and splats_ takes them over.
  std::vector<std::uint32_t> index_;
  ActivatedCloud splats_;
  bool moves_;
  std::vector<Cluster> clusters_;
  std::vector<BlockLife> lives_;
  std::vector<std::uint32_t> slot_of_;  // inverse of index_; empty before it is needed
  Buffer<float> marks_;
};

}  // namespace mote
