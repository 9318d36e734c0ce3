// Measures the kernels of neural fields on a GPU alone, beside the targets of
// docs/field_kernels.md.
//   field_gpu_rates [--samples N] [--rounds N]
// The rates are those of random samples, by the device's clock, of all rounds together.
#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <exception>
#include <functional>
#include <random>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "cuda/kernels/fields/grid_encoding.h"
#include "cuda/kernels/fields/grid_gradients.h"
#include "cuda/kernels/fields/network_forward.h"
#include "cuda/kernels/fields/network_gradients.h"
#include "cuda/kernels/fields/network_weights.h"
#include "cuda/runtime/runtime.h"
#include "fields/planes.h"

namespace mote {
namespace {

using namespace cuda;

struct Options {
  unsigned samples = 1u << 21, rounds = 20;
};

/// Prints a line of the table. `target`: G samples/s, or 0.
void print_rate(const Options& options, const char* name, double target, cudaStream_t stream,
                const std::function<void()>& enqueue) {
  for (int i = 0; i < 3; ++i) enqueue();
  Event begin(EventUse::timing), end(EventUse::timing);
  begin.record(stream);
  for (unsigned i = 0; i < options.rounds; ++i) enqueue();
  end.record(stream);
  end.synchronize();
  const double ms = static_cast<double>(end.elapsed_ms(begin)) / options.rounds;
  fmt::print("{}: {:.3f} G samples/s", name, options.samples / (1e6 * ms));
  if (target > 0) fmt::print(", target {}", target);
  fmt::print("\n");
}

template <class T>
DeviceBuffer<T> space(std::size_t count, cudaStream_t stream) {
  DeviceBuffer<T> buffer("values of a measurement");
  buffer.resize_discard(count);
  buffer.fill_bytes(0, stream);
  return buffer;
}

template <class T>
DeviceBuffer<T> copied(const std::vector<T>& values, cudaStream_t stream) {
  DeviceBuffer<T> buffer("values of a measurement");
  buffer.resize_discard(values.size());
  buffer.upload(values, stream);
  check(cudaStreamSynchronize(stream), "copying values");
  return buffer;
}

/// Random halves of two values in a word, of both signs and at most 1/8.
std::vector<std::uint32_t> random_halves(std::size_t count) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> words(count);
  for (std::uint32_t& word : words) {
    word = 0x14001400u + (static_cast<std::uint32_t>(random()) & 0x8bff8bffu);
  }
  return words;
}

std::vector<float> random_floats(std::size_t count, float low, float high) {
  std::mt19937 random(2);
  std::vector<float> values(count);
  for (float& value : values) {
    value = low + (high - low) * static_cast<float>(random() >> 8) * 0x1p-24f;
  }
  return values;
}

struct GridTargets {
  const char *forward, *exact, *fast;  // names
  double target;                       // of the forward pass
};

void measure_grid(const Options& options, const GridConfig& config, const GridTargets& names,
                  cudaStream_t stream) {
  const std::size_t stride = field_plane_stride(options.samples),
                    parameters = grid_parameters(config);
  const auto words = static_cast<std::size_t>(config.levels * config.features / 2) * stride;
  const auto levels = copied(grid_levels(config), stream);
  std::vector<std::uint16_t> halves(parameters + 16);
  const std::vector<std::uint32_t> pairs = random_halves((halves.size() + 1) / 2);
  std::memcpy(halves.data(), pairs.data(), halves.size() * sizeof(std::uint16_t));
  const auto table = copied(halves, stream);
  const auto positions = copied(random_floats(3 * stride, 0, 1), stream);
  auto features = space<std::uint32_t>(words, stream);
  print_rate(options, names.forward, names.target, stream, [&] {
    run_grid_encoding({.config = config,
                       .levels = levels.data(),
                       .table = table.data(),
                       .positions = positions.data(),
                       .count = options.samples,
                       .stride = stride,
                       .features = features.data()},
                      stream);
  });
  const auto d_features = copied(random_halves(words), stream);
  auto non_finite = space<unsigned>(1, stream);
  for (const GradientSums kind : {GradientSums::fixed_point, GradientSums::floats}) {
    auto sums = space<std::byte>(parameters * sum_bytes(kind), stream);
    print_rate(options, kind == GradientSums::floats ? names.fast : names.exact, 0, stream, [&] {
      run_grid_gradients({.config = config,
                          .levels = levels.data(),
                          .positions = positions.data(),
                          .d_features = d_features.data(),
                          .count = options.samples,
                          .stride = stride,
                          .loss_scale = 1024,
                          .sums = sums.data(),
                          .non_finite = non_finite.data()},
                         kind, stream);
    });
  }
}

struct NetworkTargets {
  const char *inference, *training;  // names
  double of_inference, of_training;  // 0: none
};

void measure_network(const Options& options, const MlpConfig& config, const NetworkTargets& names,
                     cudaStream_t stream) {
  const NetworkShape shape = network_shape(config, mlp_padded(config.inputs) / kBlockValues);
  const auto lanes = static_cast<std::size_t>(network_blocks(shape) * kBlockLanes);
  const std::size_t stride = field_plane_stride(options.samples);
  const auto weights = copied(random_floats(mlp_parameters(config), -0.2f, 0.2f), stream);
  auto blocks = space<uint4>(lanes, stream), transposed = space<uint4>(lanes, stream);
  run_network_weights({.shape = shape,
                       .weights = weights.data(),
                       .padded_inputs = mlp_padded(config.inputs),
                       .grid_features = 0,
                       .blocks = blocks.data(),
                       .transposed = transposed.data()},
                      stream);
  const int planes = config.inputs / 2;
  const auto words = static_cast<std::size_t>(planes) * stride;
  const auto features = copied(random_halves(words), stream);
  const auto values_size = static_cast<std::size_t>(config.outputs) * stride;
  auto values = space<float>(values_size, stream);
  const NetworkArgs forward{.shape = shape,
                            .weights = blocks.data(),
                            .features = features.data(),
                            .planes = planes,
                            .values = values.data(),
                            .outputs = config.outputs,
                            .count = options.samples,
                            .stride = stride};
  print_rate(options, names.inference, names.of_inference, stream,
             [&] { run_network_forward(forward, stream); });
  const unsigned parts = network_gradient_parts(shape, options.samples);
  const auto d_values = copied(random_floats(values_size, -1, 1), stream);
  auto d_features = space<std::uint32_t>(words, stream);
  auto sums = space<float4>(parts * lanes * 2, stream);
  auto gradients = space<float>(mlp_parameters(config), stream);
  print_rate(options, names.training, names.of_training, stream, [&] {
    run_network_forward(forward, stream);
    run_network_gradients({.forward = forward,
                           .transposed = transposed.data(),
                           .d_values = d_values.data(),
                           .loss_scale = 1024,
                           .d_features = d_features.data(),
                           .parts = sums.data(),
                           .part_count = parts},
                          stream);
    run_weight_gradients({.shape = shape,
                          .parts = sums.data(),
                          .part_count = parts,
                          .padded_inputs = mlp_padded(config.inputs),
                          .loss_scale = 1024,
                          .gradients = gradients.data()},
                         stream);
  });
}

void measure(const Options& options) {
  const Gpu gpu(0, "cuda");
  gpu.enter();
  const Stream stream;
  fmt::print("{}, {} samples\n", gpu.label(), options.samples);
  measure_grid(options, {.per_level_scale = 1.51572},
               {"grid L16 F2 T19, forward", "grid L16 F2 T19, gradients, fixed point",
                "grid L16 F2 T19, gradients, floats", 1},
               stream.get());
  measure_grid(options, {.levels = 8, .features = 4, .per_level_scale = 2},
               {"grid L8 F4 T19, forward", "grid L8 F4 T19, gradients, fixed point",
                "grid L8 F4 T19, gradients, floats", 2},
               stream.get());
  measure_network(
      options, {.inputs = 32, .outputs = 16, .neurons = 64, .hidden_layers = 4},
      {"network 64 wide, 4 hidden, inference", "network 64 wide, 4 hidden, training", 20, 4},
      stream.get());
  measure_network(
      options, {.inputs = 32, .outputs = 16, .neurons = 128, .hidden_layers = 4},
      {"network 128 wide, 4 hidden, inference", "network 128 wide, 4 hidden, training", 0, 0},
      stream.get());
}

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i], text = i + 1 < argc ? argv[i + 1] : "";
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_number = error == std::errc() && end == text.data() + text.size() && value > 0;
    if (!is_number || (name != "--samples" && name != "--rounds")) {
      throw Error(fmt::format("\"{} {}\" is not an option with a number", name, text),
                  "the command line", "give --samples N or --rounds N");
    }
    (name == "--samples" ? options.samples : options.rounds) = value;
  }
  return options;
}

}  // namespace
}  // namespace mote

int main(int argc, char** argv) {
  try {
    mote::measure(mote::read_options(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "field_gpu_rates: {}\n", error.what());
    return 1;
  }
  return 0;
}
