// Measures the kernels of neural fields on the CPU, for each instruction set of this machine:
// samples per second with all threads and with one. docs/field_performance.md has its results.
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

/// A hash grid with 2^19 entries in a level.
class GridRates {
 public:
  explicit GridRates(const GridConfig& config) : config_(config), levels_(grid_levels(config)) {
    std::mt19937 random(1);
    table_.resize_discard(grid_parameters(config_));
    d_table_.resize_discard(table_.size());
    std::memset(d_table_.data(), 0, d_table_.size() * sizeof(float));
    // Halves from 2^-10 to 2^-7, of both signs.
    for (std::uint16_t& half : table_.span()) {
      half = static_cast<std::uint16_t>(0x1400 + (random() & 0x8bff));
    }
    positions_.resize_discard(3 * kSamples);
    features_.resize_discard(static_cast<std::size_t>(config_.levels * config_.features) *
                             kSamples);
    for (float& x : positions_.span()) x = static_cast<float>(random() >> 8) * 0x1p-24f;
  }

  Times measure(const CpuKernels& kernels, ThreadPool& pool) {
    constexpr std::size_t kParts = 8;
    const auto level_count = static_cast<std::size_t>(config_.levels);
    const auto forward = [&] {
      const GridParams params{3,
                              config_.features,
                              config_.interpolation,
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
                                      config_.features,
                                      config_.interpolation,
                                      levels_.data(),
                                      positions_.data(),
                                      features_.data(),
                                      kSamples,
                                      kSamples,
                                      nullptr};
      // The fine levels take longest and come first.
      pool.run(level_count, [&](std::size_t task, int) {
        const std::size_t number = level_count - 1 - task;
        GridBackwardParams own = params;
        own.d_table =
            d_table_.data() + levels_[number].first * static_cast<std::size_t>(config_.features);
        kernels.encode_grid_backward(own, static_cast<int>(number));
      });
    };
    return measured(forward, backward);
  }

 private:
  const GridConfig config_;
  std::vector<GridLevel> levels_;
  Buffer<std::uint16_t> table_;
  Buffer<float> positions_, features_, d_table_;
};

/// Random values from -size to size.
void fill(Buffer<float>& buffer, std::size_t count, float size) {
  std::mt19937 random(1);
  buffer.resize_discard(count);
  for (float& value : buffer.span()) {
    value = size * (static_cast<float>(random() >> 8) * 0x1p-23f - 1.0f);
  }
}

/// A network alone, or both of a NeRF for samples of which 32 share a ray.
class NetworkRates {
 public:
  explicit NetworkRates(const MlpConfig& density)
      : density_layers_(mlp_layers(density)), density_(mlp_parameters(density)) {
    fill(features_, 32 * kSamples, 1);
    fill(directions_, kSamples / 32 * kDirections, 1);
    fill(d_raw_, 4 * kSamples, 1);
    raw_.resize_discard(4 * kSamples);
    d_features_.resize_discard(32 * kSamples);
    rays_.resize_discard(kSamples);
    for (std::size_t i = 0; i < kSamples; ++i) rays_[i] = static_cast<std::uint32_t>(i / 32);
  }
  NetworkRates(const MlpConfig& density, const MlpConfig& color) : NetworkRates(density) {
    color_layers_ = mlp_layers(color);
    color_ = Network(mlp_parameters(color));
  }

  /// Forward as for rendering, and both directions as for training.
  Times measure(const CpuKernels& kernels, ThreadPool& pool) {
    const NerfNetworkParams forward{density_layers_.data(),
                                    color_layers_.empty() ? nullptr : color_layers_.data(),
                                    static_cast<int>(density_layers_.size()),
                                    static_cast<int>(color_layers_.size()),
                                    density_.weights.data(),
                                    color_.weights.data(),
                                    features_.data(),
                                    directions_.data(),
                                    rays_.data(),
                                    kDirections,
                                    raw_.data(),
                                    kSamples,
                                    kOutputs};
    const auto drawing = [&] {
      pool.run(kParts, [&](std::size_t part, int) {
        kernels.nerf_forward(forward, part * kSamples / kParts, (part + 1) * kSamples / kParts);
      });
    };
    const auto training = [&] {
      pool.run(kParts, [&](std::size_t part, int) {
        const std::size_t begin = part * kSamples / kParts, end = (part + 1) * kSamples / kParts;
        kernels.nerf_forward(forward, begin, end);
        const NerfNetworkBackwardParams backward{
            forward,
            density_.transposed.data(),
            color_.transposed.data(),
            d_raw_.data(),
            d_features_.data(),
            density_.gradients.data() + part * density_.weights.size(),
            color_.gradients.data() + part * color_.weights.size()};
        kernels.nerf_backward(backward, begin, end);
      });
    };
    return measured(drawing, training);
  }

 private:
  static constexpr std::size_t kParts = 64;  // each with its own gradient of the weights
  static constexpr int kDirections = 16;
  static constexpr std::size_t kOutputs = 4;

  struct Network {
    Network() = default;
    explicit Network(std::size_t count) {
      fill(weights, count, 0.2f);
      fill(transposed, count, 0.2f);
      fill(gradients, kParts * count, 0);
    }

    Buffer<float> weights, transposed, gradients;
  };

  std::vector<MlpLayer> density_layers_, color_layers_;
  Network density_, color_;
  Buffer<float> features_, directions_, raw_, d_raw_, d_features_;
  Buffer<std::uint32_t> rays_;
};

void run() {
  fmt::print("{}, {} usable CPUs; {} random samples, medians of {} rounds, M samples/s\n",
             this_machine().cpu_model, usable_cpus(), kSamples, kRounds);
  // The grids of instant-ngp's NeRF: at first, and later.
  GridRates two_features({.per_level_scale = 1.38191});
  GridRates four_features({.levels = 8, .features = 4});
  NetworkRates one_network({.inputs = 32, .outputs = 16, .hidden_layers = 2});
  NetworkRates nerf({.inputs = 32, .outputs = 16, .hidden_layers = 1},
                    {.inputs = 32, .outputs = 3, .hidden_layers = 2});
  std::size_t count = 0;
  const IsaEntry* entries = isa_table(count);
  for (std::size_t i = count; i-- > 0;) {
    if (!entries[i].usable()) continue;
    for (const int threads : {usable_cpus(), 1}) {
      ThreadPool pool(threads);
      const double samples = static_cast<double>(kSamples) / 1e6;
      const auto print_grid = [&](const char* name, const Times& times) {
        fmt::print("{}, {} threads: {} forward {:.1f}, backward {:.1f}\n", entries[i].kernels->name,
                   threads, name, samples / times.first, samples / times.second);
      };
      print_grid("hash grid of 16 levels", two_features.measure(*entries[i].kernels, pool));
      print_grid("hash grid of 8 levels", four_features.measure(*entries[i].kernels, pool));
      const auto print_networks = [&](const char* name, const Times& times) {
        fmt::print("{}, {} threads: {} forward {:.1f}, with gradients {:.1f}\n",
                   entries[i].kernels->name, threads, name, samples / times.first,
                   samples / times.second);
      };
      print_networks("one network", one_network.measure(*entries[i].kernels, pool));
      print_networks("networks of a NeRF", nerf.measure(*entries[i].kernels, pool));
    }
  }
}

}  // namespace
}  // namespace mote

int main() {
  mote::run();
  return 0;
}
