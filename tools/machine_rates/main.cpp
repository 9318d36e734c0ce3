// Measures the rates of this machine that limit the CPU kernels, and prints them as a table for
// docs/performance.md: vector operations, reading and storing, by one thread and by all.

#include <hwy/cache_control.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <vector>

#include "core/machine.h"
#include "core/parallel.h"
#include "lanes/pack.h"
#include "pipeline/blend.h"
#include "splats/kinds/ellipse.h"

namespace mote::MOTE_ISA {
namespace {

constexpr int kRounds = 9;
constexpr std::size_t kMemory_bytes = std::size_t{256} << 20;  // per thread, beyond the caches
constexpr std::size_t kMemoryFloats = kMemory_bytes / sizeof(float);

/// Hides from the compiler what the value is: it can neither leave out nor join computations.
MOTE_LANE void hide(Pack& value) {
  asm volatile("" : "+v"(value.value.raw));
}

/// Applies `use` to each value. Values are variables, not an array, so that they stay in registers.
template <class Use, class... T>
MOTE_LANE void each(const Use& use, T&... values) {
  (use(values), ...);
}

/// Chained integer products, each of three clocks on the processors of the last ten years.
std::uint64_t count_clocks() {
  constexpr std::uint64_t kCount = 10'000'000;
  std::uint64_t product = 3;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    product *= product;
    asm volatile("" : "+r"(product));
  }
  return kCount * 3;
}

/// Multiply-adds with ten independent sums, more than the latency of one needs.
std::uint64_t multiply_and_add() {
  constexpr std::uint64_t kCount = 2'000'000;
  Pack a, b, c, d, e, f, g, h, i, j;
  Pack factor(0.5f), addend(1.0f);
  each([](Pack& value) { hide(value); }, a, b, c, d, e, f, g, h, i, j, factor, addend);
  for (std::uint64_t n = 0; n < kCount; ++n) {
    const auto step = [&](Pack & sum) __attribute__((always_inline)) {
      sum = fma(sum, factor, addend);
    };
    each(step, a, b, c, d, e, f, g, h, i, j);
  }
  each([](Pack& sum) { hide(sum); }, a, b, c, d, e, f, g, h, i, j);
  return kCount * 10;
}

constexpr int kBlendOperations = 21;  // of a splat and a pack of pixels

struct BlendedPack {
  LaneForward<Pack> pixel;
  Pack red, green, blue;
};

/// The operations of blending a splat into a pack of pixels, on values in registers. The packs do
/// not wait for each other.
std::uint64_t blend_blocks() {
  constexpr std::uint64_t kCount = 400'000;
  BlendedPack a, b, c;
  const BlockBasis<Pack> basis{Pack(0.25f), Pack(0.5f), Pack(-0.125f)};
  Pack constant(-20.0f), slope(0.25f), color(0.5f);
  each([](Pack& value) { hide(value); }, slope, color, a.red, b.red, c.red);
  each([](BlendedPack& at) { hide(at.pixel.running); }, a, b, c);
  for (std::uint64_t n = 0; n < kCount; ++n) {
    const auto step = [&](BlendedPack & at) __attribute__((always_inline)) {
      hide(constant);
      const Pack exponent = form_value(BlockPolynomial<Pack>{constant, slope, slope}, basis);
      const Pack weight = blend_step(exponent, at.pixel);
      at.red = fma(weight, color, at.red);
      at.green = fma(weight, color, at.green);
      at.blue = fma(weight, color, at.blue);
    };
    each(step, a, b, c);
  }
  const auto use = [](BlendedPack& at) {
    hide(at.red);
    hide(at.green);
    hide(at.blue);
  };
  each(use, a, b, c);
  return kCount * 3;
}

std::uint64_t read(const float* memory) {
  Pack a, b, c, d;
  for (std::size_t i = 0; i < kMemoryFloats; i += 4 * kPackLanes) {
    a = a + load(memory + i);
    b = b + load(memory + i + kPackLanes);
    c = c + load(memory + i + 2 * kPackLanes);
    d = d + load(memory + i + 3 * kPackLanes);
  }
  each([](Pack& sum) { hide(sum); }, a, b, c, d);
  return kMemory_bytes;
}

template <bool PAST_CACHES>
std::uint64_t write(float* memory) {
  const Pack value(1.0f);
  for (std::size_t i = 0; i < kMemoryFloats; i += kPackLanes) {
    if constexpr (PAST_CACHES) {
      hn::Stream(value.value, PackTag(), memory + i);
    } else {
      store(value, memory + i);
    }
  }
  hwy::FlushStream();
  return kMemory_bytes;
}

struct Free {
  void operator()(float* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<float, Free>;

/// Work of one thread; returns its amount.
using Work = std::uint64_t (*)(float* memory);

struct Rate {
  const char *name, *unit;
  double scale;  // of the unit, per nanosecond
  Work work;
};

constexpr Rate kRates[] = {
    {"clock", "GHz", 1, [](float*) { return count_clocks(); }},
    {"multiply-adds", "G/s", 1, [](float*) { return multiply_and_add(); }},
    {"operations of blending", "G/s", kBlendOperations, [](float*) { return blend_blocks(); }},
    {"reading memory", "GB/s", 1, [](float* from) { return read(from); }},
    {"storing to memory", "GB/s", 1, [](float* to) { return write<false>(to); }},
    {"storing past the caches", "GB/s", 1, [](float* to) { return write<true>(to); }},
};

/// Amount per nanosecond and thread, the best of the rounds, with all threads of the pool at work.
double measure(Work work, ThreadPool& pool, const std::vector<Memory>& memory) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<std::uint64_t> amounts(static_cast<std::size_t>(pool.threads()));
    const auto start = Clock::now();
    pool.run(amounts.size(), [&](std::size_t i, int) { amounts[i] = work(memory[i].get()); });
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    best = std::max(best, static_cast<double>(amounts[0]) / ns);
  }
  return best;
}

/// One pool at a time, since the smallest one limits all.
std::vector<double> measure_all(int threads, const std::vector<Memory>& memory) {
  ThreadPool pool(threads);
  std::vector<double> found;
  for (const Rate& rate : kRates) found.push_back(measure(rate.work, pool, memory) * rate.scale);
  return found;
}

void print_rates() {
  const Machine machine = this_machine();
  std::vector<Memory> memory;
  for (int i = 0; i < machine.usable_cpus; ++i) {
    memory.emplace_back(static_cast<float*>(std::aligned_alloc(4096, kMemory_bytes)));
    if (memory.back() == nullptr) throw std::bad_alloc();
    std::fill_n(memory.back().get(), kMemoryFloats, 1.0f);
  }
  const std::vector<double> alone = measure_all(1, memory), together = measure_all(0, memory);
  std::printf("%s, packs of %d floats\n\n", machine.cpu_model.c_str(), kPackLanes);
  std::printf("| rate of a core | one at work | %d at work |\n|---|---|---|\n",
              machine.usable_cpus);
  for (std::size_t i = 0; i < alone.size(); ++i) {
    std::printf("| %s | %.2f %s | %.2f %s |\n", kRates[i].name, alone[i], kRates[i].unit,
                together[i], kRates[i].unit);
  }
}

}  // namespace
}  // namespace mote::MOTE_ISA

int main() {
  try {
    mote::MOTE_ISA::print_rates();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "machine_rates: %s\n", error.what());
    return 1;
  }
  return 0;
}
