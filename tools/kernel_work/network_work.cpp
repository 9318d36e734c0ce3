#include "network_work.h"

#include <utility>
#include <vector>

#include "cuda/kernels/fields/network_forward.h"
#include "cuda/kernels/fields/network_gradients.h"
#include "cuda/kernels/fields/network_weights.h"
#include "cuda/runtime/runtime.h"
#include "cuda_host/controls.h"

namespace mote {
namespace {

using namespace cuda;

template <class T>
DeviceBuffer<T> zeros(std::size_t count) {
  DeviceBuffer<T> buffer("values of a count");
  buffer.resize_discard(count);
  buffer.fill_bytes(0, nullptr);
  return buffer;
}

struct Counts {
  std::uint64_t products, wavefronts, without_conflicts;
};

/// Counts of all kernels so far.
Counts counts() {
  check(cudaStreamSynchronize(nullptr), "counting");
  Counts sum{cuda_host::matrix_products(), 0, 0};
  for (const auto& [name, own] : cuda_host::shared_wavefronts()) {
    sum.wavefronts += own.wavefronts;
    sum.without_conflicts += own.without_conflicts;
  }
  return sum;
}

/// Counts of a further sample: of `2 * samples` without those of `samples`, so that the weights are
/// copied equally often.
template <class Work>
NetworkWork counted(const Work& work, unsigned samples) {
  const Counts start = counts();
  work(samples);
  const Counts once = counts();
  work(2 * samples);
  const Counts twice = counts();
  const auto each = [&](std::uint64_t Counts::*count) {
    return static_cast<double>(twice.*count - 2 * (once.*count) + start.*count) /
           static_cast<double>(samples);
  };
  return {.products = each(&Counts::products),
          .wavefronts = each(&Counts::wavefronts),
          .without_conflicts = each(&Counts::without_conflicts)};
}

}  // namespace

NetworkWorks network_work(const MlpConfig& config, unsigned samples) {
  cuda_host::machine().counts_wavefronts = true;
  cuda_host::machine().multiprocessors = 1;
  const NetworkShape shape = network_shape(config, mlp_padded(config.inputs) / kBlockValues);
  const auto blocks = static_cast<std::size_t>(network_blocks(shape));
  const int planes = mlp_padded(config.inputs) / 2;
  const auto weights = zeros<float>(mlp_parameters(config));
  auto plain = zeros<uint4>(blocks * kBlockLanes), transposed = zeros<uint4>(blocks * kBlockLanes);
  run_network_weights({.shape = shape,
                       .weights = weights.data(),
                       .padded_inputs = mlp_padded(config.inputs),
                       .grid_features = 0,
                       .blocks = plain.data(),
                       .transposed = transposed.data()},
                      nullptr);
  const std::size_t stride = 2 * std::size_t{samples};
  const auto features = zeros<std::uint32_t>(static_cast<std::size_t>(planes) * stride);
  auto values = zeros<float>(static_cast<std::size_t>(config.outputs) * stride);
  NetworkArgs forward{.shape = shape,
                      .weights = plain.data(),
                      .features = features.data(),
                      .planes = planes,
                      .values = values.data(),
                      .outputs = config.outputs,
                      .count = samples,
                      .stride = stride};
  auto d_features = zeros<std::uint32_t>(features.size());
  auto parts = zeros<float4>(blocks * 2 * kBlockLanes);
  NetworkWorks works;
  works.weight_bytes = blocks * kBlock_bytes;
  works.forward = counted(
      [&](unsigned count) {
        forward.count = count;
        run_network_forward(forward, nullptr);
      },
      samples);
  works.gradients = counted(
      [&](unsigned count) {
        forward.count = count;
        run_network_gradients({.forward = forward,
                               .transposed = transposed.data(),
                               .d_values = values.data(),
                               .loss_scale = 1,
                               .d_features = d_features.data(),
                               .parts = parts.data(),
                               .part_count = 1},
                              nullptr);
      },
      samples);
  const double of_features = 4 * planes, of_values = 4 * config.outputs;
  works.forward.global_bytes = of_features + of_values;
  works.gradients.global_bytes = 2 * of_features + of_values;
  return works;
}

}  // namespace mote
