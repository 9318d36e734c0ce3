// Sorting the lists of macro tiles, against the standard library.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "cuda/kernels/filing.h"
#include "cuda/kernels/segment_sort.h"
#include "launch_fixture.h"

namespace mote {
namespace {

using cuda::TileKey;
using cuda_host::DeviceArray;
using cuda_host::machine;

using Lists = std::vector<std::vector<TileKey>>;

class SegmentSort : public cuda_host::HostRun {};

/// Sorts the lists as one frame's.
Lists sorted_by_device(const Lists& lists) {
  std::vector<unsigned> counts;
  std::vector<TileKey> all;
  for (const std::vector<TileKey>& list : lists) {
    counts.push_back(static_cast<unsigned>(list.size()));
    all.insert(all.end(), list.begin(), list.end());
  }
  const std::size_t tiles = lists.size();
  const DeviceArray<unsigned> device_counts(counts), first(tiles + 1), next(tiles), order(tiles),
      steps_done(tiles);
  const DeviceArray<cuda::SortStep> steps(cuda::most_sort_steps(all.size()) + 1);
  const DeviceArray<TileKey> keys(all), scratch(all.size() + 1);
  const DeviceArray<cuda::FrameCounters> counters(std::vector<cuda::FrameCounters>(1));
  cuda::FilingArgs filing{};
  filing.tiles = static_cast<unsigned>(tiles);
  filing.tile_counts = device_counts.data();
  filing.first = first.data();
  filing.next = next.data();
  filing.order = order.data();
  filing.sort_steps = steps.data();
  filing.sort_steps_done = steps_done.data();
  filing.keys = keys.data();
  filing.capacity = static_cast<unsigned>(all.size());
  filing.counters = counters.data();
  cuda::run_place_tiles(filing, nullptr);
  cuda::run_segment_sort({first.data(), order.data(), steps.data(), steps_done.data(), keys.data(),
                          scratch.data(), counters.data()},
                         nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_LE(counters.values()[0].sort_steps, cuda::most_sort_steps(all.size()));

  const std::vector<TileKey> result = keys.values();
  Lists sorted;
  auto at = result.begin();
  for (const unsigned count : counts) {
    sorted.emplace_back(at, at + count);
    at += count;
  }
  return sorted;
}

Lists sorted_by_library(Lists lists) {
  for (std::vector<TileKey>& list : lists) std::ranges::sort(list);
  return lists;
}

/// Different keys with few different depths, so that indices decide as well.
Lists random_lists(const std::vector<unsigned>& counts, unsigned depths, unsigned seed) {
  std::mt19937 random(seed);
  Lists lists;
  for (const unsigned count : counts) {
    std::vector<TileKey>& list = lists.emplace_back(count);
    for (unsigned i = 0; i < count; ++i) {
      list[i] = static_cast<TileKey>(random() % depths) << 32 | i;
    }
    std::ranges::shuffle(list, random);
  }
  return lists;
}

TEST_F(SegmentSort, SortsListsOfEveryLength) {
  const Lists lists = random_lists(
      {0,    1,    2,    3,    7,    8,    9,    16,   17,   31,   64,   100,  128,  200,
       255,  256,  257,  300,  511,  512,  513,  700,  768,  769,  1023, 1024, 1025, 1500,
       1536, 2047, 2048, 2049, 4095, 4096, 4097, 5000, 6143, 6145, 8192, 9000},
      1u << 31, 1);
  EXPECT_EQ(sorted_by_device(lists), sorted_by_library(lists));
}

TEST_F(SegmentSort, SortsEqualDepthsByIndex) {
  const Lists lists = random_lists({500, 2048, 3000, 7000}, 3, 2);
  EXPECT_EQ(sorted_by_device(lists), sorted_by_library(lists));
}

/// Depths within `range` of each other, beside two far ones: `left_out` of their bits have no room
/// in a brief key.
std::vector<TileKey> nearly_equal_depths(unsigned count, unsigned range, unsigned left_out,
                                         unsigned seed) {
  std::mt19937 random(seed);
  const TileKey far = TileKey{1} << (20 + left_out);
  std::vector<TileKey> list{far << 32 | 5, (far + far - 1) << 32 | 7};
  while (list.size() < count) {
    const TileKey depth = far + far / 2 + random() % range;
    list.push_back(depth << 32 | random());
  }
  std::ranges::shuffle(list, random);
  return list;
}

TEST_F(SegmentSort, SortsDepthsThatDifferInTheirLowestBits) {
  Lists lists;
  for (const unsigned count : {33u, 200u, 256u, 257u, 700u, 2047u, 2048u, 5000u}) {
    for (const unsigned range : {1u, 40u, 4000u, 100'000u}) {
      for (const unsigned left_out : {1u, 4u, 9u}) {
        lists.push_back(nearly_equal_depths(count, range, left_out, count + range + left_out));
      }
    }
  }
  EXPECT_EQ(sorted_by_device(lists), sorted_by_library(lists));
}

TEST_F(SegmentSort, SortsEveryShortListOfDeepestKeys) {
  Lists lists;
  for (unsigned count = 2; count < 20; ++count) {
    std::vector<TileKey>& list = lists.emplace_back();
    for (unsigned i = 0; i < count; ++i) {
      list.push_back((TileKey{0xffffffff} - i % 3) << 32 | (count - i));
    }
    list[0] = 9;  // so that the deepest have all bits of a brief depth
  }
  EXPECT_EQ(sorted_by_device(lists), sorted_by_library(lists));
}

TEST_F(SegmentSort, SortsALongListInManyLevels) {
  const Lists lists = random_lists({40'000, 3, 70'001}, 1u << 20, 3);
  EXPECT_EQ(sorted_by_device(lists), sorted_by_library(lists));
}

TEST_F(SegmentSort, SortsSortedAndReversedLists) {
  std::vector<TileKey> up(5000);
  std::iota(up.begin(), up.end(), TileKey{7});
  const std::vector<TileKey> down(up.rbegin(), up.rend());
  EXPECT_EQ(sorted_by_device({up, down}), (Lists{up, up}));
}

TEST_F(SegmentSort, SortsTheLargestKeys) {
  std::vector<TileKey> keys;
  for (TileKey i = 0; i < 300; ++i) keys.push_back(~TileKey{0} - i * 3);
  EXPECT_EQ(sorted_by_device({keys}), sorted_by_library({keys}));
}

TEST_F(SegmentSort, GivesTheSameForEveryOrderOfBlocksAndThreads) {
  const Lists lists = random_lists({6000, 900, 40}, 50, 4);
  const Lists expected = sorted_by_library(lists);
  for (unsigned seed = 1; seed <= 4; ++seed) {
    machine().schedule_seed = seed;
    for (const unsigned blocks : {1u, 3u}) {
      machine().blocks_in_flight = blocks;
      EXPECT_EQ(sorted_by_device(lists), expected) << seed << ' ' << blocks;
    }
  }
}

TEST_F(SegmentSort, LeavesNothingToDoForListsOfOneKey) {
  const Lists lists = random_lists({1, 0, 1, 1}, 9, 5);
  EXPECT_EQ(sorted_by_device(lists), lists);
}

}  // namespace
}  // namespace mote
