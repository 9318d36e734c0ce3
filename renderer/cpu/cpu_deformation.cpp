#include "cpu/cpu_deformation.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/error.h"
#include "cpu/for_each_part.h"
#include "math/adam.h"

namespace mote {
namespace {

constexpr std::size_t kMovedBlocks = 48;  // of a task: whole tiles of the network
constexpr std::size_t kSteppedAtOnce = 1 << 16;
/// Samples whose gradients by the values of the planes are held at once. They fit into a cache.
constexpr std::size_t kHexChunk = 4096, kHexPart = 256;

void clear_floats(Buffer<float>& buffer, std::size_t count) {
  buffer.resize_discard(count);
  if (count > 0) std::memset(buffer.data(), 0, count * sizeof(float));
}

}  // namespace

CpuDeformation::CpuDeformation(const DeformationField& field, const CpuKernels& kernels,
                               ThreadPool& pool)
    : shape_{field.config, field.low, field.high, {}},
      layout_(deformation_layout(field.config)),
      kernels_(kernels),
      pool_(pool) {
  CHECK(field.parameters.size() == layout_.parameters && layout_.planes_first % kBlockSize == 0);
  values_.resize_discard(layout_.parameters);
  std::copy(field.parameters.begin(), field.parameters.end(), values_.data());
  clear_floats(first_, layout_.parameters);
  clear_floats(second_, layout_.parameters);
  clear_floats(gradients_, layout_.parameters);
}

HexPlaneParams CpuDeformation::plane_params() {
  return {.levels = layout_.levels.data(),
          .level_count = layout_.levels.size(),
          .features = layout_.plane_features,
          .planes = values_.data() + layout_.planes_first,
          .places = places_.data(),
          .stride = stride_,
          .out = features_.data()};
}

GeneralNetworkParams CpuDeformation::network_params() {
  return {.gaussians = nullptr,
          .layers = layout_.layers.data(),
          .layer_count = layout_.layers.size(),
          .weights = values_.data(),
          .features = features_.data(),
          .values = outputs_.data(),
          .stride = stride_,
          .outputs = kOffsets};
}

const float* CpuDeformation::move(const SplatCloud& splats, double share) {
  blocks_ = splats.block_count();
  stride_ = blocks_ * kBlockSize;
  places_.resize_discard(kHexAxes * stride_);
  features_.resize_discard(layout_.features * stride_);
  outputs_.resize_discard(kOffsets * stride_);
  moved_.resize_discard(kGaussianFields * stride_);
  const DisplaceParams params{.box = motion_box<float>(shape_),
                              .share = static_cast<float>(share),
                              .geometry = splats.geometry_block(0),
                              .places = places_.data(),
                              .stride = stride_,
                              .outputs = outputs_.data(),
                              .moved = moved_.data()};
  const HexPlaneParams planes = plane_params();
  const GeneralNetworkParams network = network_params();
  for_each_part(pool_, 0, blocks_, kMovedBlocks, [&](std::size_t from, std::size_t to) {
    kernels_.place_splats(params, from, to);
    kernels_.encode_hexplane(planes, from * kBlockSize, to * kBlockSize);
    kernels_.general_forward(network, from * kBlockSize, to * kBlockSize);
    kernels_.displace_splats(params, from, to);
  });
  return moved_.data();
}

float* CpuDeformation::begin_gradient() {
  clear_floats(d_moved_, kGaussianFields * stride_);
  return d_moved_.data();
}

DisplaceBackwardParams CpuDeformation::backward_params() {
  return {.box = motion_box<float>(shape_),
          .stride = stride_,
          .d_moved = d_moved_.data(),
          .d_outputs = d_outputs_.data(),
          .d_places = d_places_.data(),
          .d_means = d_means_.data()};
}

const float* CpuDeformation::differentiate() {
  d_outputs_.resize_discard(kOffsets * stride_);
  d_places_.resize_discard(kHexAxes * stride_);
  d_means_.resize_discard(3 * stride_);
  std::memset(gradients_.data(), 0, gradients_.size() * sizeof(float));
  const DisplaceBackwardParams params = backward_params();
  for_each_part(pool_, 0, blocks_, kMovedBlocks, [&](std::size_t from, std::size_t to) {
    kernels_.displace_splats_vjp(params, from, to);
  });
  differentiate_network();
  differentiate_planes();
  for_each_part(pool_, 0, blocks_, kMovedBlocks, [&](std::size_t from, std::size_t to) {
    kernels_.place_splats_vjp(params, from, to);
  });
  return d_means_.data();
}

/// The gradients by the features replace the features.
void CpuDeformation::differentiate_network() {
  const GeneralNetworkParams network = network_params();
  parts_.add(pool_, stride_, layout_.planes_first, gradients_.data(),
             [&](float* own, std::size_t from, std::size_t to) {
               kernels_.general_backward({.forward = network,
                                          .d_values = d_outputs_.data(),
                                          .d_features = features_.data(),
                                          .d_weights = own},
                                         from, to);
             });
}

void CpuDeformation::differentiate_planes() {
  const std::size_t levels = layout_.levels.size();
  d_values_.resize_discard(std::min(kHexChunk, stride_) * levels * kHexPlanes *
                           layout_.plane_features);
  HexPlaneBackwardParams params{.forward = plane_params(),
                                .d_features = features_.data(),
                                .d_places = d_places_.data(),
                                .d_values = d_values_.data(),
                                .first = 0,
                                .d_planes = gradients_.data() + layout_.planes_first};
  for (std::size_t first = 0; first < stride_; first += kHexChunk) {
    const std::size_t end = std::min(stride_, first + kHexChunk);
    params.first = first;
    for_each_part(pool_, first, end, kHexPart, [&](std::size_t from, std::size_t to) {
      kernels_.encode_hexplane_vjp(params, from, to);
    });
    pool_.run(levels * kHexPlanes, [&](std::size_t task, int) {
      kernels_.add_plane_nodes(params, task / kHexPlanes, static_cast<int>(task % kHexPlanes),
                               first, end);
    });
  }
}

double CpuDeformation::d_share() const {
  double sum = 0;
  const float* of_time = d_places_.data() + (kHexAxes - 1) * stride_;
  for (std::size_t i = 0; i < stride_; ++i) sum += static_cast<double>(of_time[i]);
  return sum;
}

void CpuDeformation::update(std::size_t first, std::size_t end, float rate) {
  const AdamStep adam = adam_step_at(step_, static_cast<double>(rate));
  const AdamParams params{.values = values_.data(),
                          .first = first_.data(),
                          .second = second_.data(),
                          .gradients = gradients_.data(),
                          .rate = adam.rate,
                          .inverse_root = adam.inverse_root};
  for_each_part(pool_, first, end, kSteppedAtOnce, [&](std::size_t from, std::size_t to) {
    kernels_.step_parameters(params, from, to);
  });
}

void CpuDeformation::step(const DeformationStep& request) {
  ++step_;
  const PlaneLossParams losses{.levels = layout_.levels.data(),
                               .features = layout_.plane_features,
                               .planes = values_.data() + layout_.planes_first,
                               .d_planes = gradients_.data() + layout_.planes_first,
                               .space = request.plane_smoothness,
                               .time = request.time_smoothness,
                               .still = request.time_sparsity};
  pool_.run(layout_.levels.size() * kHexPlanes, [&](std::size_t task, int) {
    kernels_.add_plane_losses(losses, task / kHexPlanes, static_cast<int>(task % kHexPlanes));
  });
  update(0, layout_.planes_first, request.network_rate);
  update(layout_.planes_first, layout_.parameters, request.plane_rate);
}

DeformationField CpuDeformation::field() const {
  DeformationField copy = shape_;
  copy.parameters.assign(values_.data(), values_.data() + layout_.parameters);
  return copy;
}

void CpuDeformation::save(ByteSink& sink) const {
  sink.put(step_);
  for (const Buffer<float>* buffer : {&values_, &first_, &second_}) {
    sink.put_all(buffer->span());
  }
}

void CpuDeformation::restore(ByteSource& source) {
  step_ = source.get<std::uint64_t>();
  for (Buffer<float>* buffer : {&values_, &first_, &second_}) {
    const std::vector<float> saved = saved_parameters(source, layout_);
    std::copy(saved.begin(), saved.end(), buffer->data());
  }
}

std::size_t CpuDeformation::state_bytes() const {
  return 4 * layout_.parameters * sizeof(float);
}

std::size_t CpuDeformation::step_bytes() const {
  std::size_t floats = 0;
  for (const Buffer<float>* buffer : {&places_, &features_, &outputs_, &moved_, &d_moved_,
                                      &d_outputs_, &d_places_, &d_means_, &d_values_}) {
    floats += buffer->size();
  }
  return floats * sizeof(float) + parts_.memory_bytes();
}

void CpuDeformation::release() {
  for (Buffer<float>* buffer : {&places_, &features_, &outputs_, &moved_, &d_moved_, &d_outputs_,
                                &d_places_, &d_means_, &d_values_}) {
    *buffer = Buffer<float>();
  }
  parts_ = PartGradients();
}

}  // namespace mote
