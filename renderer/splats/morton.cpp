#include "splats/morton.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/error.h"
#include "splats/morton_key.h"
#include "splats/splat_geometry.h"
#include "splats/time_segment.h"

namespace mote {
namespace {

constexpr std::size_t kSplatsPerTask = std::size_t{1} << 16;

struct KeyedIndex {
  std::uint64_t key;
  std::uint32_t segment;  // time_segment() of kTimePartBits
  std::uint32_t index;
};

MeanBox bounds_of(const SplatCloud& cloud) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  MeanBox box{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (std::size_t i = 0; i < cloud.count(); ++i) {
    const SplatGeometry splat = load_geometry(cloud.info().planes, cloud.geometry_block(0), i);
    if (!is_finite(splat.mean)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      box.low[axis] = std::min(box.low[axis], splat.mean[axis]);
      box.high[axis] = std::max(box.high[axis], splat.mean[axis]);
    }
  }
  return box;
}

std::uint32_t segment_of(const SplatCloud& cloud, std::size_t i) {
  if (!cloud.info().moves()) return 0;
  const MotionValues motion = load_motion(cloud.info().planes, cloud.geometry_block(0), i);
  const LifeRange life = life_range(motion, cloud.at(i, Field::logit_opacity));
  return time_segment<kTimePartBits>(life, cloud.times.duration_s);
}

std::size_t task_count(std::size_t splats) {
  return (splats + kSplatsPerTask - 1) / kSplatsPerTask;
}

/// Each thread sorts a run; runs are then merged pairwise. Indices are distinct, so the order does
/// not depend on the number of runs.
void sort_keys(std::vector<KeyedIndex>& keys, ThreadPool& pool) {
  const auto before = [](const KeyedIndex& a, const KeyedIndex& b) {
    if (a.segment != b.segment) return a.segment < b.segment;
    return a.key != b.key ? a.key < b.key : a.index < b.index;
  };
  const auto at = [&](std::size_t i) {
    return keys.begin() + static_cast<std::ptrdiff_t>(std::min(i, keys.size()));
  };
  const auto threads = static_cast<std::size_t>(pool.threads());
  std::size_t run = keys.size() / threads + 1;
  pool.run(threads, [&](std::size_t i, int) { std::sort(at(i * run), at((i + 1) * run), before); });
  for (; run < keys.size(); run *= 2) {
    pool.run(keys.size() / (2 * run) + 1, [&](std::size_t i, int) {
      const std::size_t first = 2 * i * run;
      std::inplace_merge(at(first), at(first + run), at(first + 2 * run), before);
    });
  }
}

}  // namespace

std::vector<std::uint32_t> morton_order(const SplatCloud& cloud, ThreadPool& pool) {
  if (cloud.count() > std::numeric_limits<std::uint32_t>::max() - kBlockSize) {
    throw Error(
        "has " + std::to_string(cloud.count()) + " splats, but at most 2^32 - 17 can be sorted",
        "the scene", "split it into several");
  }
  const MeanBox box = bounds_of(cloud);
  std::vector<KeyedIndex> keys(cloud.count());
  pool.run(task_count(cloud.count()), [&](std::size_t task, int) {
    const std::size_t end = std::min(cloud.count(), (task + 1) * kSplatsPerTask);
    for (std::size_t i = task * kSplatsPerTask; i < end; ++i) {
      const SplatGeometry splat = load_geometry(cloud.info().planes, cloud.geometry_block(0), i);
      keys[i] = {morton_key(box, splat.mean), segment_of(cloud, i), static_cast<std::uint32_t>(i)};
    }
  });
  sort_keys(keys, pool);
  std::vector<std::uint32_t> order(cloud.count());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = keys[i].index;
  return order;
}

void permute(SplatCloud& cloud, const std::vector<std::uint32_t>& order, ThreadPool& pool) {
  std::vector<float> scratch(cloud.count());
  permute(cloud, order, pool, scratch);
}

void permute(SplatCloud& cloud, const std::vector<std::uint32_t>& order, ThreadPool& pool,
             std::vector<float>& moved) {
  CHECK(order.size() == cloud.count() && moved.size() == cloud.count());
  const std::size_t tasks = task_count(cloud.count());
  // `plane(i)`: address of one float of splat i.
  const auto permute_plane = [&](const auto& plane) {
    const auto each = [&](const auto& body) {
      pool.run(tasks, [&](std::size_t task, int) {
        const std::size_t end = std::min(cloud.count(), (task + 1) * kSplatsPerTask);
        for (std::size_t i = task * kSplatsPerTask; i < end; ++i) body(i);
      });
    };
    each([&](std::size_t i) { moved[i] = plane(order[i]); });
    each([&](std::size_t i) { plane(i) = moved[i]; });
  };
  for (const Field field : cloud.info().stored()) {
    permute_plane([&](std::size_t i) -> float& { return cloud.at(i, field); });
  }
  for (int k = 0; k < cloud.sh_coefficients(); ++k) {
    for (int c = 0; c < 3; ++c) {
      permute_plane([&](std::size_t i) -> float& { return cloud.sh(i, k, c); });
    }
  }
}

SplatCloud in_morton_order(SplatCloud cloud) {
  ThreadPool pool(0);
  permute(cloud, morton_order(cloud, pool), pool);
  return cloud;
}

}  // namespace mote
