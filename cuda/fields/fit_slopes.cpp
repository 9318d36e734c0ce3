#include "cuda/fields/fit_slopes.h"

#include <algorithm>
#include <numeric>
#include <variant>

#include "core/error.h"
#include "cuda/kernels/fields/network_weights.h"
#include "fields/planes.h"

namespace mote::cuda {
namespace {

unsigned slope_parts(const NetworkShape& shape, std::size_t count) {
  const auto samples = static_cast<unsigned>(count);
  return std::max(network_gradient_parts(shape, samples), layer_network_parts(shape, samples));
}

std::size_t slope_part_lanes(const NetworkShape& shape, std::size_t count) {
  return std::size_t{slope_parts(shape, count)} *
         static_cast<std::size_t>(network_blocks(shape) * 2 * kBlockLanes);
}

std::size_t slope_space(const NetworkShape& shape, std::size_t count) {
  const auto samples = static_cast<unsigned>(count);
  return std::max(network_space(shape, samples, LayerUse::gradients),
                  network_space(shape, samples, LayerUse::rates));
}

}  // namespace

std::string missing_slope_kernels(const NeuralField& field) {
  const NetworkConfig& network = *field.config.network;
  const auto has_bends = [](LayerActivation activation) {
    return activation != LayerActivation::none && activation != LayerActivation::relu &&
           activation != LayerActivation::leaky_relu;
  };
  if (has_bends(network.activation) || network.output_activation != LayerActivation::none) {
    return "the eikonal loss is built for CUDA only with the hidden activations None, ReLU and "
           "LeakyReLU and the output activation None";
  }
  if (field.application != FieldApplication::sdf) {
    return "the eikonal loss is built for CUDA only for signed distances";
  }
  for (const EncodingPart& part : field.config.encoding->parts) {
    if (std::holds_alternative<SphericalEncoding>(part.kind)) {
      return "the eikonal loss is not built for CUDA with positions as spherical harmonics";
    }
    const auto* grid = std::get_if<GridEncoding>(&part.kind);
    if (grid != nullptr && grid->grid.interpolation == Interpolation::nearest) {
      return "grids of the nearest point have no slope, which the eikonal loss needs";
    }
  }
  return {};
}

void FitSlopes::begin(const NetworkShape& shape, int planes, std::size_t count,
                      std::size_t stride) {
  const std::size_t features = static_cast<std::size_t>(planes) * stride;
  host_ones_.resize_discard(stride);
  std::ranges::fill(host_ones_.span(), 1.0f);
  ones_.resize_discard(stride);
  velocities_.resize_discard(3 * stride);
  d_first_.resize_discard(features);
  rates_.resize_discard(features);
  space_.resize_discard(slope_space(shape, count));
  parts_.resize_discard(slope_part_lanes(shape, count));
  const unsigned loss_parts = grid_slope_parts(static_cast<unsigned>(count));
  loss_parts_.resize_discard(loss_parts);
  host_parts_.resize_discard(loss_parts);
}

NetworkGradientArgs FitSlopes::network_args(const SlopedSamples& samples, LayerUse use) {
  NetworkGradientArgs args = samples.network;
  const NetworkArgs& forward = args.forward;
  args.forward.space = space_.empty() ? nullptr : space_.data();
  args.parts = parts_.data();
  args.part_count = use == LayerUse::rates ? layer_network_parts(forward.shape, forward.count)
                                           : network_gradient_parts(forward.shape, forward.count);
  return args;
}

void FitSlopes::enqueue_loss(const SlopedSamples& samples, float weight,
                             const DeviceOptimizer& parameters) {
  ones_.upload(host_ones_.span(), stream_);
  // The gradients of weights are not used.
  NetworkGradientArgs first = network_args(samples, LayerUse::gradients);
  first.d_values = ones_.data();
  first.loss_scale = 1;
  first.d_features = d_first_.data();
  run_network_gradients(first, stream_);
  const NetworkArgs& forward = samples.network.forward;
  run_grid_slopes({.config = samples.grid,
                   .levels = samples.levels,
                   .table = parameters.table(),
                   .positions = samples.positions,
                   .d_features = d_first_.data(),
                   .count = forward.count,
                   .stride = forward.stride,
                   .scale = weight * samples.network.loss_scale / static_cast<float>(forward.count),
                   .velocities = velocities_.data(),
                   .parts = loss_parts_.data(),
                   .encoding = samples.parts},
                  stream_);
}

void FitSlopes::enqueue_gradients(const SlopedSamples& samples, DeviceOptimizer& parameters) {
  const NetworkArgs& forward = samples.network.forward;
  run_grid_rates({.config = samples.grid,
                  .levels = samples.levels,
                  .table = parameters.table(),
                  .positions = samples.positions,
                  .velocities = velocities_.data(),
                  .count = forward.count,
                  .stride = forward.stride,
                  .rates = rates_.data(),
                  .encoding = samples.parts},
                 stream_);
  const NetworkGradientArgs network = network_args(samples, LayerUse::rates);
  run_rates_backward({.gradients = network, .rates = rates_.data(), .d_rates = ones_.data()},
                     stream_);
  run_weight_gradients({.shape = forward.shape,
                        .parts = parts_.data(),
                        .part_count = network.part_count,
                        .padded_inputs = samples.padded_inputs,
                        .loss_scale = network.loss_scale,
                        .gradients = parameters.network_gradients()},
                       stream_);
  run_grid_rate_gradients({.config = samples.grid,
                           .levels = samples.levels,
                           .positions = samples.positions,
                           .d_features = d_first_.data(),
                           .count = forward.count,
                           .stride = forward.stride,
                           .loss_scale = network.loss_scale,
                           .sums = parameters.table_sums(),
                           .non_finite = parameters.non_finite(),
                           .parts = samples.parts},
                          velocities_.data(), parameters.sums_kind(), stream_);
}

void FitSlopes::enqueue_sums() {
  loss_parts_.download(host_parts_.span(), stream_);
}

double FitSlopes::loss_sum() const {
  return std::accumulate(host_parts_.data(), host_parts_.data() + host_parts_.size(), 0.0);
}

std::size_t FitSlopes::memory_bytes() const {
  return ones_.bytes() + velocities_.bytes() + d_first_.bytes() + rates_.bytes() + space_.bytes() +
         parts_.bytes() + loss_parts_.bytes();
}

std::size_t FitSlopes::bytes_for(const NetworkShape& shape, int planes, std::size_t count) {
  const std::size_t words = 4 + 2 * static_cast<std::size_t>(planes);
  return 4 * words * field_plane_stride(count) + slope_space(shape, count) * sizeof(uint4) +
         slope_part_lanes(shape, count) * sizeof(float4);
}

}  // namespace mote::cuda
