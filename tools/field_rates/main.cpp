// Measures the kernels of neural fields on the CPU, for each instruction set of this machine:
// samples per second with all threads and with one. docs/performance.md has its results.
//   field_rates
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <random>
#include <vector>

#include "core/buffer.h"
#include "core/machine.h"
#include "core/parallel.h"
#include "cpu/kernels.h"

namespace mote {
namespace {

constexpr std::size_t kSamples = std::size_t{1} << 17;
constexpr int kWarmup = 3, kRounds = 15;

/// The medians of the times of two works that alternate, in seconds.
struct Times {
  double first = 0, second = 0;
};

template <class First, class Second>
Times measured(const First& first, const Second& second) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> of_first, of_second;
  for (int round = -kWarmup; round < kRounds; ++round) {
    const auto start = Clock::now();
    first();
    const auto middle = Clock::now();
    second();
    const auto end = Clock::now();
    if (round < 0) continue;
    of_first.push_back(std::chrono::duration<double>(middle - start).count());
    of_second.push_back(std::chrono::duration<double>(end - middle).count());
  }
  std::ranges::sort(of_first);
  std::ranges::sort(of_second);
  return {of_first[kRounds / 2], of_second[kRounds / 2]};
}

/// The hash grid that instant-ngp's NeRF had at first: 16 levels, 2 features, 2^19 entries.
class GridRates {
 public:
  GridRates() : levels_(grid_levels(kConfig)) {
    std::mt19937 random(1);
    table_.resize_discard(grid_parameters(kConfig));
    d_table_.resize_discard(table_.size());
    std::memset(d_table_.data(), 0, d_table_.size() * sizeof(float));
    // Halves from 2^-10 to 2^-7, of both signs.
    for (std::uint16_t& half : table_.span()) {
      half = static_cast<std::uint16_t>(0x1400 + (random() & 0x8bff));
    }
    positions_.resize_discard(3 * kSamples);
    features_.resize_discard(static_cast<std::size_t>(kConfig.levels * kConfig.features) *
                             kSamples);
    for (float& x : positions_.span()) x = static_cast<float>(random() >> 8) * 0x1p-24f;
  }

  Times measure(const CpuKernels& kernels, ThreadPool& pool) {
    constexpr std::size_t kParts = 8;
    const auto level_count = static_cast<std::size_t>(kConfig.levels);
    const auto forward = [&] {
      const GridParams params{3,
                              kConfig.features,
                              kConfig.interpolation,
                              levels_.data(),
                              table_.data(),
                              positions_.data(),
                              features_.data(),
                              kSamples};
      pool.run(level_count * kParts, [&](std::size_t task, int) {
        const std::size_t part = task % kParts;
        kernels.encode_grid(params, static_cast<int>(task / kParts), part * kSamples / kParts,
                            (part + 1) * kSamples / kParts);
      });
    };
    const auto backward = [&] {
      const GridBackwardParams params{3,
                                      kConfig.features,
                                      kConfig.interpolation,
                                      levels_.data(),
                                      positions_.data(),
                                      features_.data(),
                                      kSamples,
                                      kSamples,
                                      d_table_.data()};
      // The fine levels take longest and come first.
      pool.run(level_count, [&](std::size_t task, int) {
        kernels.encode_grid_backward(params, static_cast<int>(level_count - 1 - task));
      });
    };
    return measured(forward, backward);
  }

 private:
  static constexpr GridConfig kConfig{.per_level_scale = 1.38191};
  std::vector<GridLevel> levels_;
  Buffer<std::uint16_t> table_;
  Buffer<float> positions_, features_, d_table_;
};

/// A network of 32 inputs, two hidden layers of 64, and 16 outputs.
class MlpRates {
 public:
  MlpRates() : layers_(mlp_layers({.inputs = 32, .outputs = 16, .hidden_layers = 2})) {
    std::mt19937 random(1);
    const auto fill = [&](Buffer<float>& buffer, std::size_t count, float size) {
      buffer.resize_discard(count);
      for (float& value : buffer.span()) {
        value = size * (static_cast<float>(random() >> 8) * 0x1p-23f - 1.0f);
      }
    };
    const std::size_t weights = layers_.back().first + 64 * 16;
    fill(weights_, weights, 0.2f);
    fill(transposed_, weights, 0.2f);
    fill(input_, 32 * kSamples, 1);
    fill(d_output_, 16 * kSamples, 1);
    output_.resize_discard(16 * kSamples);
    arguments_.resize_discard((64 + 64 + 16) * kSamples);
    d_input_.resize_discard(32 * kSamples);
    d_weights_.resize_discard(kParts * weights);
    std::memset(d_weights_.data(), 0, d_weights_.size() * sizeof(float));
  }

  /// Forward as for rendering, and both directions as for training.
  Times measure(const CpuKernels& kernels, ThreadPool& pool) {
    const auto layers = static_cast<int>(layers_.size());
    MlpParams forward{layers_.data(), layers,  weights_.data(), input_.data(),
                      output_.data(), nullptr, kSamples};
    const auto drawing = [&] {
      pool.run(kParts, [&](std::size_t part, int) {
        kernels.mlp_forward(forward, part * kSamples / kParts, (part + 1) * kSamples / kParts);
      });
    };
    MlpParams kept = forward;
    kept.arguments = arguments_.data();
    const auto training = [&] {
      pool.run(kParts, [&](std::size_t part, int) {
        const std::size_t begin = part * kSamples / kParts, end = (part + 1) * kSamples / kParts;
        kernels.mlp_forward(kept, begin, end);
        const MlpBackwardParams backward{layers_.data(),
                                         layers,
                                         transposed_.data(),
                                         input_.data(),
                                         arguments_.data(),
                                         d_output_.data(),
                                         d_input_.data(),
                                         d_weights_.data() + part * weights_.size(),
                                         kSamples};
        kernels.mlp_backward(backward, begin, end);
      });
    };
    return measured(drawing, training);
  }

 private:
  static constexpr std::size_t kParts = 64;  // each with its own gradient of the weights
  std::vector<MlpLayer> layers_;
  Buffer<float> weights_, transposed_, input_, output_, arguments_, d_output_, d_input_, d_weights_;
};

void run() {
  fmt::print("{}, {} usable CPUs; {} random samples, medians of {} rounds, M samples/s\n",
             this_machine().cpu_model, usable_cpus(), kSamples, kRounds);
  GridRates grid;
  MlpRates mlp;
  std::size_t count = 0;
  const IsaEntry* entries = isa_table(count);
  for (std::size_t i = count; i-- > 0;) {
    if (!entries[i].usable()) continue;
    for (const int threads : {usable_cpus(), 1}) {
      ThreadPool pool(threads);
      const Times times = grid.measure(*entries[i].kernels, pool);
      const double samples = static_cast<double>(kSamples) / 1e6;
      fmt::print("{}, {} threads: hash grid forward {:.1f}, backward {:.1f}\n",
                 entries[i].kernels->name, threads, samples / times.first, samples / times.second);
      const Times network = mlp.measure(*entries[i].kernels, pool);
      fmt::print("{}, {} threads: network forward {:.1f}, with its gradients {:.1f}\n",
                 entries[i].kernels->name, threads, samples / network.first,
                 samples / network.second);
    }
  }
}

}  // namespace
}  // namespace mote

int main() {
  mote::run();
  return 0;
}
