#include "cuda/cuda_deformation.h"

#include <algorithm>
#include <vector>

#include "core/error.h"
#include "cuda/kernels/column_sums.h"
#include "cuda/kernels/fields/gradient_sums.h"
#include "cuda/kernels/fields/grid_gradients.h"
#include "cuda/kernels/fields/network_weights.h"
#include "cuda/kernels/fields/plane_update.h"
#include "fields/planes.h"
#include "math/adam.h"

namespace mote::cuda {
namespace {

NetworkShape network_of(const DeformationConfig& config) {
  const MlpConfig network{.inputs = hex_features(config.planes),
                          .outputs = kOffsets,
                          .neurons = config.neurons,
                          .hidden_layers = config.hidden_layers};
  return network_shape(network, network.inputs / kBlockValues);
}

std::size_t weight_lanes(const NetworkShape& shape) {
  return static_cast<std::size_t>(network_blocks(shape)) * kBlockLanes;
}

std::size_t space_of(const NetworkShape& shape, std::size_t count) {
  const auto samples = static_cast<unsigned>(count);
  return std::max(network_space(shape, samples, LayerUse::values),
                  network_space(shape, samples, LayerUse::gradients));
}

std::size_t parts_of(const DeformationConfig& config) {
  return static_cast<std::size_t>(hexplane_parts(config.planes.levels, config.planes.features));
}

}  // namespace

DeformationBytes deformation_bytes(const DeformationConfig& config) {
  const DeformationLayout layout = deformation_layout(config);
  const NetworkShape network = network_of(config);
  const std::size_t of_planes = layout.parameters - layout.planes_first;
  constexpr std::size_t kArrays = 4;  // values, two moments, gradients
  // Features and their gradients are halves; places, offsets and moved splats with gradients.
  const std::size_t floats = layout.features + kHexAxes * (1 + parts_of(config)) + 2 * kOffsets +
                             2 * kGaussianFields + 3 + 1;
  return {.state = (kArrays * layout.parameters) * sizeof(float) +
                   of_planes * sizeof(unsigned long long) +
                   2 * weight_lanes(network) * sizeof(uint4),
          .step = network_gradient_parts(network, kMostGradientSamples) * 2 *
                      weight_lanes(network) * sizeof(float4) +
                  space_of(network, kMostGradientSamples) * sizeof(uint4),
          .each_splat = floats * sizeof(float)};
}

CudaDeformation::CudaDeformation(const DeformationField& field, cudaStream_t stream)
    : shape_{field.config, field.low, field.high, {}},
      layout_(deformation_layout(field.config)),
      network_(network_of(field.config)),
      stream_(stream) {
  CHECK(field.parameters.size() == layout_.parameters);
  levels_.resize_discard(layout_.levels.size());
  levels_.upload(layout_.levels, stream_);
  for (auto* buffer : {&values_, &first_, &second_, &gradients_}) {
    buffer->resize_discard(layout_.parameters);
    buffer->fill_bytes(0, stream_);
  }
  values_.upload(field.parameters, stream_);
  sums_.resize_discard(layout_.parameters - layout_.planes_first);
  weights_.resize_discard(weight_lanes(network_));
  transposed_.resize_discard(weight_lanes(network_));
  largest_.resize_discard(1);
  enqueue_weights();
  check(cudaStreamSynchronize(stream_), "copying a deformation field");
}

void CudaDeformation::enqueue_weights() {
  run_network_weights({.shape = network_,
                       .weights = values_.data(),
                       .padded_inputs = layout_.layers.front().inputs,
                       .grid_features = 0,
                       .blocks = weights_.data(),
                       .transposed = transposed_.data()},
                      stream_);
}

HexPlaneArgs CudaDeformation::plane_args() const {
  return {.levels = levels_.data(),
          .level_count = static_cast<int>(layout_.levels.size()),
          .features = static_cast<int>(layout_.plane_features),
          .planes = values_.data() + layout_.planes_first,
          .places = places_.data(),
          .count = static_cast<unsigned>(count_),
          .stride = stride_};
}

NetworkArgs CudaDeformation::network_args() {
  return {.shape = network_,
          .weights = weights_.data(),
          .features = features_.data(),
          .planes = static_cast<int>(layout_.features / 2),
          .values = outputs_.data(),
          .outputs = kOffsets,
          .count = static_cast<unsigned>(count_),
          .stride = stride_,
          .space = space_.data()};
}

DisplaceArgs CudaDeformation::displace_args(const float* geometry, double share) {
  return {.box = motion_box<float>(shape_),
          .share = static_cast<float>(share),
          .geometry = geometry,
          .count = static_cast<unsigned>(count_),
          .stride = stride_,
          .places = places_.data(),
          .outputs = outputs_.data(),
          .moved = moved_.data()};
}

std::size_t CudaDeformation::most_splats() {
  return kMostGradientSamples;
}

const float* CudaDeformation::enqueue_move(const float* geometry, std::size_t count, double share) {
  if (count > most_splats()) {
    throw Error("a deformation field moves at most 16,777,216 splats with CUDA", device_label(),
                "lower --max-splats, or use --device cpu");
  }
  count_ = count;
  stride_ = field_plane_stride(count);
  places_.resize_discard(kHexAxes * stride_);
  features_.resize_discard(layout_.features / 2 * stride_);
  outputs_.resize_discard(kOffsets * stride_);
  moved_.resize_discard(kGaussianFields * stride_);
  space_.resize_discard(space_of(network_, count));
  const DisplaceArgs args = displace_args(geometry, share);
  run_place_splats(args, stream_);
  run_hexplane_encoding(plane_args(), features_.data(), stream_);
  run_network_forward(network_args(), stream_);
  run_displace_splats(args, stream_);
  return moved_.data();
}

float* CudaDeformation::enqueue_zero_gradient() {
  d_moved_.resize_discard(kGaussianFields * stride_);
  d_moved_.fill_bytes(0, stream_);
  return d_moved_.data();
}

DisplaceGradientArgs CudaDeformation::gradient_args() {
  return {.box = motion_box<float>(shape_),
          .count = static_cast<unsigned>(count_),
          .stride = stride_,
          .d_moved = d_moved_.data(),
          .largest = largest_.data(),
          .d_outputs = d_outputs_.data(),
          .d_places = d_places_.data(),
          .parts = static_cast<int>(parts_of(shape_.config)),
          .d_means = d_means_.data(),
          .d_share = d_share_.data()};
}

const float* CudaDeformation::enqueue_gradients() {
  const unsigned part_count = network_gradient_parts(network_, static_cast<unsigned>(count_));
  d_outputs_.resize_discard(kOffsets * stride_);
  d_features_.resize_discard(features_.size());
  d_places_.resize_discard(parts_of(shape_.config) * kHexAxes * stride_);
  d_means_.resize_discard(3 * stride_);
  d_share_.resize_discard(count_);
  parts_.resize_discard(part_count * 2 * weight_lanes(network_));
  largest_.fill_bytes(0, stream_);
  sums_.fill_bytes(0, stream_);
  const DisplaceGradientArgs args = gradient_args();
  run_displace_gradients(args, stream_);
  run_network_gradients({.forward = network_args(),
                         .transposed = transposed_.data(),
                         .d_values = d_outputs_.data(),
                         .loss_scale = 1,  // the gradients have gradient_scale()
                         .d_features = d_features_.data(),
                         .parts = parts_.data(),
                         .part_count = part_count},
                        stream_);
  run_weight_gradients({.shape = network_,
                        .parts = parts_.data(),
                        .part_count = part_count,
                        .padded_inputs = layout_.layers.front().inputs,
                        .loss_scale = 1,
                        .gradients = gradients_.data()},
                       stream_);
  run_hexplane_gradients({.forward = plane_args(),
                          .d_features = d_features_.data(),
                          .sums = sums_.data(),
                          .d_places = d_places_.data()},
                         stream_);
  run_place_gradients(args, stream_);
  run_field_gradients(
      {.gradients = gradients_.data(),
       .sums = sums_.data(),
       .planes_first = layout_.planes_first,
       .parameters = layout_.parameters,
       .factor = gradient_of_sum(GradientSums::fixed_point, static_cast<unsigned>(count_), 1),
       .largest = largest_.data()},
      stream_);
  return d_means_.data();
}

void CudaDeformation::enqueue_share_gradient(const FrameCounters* counters, double* d_share) {
  run_column_sums(counters, d_share_.data(), static_cast<unsigned>(count_), 1, d_share, stream_);
}

void CudaDeformation::enqueue_step(const DeformationStep& request) {
  ++step_;
  run_plane_losses({.levels = levels_.data(),
                    .level_count = static_cast<int>(layout_.levels.size()),
                    .features = static_cast<int>(layout_.plane_features),
                    .parameters = layout_.parameters - layout_.planes_first,
                    .planes = values_.data() + layout_.planes_first,
                    .gradients = gradients_.data() + layout_.planes_first,
                    .space = request.plane_smoothness,
                    .time = request.time_smoothness,
                    .still = request.time_sparsity},
                   stream_);
  const AdamStep of_network = adam_step_at(step_, static_cast<double>(request.network_rate));
  const AdamStep of_planes = adam_step_at(step_, static_cast<double>(request.plane_rate));
  run_parameter_step({.values = values_.data(),
                      .first = first_.data(),
                      .second = second_.data(),
                      .gradients = gradients_.data(),
                      .planes_first = layout_.planes_first,
                      .parameters = layout_.parameters,
                      .network_rate = of_network.rate,
                      .plane_rate = of_planes.rate,
                      .inverse_root = of_planes.inverse_root},
                     stream_);
  enqueue_weights();
}

DeformationField CudaDeformation::field() const {
  DeformationField copy = shape_;
  copy.parameters.resize(layout_.parameters);
  values_.download(copy.parameters, stream_);
  check(cudaStreamSynchronize(stream_), "copying a deformation field");
  return copy;
}

void CudaDeformation::save(ByteSink& sink) const {
  sink.put(step_);
  std::vector<float> all(layout_.parameters);
  for (const auto* buffer : {&values_, &first_, &second_}) {
    buffer->download(all, stream_);
    check(cudaStreamSynchronize(stream_), "copying a deformation field");
    sink.put_all(std::span<const float>(all));
  }
}

void CudaDeformation::restore(ByteSource& source) {
  step_ = source.get<std::uint64_t>();
  for (auto* buffer : {&values_, &first_, &second_}) {
    const std::vector<float> saved = saved_parameters(source, layout_);
    buffer->upload(saved, stream_);
    check(cudaStreamSynchronize(stream_), "copying a deformation field");
  }
  enqueue_weights();
}

std::size_t CudaDeformation::memory_bytes() const {
  std::size_t bytes = levels_.bytes() + sums_.bytes() + weights_.bytes() + transposed_.bytes() +
                      space_.bytes() + parts_.bytes() + largest_.bytes() + features_.bytes() +
                      d_features_.bytes();
  for (const auto* buffer : {&values_, &first_, &second_, &gradients_, &places_, &outputs_, &moved_,
                             &d_moved_, &d_outputs_, &d_places_, &d_means_, &d_share_}) {
    bytes += buffer->bytes();
  }
  return bytes;
}

}  // namespace mote::cuda
