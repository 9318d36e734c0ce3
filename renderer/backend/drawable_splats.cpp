#include "backend/drawable_splats.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "splats/cubic_path.h"
#include "splats/direction_range.h"
#include "splats/kinds/alpha.h"
#include "splats/kinds/stored.h"
#include "splats/morton.h"

namespace mote {
namespace {

constexpr std::size_t kDrawnBlocksPerTask = 1024;

/// Upper bound on the distance at which opacity * falloff >= kAlphaMin, in standard deviations.
const float kReachSigmas = std::sqrt(2.0f * std::log(1.0f / kAlphaMin));

std::vector<std::uint32_t> drawn_order(const SplatCloud& cloud, SplatOrder order,
                                       ThreadPool& pool) {
  if (order == SplatOrder::morton) return morton_order(cloud, pool);
  std::vector<std::uint32_t> index(cloud.count());
  std::iota(index.begin(), index.end(), 0u);
  return index;
}

/// The splats in the order of a permutation.
SplatCloud in_order(SplatCloud cloud, SplatOrder order, const std::vector<std::uint32_t>& index,
                    ThreadPool& pool) {
  if (order == SplatOrder::morton) permute(cloud, index, pool);
  return cloud;
}

/// Activates one splat in place. Returns false if it cannot be drawn.
bool activate_splat(SplatCloud& splats, std::size_t i) {
  bool drawable = true;
  float norm2 = 0;
  for (const Field field : splats.info().stored()) {
    float& value = splats.at(i, field);
    if (field == Field::logit_opacity && std::isnan(value)) {
      value = 0;
      continue;
    }
    if (group_of(field) == RateGroup::rotation) norm2 += value * value;
    const bool was_finite = std::isfinite(value) || field == Field::logit_opacity;
    value = activated(field, value);
    drawable &= was_finite && std::isfinite(value);
  }
  return drawable && std::isfinite(norm2) && norm2 > std::numeric_limits<float>::min();
}

void hide_splat(SplatCloud& splats, std::size_t i) {
  for (const Field field : splats.info().stored()) splats.at(i, field) = 0.0f;
  splats.at(i, Field::rotation_w) = 1.0f;
}

/// Rounds outwards, so that a block is never taken for dead too early.
BlockLife block_life(const LifeRange& life) {
  constexpr float kForEver = std::numeric_limits<float>::infinity();
  return {std::nextafter(static_cast<float>(life.from_s), -kForEver),
          std::nextafter(static_cast<float>(life.to_s), kForEver)};
}

}  // namespace

ActivatedCloud::ActivatedCloud(SplatCloud stored, ThreadPool& pool) : values_(std::move(stored)) {
  const std::size_t blocks = block_count();
  std::atomic<std::uint64_t> dropped{0};
  pool.run((blocks + kDrawnBlocksPerTask - 1) / kDrawnBlocksPerTask, [&](std::size_t task, int) {
    const std::size_t end = std::min(blocks, (task + 1) * kDrawnBlocksPerTask) * kBlockSize;
    for (std::size_t i = task * kDrawnBlocksPerTask * kBlockSize; i < end; ++i) {
      if (activate_splat(values_, i)) continue;
      hide_splat(values_, i);
      ++dropped;
    }
  });
  dropped_ = dropped;
}

float ActivatedCloud::mean(std::size_t splat, int axis) const {
  constexpr Field kMean[] = {Field::mean_x, Field::mean_y, Field::mean_z};
  return values_.at(splat, kMean[axis]);
}

float ActivatedCloud::largest_scale(std::size_t splat) const {
  float largest = 0;
  for (const Field field : values_.info().stored()) {
    if (group_of(field) != RateGroup::log_scale) continue;
    largest = std::max(largest, values_.at(splat, field));
  }
  return largest;
}

LifeRange ActivatedCloud::life(std::size_t splat) const {
  const auto value = [&](Field field) { return static_cast<double>(values_.at(splat, field)); };
  return life_range(static_cast<double>(opacity(splat)), value(Field::time_mean),
                    value(Field::log_time_sigma), value(Field::log_time_plateau));
}

MeanRange ActivatedCloud::means(std::size_t splat, int axis, const LifeRange& times) const {
  if (values_.info().is_directional()) return means_by_direction(splat, axis);
  if (!values_.info().moves()) return {mean(splat, axis), mean(splat, axis)};
  // By axis: position, then velocity and higher powers.
  constexpr Field kPath[3][4] = {
      {Field::mean_x, Field::velocity_x, Field::quadratic_x, Field::cubic_x},
      {Field::mean_y, Field::velocity_y, Field::quadratic_y, Field::cubic_y},
      {Field::mean_z, Field::velocity_z, Field::quadratic_z, Field::cubic_z}};
  const auto value = [&](int power) {
    return static_cast<double>(values_.at(splat, kPath[axis][power]));
  };
  const double time_mean = static_cast<double>(values_.at(splat, Field::time_mean));
  const CubicPath path{value(0), value(1), value(2), value(3)};
  const PathRange range = range_of(path, times.from_s - time_mean, times.to_s - time_mean);
  return {static_cast<float>(range.low), static_cast<float>(range.high)};
}

MeanRange ActivatedCloud::means_by_direction(std::size_t splat, int axis) const {
  const auto length = [&](Field first) {
    double squares = 0;
    for (int k = 0; k < 3; ++k) {
      const auto field = static_cast<Field>(static_cast<int>(first) + k);
      const auto value = static_cast<double>(values_.at(splat, field));
      squares += value * value;
    }
    return std::sqrt(squares);
  };
  constexpr Field kSlope[] = {Field::slope_xx, Field::slope_yx, Field::slope_zx};
  const auto sigma = static_cast<double>(values_.at(splat, Field::log_direction_sigma));
  const double farthest = farthest_difference(static_cast<double>(opacity(splat)), sigma,
                                              length(Field::direction_mean_x));
  const auto shift = static_cast<float>(farthest * length(kSlope[axis]));
  return {mean(splat, axis) - shift, mean(splat, axis) + shift};
}

DrawableSplats::DrawableSplats(SplatCloud cloud, ThreadPool& pool, SplatOrder order)
    : index_(drawn_order(cloud, order, pool)),
      splats_(in_order(std::move(cloud), order, index_, pool), pool),
      moves_(kind_info(kind(), splats_.form().motion).moves()) {
  index_.resize(splats_.block_count() * kBlockSize);
  bound_clusters(pool);
  if (moves_) find_lives(pool);
}

void DrawableSplats::find_lives(ThreadPool& pool) {
  lives_.resize(splats_.block_count());
  pool.run((lives_.size() + kDrawnBlocksPerTask - 1) / kDrawnBlocksPerTask,
           [&](std::size_t task, int) {
             const std::size_t end = std::min(lives_.size(), (task + 1) * kDrawnBlocksPerTask);
             for (std::size_t block = task * kDrawnBlocksPerTask; block < end; ++block) {
               LifeRange life = splats_.life(block * kBlockSize);
               for (std::size_t lane = 1; lane < kBlockSize; ++lane) {
                 life = joined(life, splats_.life(block * kBlockSize + lane));
               }
               lives_[block] = block_life(life);
             }
           });
}

void DrawableSplats::bound_clusters(ThreadPool& pool) {
  constexpr std::size_t kClusterSplats = kClusterBlocks * kBlockSize;
  const std::size_t splats = splats_.block_count() * kBlockSize;
  clusters_.resize((splats + kClusterSplats - 1) / kClusterSplats);
  pool.run(clusters_.size(), [&](std::size_t c, int) {
    clusters_[c] = bound_of(c * kClusterSplats, std::min(splats, (c + 1) * kClusterSplats));
  });
}

Cluster DrawableSplats::bound_of(std::size_t first, std::size_t end) const {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float low[3] = {kInfinity, kInfinity, kInfinity}, high[3] = {-kInfinity, -kInfinity, -kInfinity};
  float reach = 0;
  for (std::size_t i = first; i < end; ++i) {
    if (!(splats_.opacity(i) >= kAlphaMin)) continue;
    LifeRange times{0, splats_.times().duration_s};
    if (moves_) {
      const LifeRange life = splats_.life(i);
      times = {std::max(times.from_s, life.from_s), std::min(times.to_s, life.to_s)};
      if (times.empty()) continue;
    }
    for (int axis = 0; axis < 3; ++axis) {
      const MeanRange range = splats_.means(i, axis, times);
      low[axis] = std::min(low[axis], range.low);
      high[axis] = std::max(high[axis], range.high);
    }
    reach = std::max(reach, kReachSigmas * splats_.largest_scale(i));
  }
  Cluster cluster{};
  const bool empty = !(low[0] <= high[0]);
  for (int axis = 0; axis < 3; ++axis) {
    cluster.center[axis] = empty ? 0 : 0.5f * low[axis] + 0.5f * high[axis];
    cluster.half[axis] = empty ? 0 : 0.5f * high[axis] - 0.5f * low[axis];
  }
  // A splat of scale zero still draws the dilation, so its reach is above 0 to mark it as visible.
  cluster.reach = empty ? 0 : std::max(reach, std::numeric_limits<float>::min());
  return cluster;
}

void DrawableSplats::update(std::span<const std::uint32_t> splats, const DrawableSplats& values) {
  CHECK(splats.size() == values.count() && values.form() == form());
  for (std::size_t i = 0; i < splats.size(); ++i) {
    const std::size_t slot = slot_of().at(splats[values.index()[i]]);
    splats_.copy(values.splats_, i, slot);
    Cluster& cluster = clusters_[slot / (kClusterBlocks * kBlockSize)];
    cluster = joined(cluster, values.bound_of(i));
    if (!moves_) continue;
    BlockLife& life = lives_[slot / kBlockSize];
    life = joined(life, values.life_of(i));
  }
}

BlockLife DrawableSplats::life_of(std::size_t splat) const {
  return block_life(splats_.life(splat));
}

void DrawableSplats::mark(const SplatMask& marked) {
  CHECK(marked.size() == count());
  marks_ = marks_in_slots(marked, slot_of(), index_.size());
}

const std::vector<std::uint32_t>& DrawableSplats::slot_of() {
  if (slot_of_.empty()) slot_of_ = inverse_order(index_, splats_.count());
  return slot_of_;
}

BlockLife joined(const BlockLife& a, const BlockLife& b) {
  if (!(a.from_s <= a.to_s)) return b;
  if (!(b.from_s <= b.to_s)) return a;
  return {std::min(a.from_s, b.from_s), std::max(a.to_s, b.to_s)};
}

std::size_t splats_of_living_blocks(std::span<const BlockLife> lives, std::size_t count,
                                    double time_s) {
  if (lives.empty()) return count;
  const auto time = static_cast<float>(time_s);  // as kernels compare
  std::size_t living = 0;
  for (std::size_t block = 0; block * kBlockSize < count; ++block) {
    if (lives_at(lives[block], time)) {
      living += std::min<std::size_t>(kBlockSize, count - block * kBlockSize);
    }
  }
  return living;
}

Cluster joined(const Cluster& a, const Cluster& b) {
  if (!(a.reach > 0)) return b;
  if (!(b.reach > 0)) return a;
  // Relative rounding error of the box below, so that repeated joining stays conservative.
  constexpr float kRounding = 1e-6f;
  Cluster whole = a;
  for (int axis = 0; axis < 3; ++axis) {
    const float a_low = a.center[axis] - a.half[axis], a_high = a.center[axis] + a.half[axis];
    const float b_low = b.center[axis] - b.half[axis], b_high = b.center[axis] + b.half[axis];
    if (b_low >= a_low && b_high <= a_high) continue;
    const float low = std::min(a_low, b_low), high = std::max(a_high, b_high);
    whole.center[axis] = 0.5f * low + 0.5f * high;
    whole.half[axis] =
        0.5f * high - 0.5f * low + kRounding * std::max(std::abs(low), std::abs(high));
  }
  whole.reach = std::max(a.reach, b.reach);
  return whole;
}

std::vector<std::uint32_t> inverse_order(std::span<const std::uint32_t> index, std::size_t count) {
  std::vector<std::uint32_t> slot_of(count);
  for (std::size_t i = 0; i < count; ++i) slot_of[index[i]] = static_cast<std::uint32_t>(i);
  return slot_of;
}

Buffer<float> marks_in_slots(const SplatMask& marked, std::span<const std::uint32_t> slot_of,
                             std::size_t slots) {
  Buffer<float> marks;
  if (!marked.any()) return marks;
  marks.resize_discard(slots);
  std::ranges::fill(marks.span(), 0.0f);
  for (const std::uint32_t splat : marked.indices()) marks.data()[slot_of[splat]] = 1;
  return marks;
}

}  // namespace mote
