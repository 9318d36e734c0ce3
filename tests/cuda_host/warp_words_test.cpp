// Every warp operation against its definition in the CUDA C++ Programming Guide, for whole and
// partial masks, in order and shuffled.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "cuda_host/launch_fixture.h"

namespace cuda_host {
namespace {

constexpr unsigned kLanes = 32;

class WarpWords : public HostRun, public testing::WithParamInterface<std::uint64_t> {
 protected:
  WarpWords() { machine().schedule_seed = GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(seed, WarpWords, testing::Values(0u, 1u, 2u, 3u));

/// Masks for the warps of a block of 256, of all sizes.
constexpr std::array<unsigned, 8> kMasks = {0xffffffffu, 0x1u,        0x80000000u, 0x55555555u,
                                            0xffff0000u, 0x00f0f00fu, 0x7fffffffu, 0x80000001u};
constexpr unsigned kThreads = kLanes * kMasks.size();

template <class T>
struct WarpParams {
  const T* in;
  const unsigned* masks;  // for each warp; lanes outside do nothing
  T* out;
  int argument, width;
};

template <class T>
std::vector<T> random_values(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<T> values(kThreads);
  for (T& value : values) value = static_cast<T>(random() >> 8);
  return values;
}

template <class T>
std::vector<T> run_warps(void (*kernel)(WarpParams<T>), const std::vector<T>& in, int argument,
                         int width) {
  const DeviceArray<T> from(in), out(std::vector<T>(kThreads, T{}));
  const DeviceArray<unsigned> masks(std::vector<unsigned>(kMasks.begin(), kMasks.end()));
  const WarpParams<T> params{from.data(), masks.data(), out.data(), argument, width};
  EXPECT_EQ(run({1, kThreads}, kernel, params), cudaSuccess) << last_fault();
  return out.values();
}

template <class T, class Word>
MOTE_DEVICE void in_mask(const WarpParams<T>& p, Word word) {
  const unsigned mask = p.masks[threadIdx.x / kLanes];
  if ((mask >> threadIdx.x % kLanes & 1) == 0) return;
  p.out[threadIdx.x] = word(mask, p.in[threadIdx.x]);
}

template <class T>
MOTE_KERNEL(kThreads)
shuffle_index(WarpParams<T> p) {
  in_mask(p, [&](unsigned mask, T v) { return __shfl_sync(mask, v, p.argument, p.width); });
}
template <class T>
MOTE_KERNEL(kThreads)
shuffle_up(WarpParams<T> p) {
  const auto by = static_cast<unsigned>(p.argument);
  in_mask(p, [&](unsigned mask, T v) { return __shfl_up_sync(mask, v, by, p.width); });
}
template <class T>
MOTE_KERNEL(kThreads)
shuffle_down(WarpParams<T> p) {
  const auto by = static_cast<unsigned>(p.argument);
  in_mask(p, [&](unsigned mask, T v) { return __shfl_down_sync(mask, v, by, p.width); });
}
template <class T>
MOTE_KERNEL(kThreads)
shuffle_xor(WarpParams<T> p) {
  in_mask(p, [&](unsigned mask, T v) { return __shfl_xor_sync(mask, v, p.argument, p.width); });
}

using Source = std::function<int(int lane, int argument, int width)>;

/// Checks the lanes whose source is in the mask; other results are undefined.
template <class T>
void expect_shuffled(void (*kernel)(WarpParams<T>), const Source& source_of) {
  const std::vector<T> in = random_values<T>(7);
  for (const int width : {2, 8, 32}) {
    for (const int argument : {0, 1, 3, 7, 16, 31}) {
      const std::vector<T> out = run_warps(kernel, in, argument, width);
      for (unsigned thread = 0; thread < kThreads; ++thread) {
        const unsigned mask = kMasks[thread / kLanes];
        const int source = source_of(static_cast<int>(thread % kLanes), argument, width);
        if ((mask >> (thread % kLanes) & 1) == 0 || (mask >> source & 1) == 0) continue;
        const unsigned from = thread / kLanes * kLanes + static_cast<unsigned>(source);
        ASSERT_EQ(out[thread], in[from]) << thread << ' ' << argument << ' ' << width;
      }
    }
  }
}

template <class T>
void expect_all_shuffles() {
  expect_shuffled<T>(shuffle_index<T>, [](int lane, int source, int width) {
    return lane / width * width + source % width;
  });
  expect_shuffled<T>(shuffle_up<T>, [](int lane, int by, int width) {
    return lane % width >= by ? lane - by : lane;
  });
  expect_shuffled<T>(shuffle_down<T>, [](int lane, int by, int width) {
    return lane % width + by < width ? lane + by : lane;
  });
  expect_shuffled<T>(shuffle_xor<T>, [](int lane, int bits, int width) {
    const int source = lane ^ bits;
    return source / width <= lane / width ? source : lane;
  });
}

TEST_P(WarpWords, shuffles_of_int_take_the_value_of_their_source) {
  expect_all_shuffles<int>();
}
TEST_P(WarpWords, shuffles_of_unsigned_take_the_value_of_their_source) {
  expect_all_shuffles<unsigned>();
}
TEST_P(WarpWords, shuffles_of_float_take_the_value_of_their_source) {
  expect_all_shuffles<float>();
}
TEST_P(WarpWords, shuffles_of_64_bits_take_the_value_of_their_source) {
  expect_all_shuffles<unsigned long long>();
}

MOTE_KERNEL(kThreads) ballot(WarpParams<unsigned> p) {
  in_mask(p, [](unsigned mask, unsigned v) { return __ballot_sync(mask, (v & 1) != 0); });
}
MOTE_KERNEL(kThreads) any_and_all(WarpParams<unsigned> p) {
  in_mask(p, [&](unsigned mask, unsigned v) {
    const bool predicate = static_cast<int>(v % 8) < p.argument;
    const int any = __any_sync(mask, predicate), all = __all_sync(mask, predicate);
    return static_cast<unsigned>(any + 2 * all);
  });
}
MOTE_KERNEL(kThreads) match(WarpParams<unsigned> p) {
  in_mask(p, [](unsigned mask, unsigned v) { return __match_any_sync(mask, v % 5); });
}

using Expected = std::function<unsigned(const std::vector<unsigned>& values)>;

/// `expected` receives the values of the lanes of the mask.
void expect_each(const std::vector<unsigned>& in, const std::vector<unsigned>& out,
                 const Expected& expected) {
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const unsigned mask = kMasks[thread / kLanes], lane = thread % kLanes;
    if ((mask >> lane & 1) == 0) continue;
    std::vector<unsigned> values;
    for (unsigned k = 0; k < kLanes; ++k) {
      if ((mask >> k & 1) != 0) values.push_back(in[thread - lane + k]);
    }
    ASSERT_EQ(out[thread], expected(values)) << thread;
  }
}

void expect_bits(const std::vector<unsigned>& in, const std::vector<unsigned>& out,
                 const std::function<bool(unsigned own, unsigned other)>& chosen) {
  for (unsigned thread = 0; thread < kThreads; ++thread) {
    const unsigned mask = kMasks[thread / kLanes], lane = thread % kLanes;
    if ((mask >> lane & 1) == 0) continue;
    unsigned bits = 0;
    for (unsigned k = 0; k < kLanes; ++k) {
      if (chosen(in[thread], in[thread - lane + k])) bits |= 1u << k;
    }
    ASSERT_EQ(out[thread], bits & mask) << thread;
  }
}

TEST_P(WarpWords, a_ballot_has_the_bits_of_the_lanes_whose_predicate_holds) {
  const std::vector<unsigned> in = random_values<unsigned>(11);
  expect_bits(in, run_warps(ballot, in, 0, 32),
              [](unsigned, unsigned other) { return (other & 1) != 0; });
}

TEST_P(WarpWords, a_match_has_the_bits_of_the_lanes_with_the_same_value) {
  const std::vector<unsigned> in = random_values<unsigned>(12);
  expect_bits(in, run_warps(match, in, 0, 32),
              [](unsigned own, unsigned other) { return own % 5 == other % 5; });
}

TEST_P(WarpWords, any_and_all_hold_where_some_or_every_predicate_does) {
  const std::vector<unsigned> in = random_values<unsigned>(13);
  for (const int limit : {0, 1, 4, 7, 8}) {
    expect_each(in, run_warps(any_and_all, in, limit, 32),
                [&](const std::vector<unsigned>& values) {
                  unsigned holds = 0;
                  for (const unsigned v : values) holds += static_cast<int>(v % 8) < limit;
                  return (holds > 0 ? 1u : 0u) + (holds == values.size() ? 2u : 0u);
                });
  }
}

template <unsigned (*REDUCE)(unsigned, unsigned, Site)>
MOTE_KERNEL(kThreads)
reduce_by(WarpParams<unsigned> p) {
  in_mask(p, [](unsigned mask, unsigned v) { return REDUCE(mask, v, Site::here()); });
}

template <unsigned (*REDUCE)(unsigned, unsigned, Site)>
void expect_reduced(const std::function<unsigned(unsigned, unsigned)>& combine) {
  const std::vector<unsigned> in = random_values<unsigned>(14);
  expect_each(in, run_warps(reduce_by<REDUCE>, in, 0, 32),
              [&](const std::vector<unsigned>& values) {
                unsigned result = values[0];
                for (std::size_t k = 1; k < values.size(); ++k) result = combine(result, values[k]);
                return result;
              });
}

TEST_P(WarpWords, reductions_combine_the_values_of_the_mask) {
  expect_reduced<__reduce_add_sync>([](unsigned a, unsigned b) { return a + b; });
  expect_reduced<__reduce_min_sync>([](unsigned a, unsigned b) { return a < b ? a : b; });
  expect_reduced<__reduce_max_sync>([](unsigned a, unsigned b) { return a > b ? a : b; });
  expect_reduced<__reduce_and_sync>([](unsigned a, unsigned b) { return a & b; });
  expect_reduced<__reduce_or_sync>([](unsigned a, unsigned b) { return a | b; });
  expect_reduced<__reduce_xor_sync>([](unsigned a, unsigned b) { return a ^ b; });
}

/// N values of a lane, derived from one.
template <int N>
struct Several {
  float values[N];
  explicit Several(float v) {
    for (int k = 0; k < N; ++k) values[k] = v * static_cast<float>(k + 1) + v * v;
  }
};

/// The part of a lane's sum that is defined.
template <int N>
float counted(float sum) {
  return mote::cuda::sum_place(N, threadIdx.x % kLanes) < 0 ? 0.0f : sum;
}

template <int N>
MOTE_KERNEL(kThreads)
sum_several(WarpParams<float> p) {
  const Several<N> several(p.in[threadIdx.x]);
  p.out[threadIdx.x] = counted<N>(mote::cuda::warp_sums(several.values));
}

/// The result in all lanes, also in those without a sum.
template <int N>
MOTE_KERNEL(kThreads)
use_all_lanes(WarpParams<float> p) {
  const Several<N> several(p.in[threadIdx.x]);
  p.out[threadIdx.x] = mote::cuda::warp_sums(several.values);
}

template <int N>
MOTE_KERNEL(kThreads)
sum_several_by_butterflies(WarpParams<float> p) {
  Several<N> several(p.in[threadIdx.x]);
  for (int apart = 16; apart > 0; apart /= 2) {
    for (float& value : several.values) value += __shfl_xor_sync(0xffffffffu, value, apart);
  }
  const int place = mote::cuda::sum_place(N, threadIdx.x % kLanes);
  p.out[threadIdx.x] = place < 0 ? 0.0f : several.values[place];
}

template <int N>
void expect_sums_of_a_butterfly(const std::vector<float>& in) {
  const std::vector<float> expected = run_warps(sum_several_by_butterflies<N>, in, 0, 32);
  for (const bool by_shuffles : {false, true}) {
    machine().sums_by_shuffles = by_shuffles;
    EXPECT_EQ(run_warps(sum_several<N>, in, 0, 32), expected) << N << ' ' << by_shuffles;
  }
}

TEST_P(WarpWords, sums_of_several_values_are_those_of_a_butterfly_bit_for_bit) {
  std::vector<float> in = random_values<float>(15);
  for (float& value : in) value = std::fmod(value, 1000.0f) * 0.001f;
  expect_sums_of_a_butterfly<1>(in);
  expect_sums_of_a_butterfly<3>(in);
  expect_sums_of_a_butterfly<9>(in);
  expect_sums_of_a_butterfly<18>(in);
  expect_sums_of_a_butterfly<32>(in);
}

TEST_P(WarpWords, sums_by_shuffles_show_the_use_of_a_lane_without_a_sum) {
  const std::vector<float> in = random_values<float>(16);
  const std::vector<float> at_once = run_warps(use_all_lanes<3>, in, 0, 32);
  machine().sums_by_shuffles = true;
  EXPECT_NE(run_warps(use_all_lanes<3>, in, 0, 32), at_once);
}

TEST_P(WarpWords, one_lane_has_each_sum) {
  for (int count = 1; count <= 32; ++count) {
    std::vector<int> places;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const int place = mote::cuda::sum_place(count, lane);
      if (place >= 0) places.push_back(place);
    }
    std::ranges::sort(places);
    std::vector<int> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(places, all);
  }
}

MOTE_KERNEL(64) halves_take_different_ways(unsigned* out) {
  const unsigned lane = threadIdx.x % kLanes;
  if (lane < 16) {
    for (int k = 0; k < 3; ++k) out[threadIdx.x] = __ballot_sync(0x0000ffffu, lane % 2 == 0);
  } else {
    out[threadIdx.x] = __reduce_add_sync(0xffff0000u, lane);
  }
  __syncwarp();
  out[threadIdx.x] += __shfl_sync(0xffffffffu, lane, 5);
}

TEST_P(WarpWords, parts_of_a_warp_synchronise_apart_and_then_together) {
  const DeviceArray<unsigned> out(64);
  ASSERT_EQ(run({1, 64}, halves_take_different_ways, out.data()), cudaSuccess) << last_fault();
  for (unsigned thread = 0; thread < 64; ++thread) {
    const unsigned expected = thread % kLanes < 16 ? 0x5555u : 16u * (16 + 31) / 2;
    EXPECT_EQ(out.values()[thread], expected + 5);
  }
}

}  // namespace
}  // namespace cuda_host
