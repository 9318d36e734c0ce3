#include "cuda/fields/nerf_networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "core/error.h"
#include "cuda/fields/field_tables.h"
#include "cuda/kernels/fields/grid_encoding.h"
#include "cuda/kernels/fields/grid_gradients.h"
#include "cuda/kernels/fields/network_gradients.h"
#include "cuda/kernels/fields/network_weights.h"
#include "fields/planes.h"
#include "fields/proposals/proposal_layout.h"

namespace mote::cuda {
namespace {

constexpr int kDensityPlanes = kNerfDensityOutputs / 2;

int blocks_of_inputs(const MlpConfig& network) {
  return mlp_padded(network.inputs) / kBlockValues;
}

std::size_t network_lanes(const NetworkShape& shape) {
  return static_cast<std::size_t>(network_blocks(shape) * kBlockLanes);
}

/// The number of lanes of the sums of both networks' gradients, which follow each other.
std::size_t nerf_part_lanes(const NerfForm& form, std::size_t samples) {
  const auto lanes = [&](const NetworkShape& shape) {
    return network_gradient_parts(shape, static_cast<unsigned>(samples)) * network_lanes(shape) * 2;
  };
  return std::max(lanes(form.density), lanes(form.color));
}

/// Both networks use it one after the other.
std::size_t nerf_space(const NerfForm& form, std::size_t samples, bool with_gradients) {
  const auto count = static_cast<unsigned>(samples);
  std::size_t most = 0;
  for (const NetworkShape& shape : {form.density, form.color}) {
    most = std::max(most, network_space(shape, count, LayerUse::values));
    if (!with_gradients) continue;
    most = std::max(most, network_space(shape, count, LayerUse::gradients));
  }
  return most;
}

SampleLight light_of(const NeuralField& field) {
  return field.hdr ? SampleLight::unbounded : SampleLight::display;
}

}  // namespace

std::string missing_nerf_kernels(const NeuralField& field) {
  if (field.proposals && field.proposals->rounds.size() > kMostProposalRounds) {
    return fmt::format("more than {} rounds of proposals are not built for CUDA",
                       kMostProposalRounds);
  }
  if (field.proposals) {
    for (const ProposalRound& round : field.proposals->rounds) {
      ProposalRound facts;
      facts.config = round.config;
      const std::string missing = missing_kernels(proposal_field(facts));
      if (!missing.empty()) return missing;
    }
  }
  const std::string encoding = missing_encoding_kernels(field);
  if (!encoding.empty()) return encoding;
  for (const auto* network : {&*field.config.network, &*field.config.color_network}) {
    const std::string missing = missing_network_kernels(*network);
    if (!missing.empty()) return missing;
  }
  for (const EncodingPart& part : field.config.direction_encoding->parts) {
    if (std::holds_alternative<GridEncoding>(part.kind)) {
      return "directions that are encoded by grids are not built for CUDA";
    }
  }
  if (!has_direction_kernels(*field.config.direction_encoding)) {
    return fmt::format("encodings of directions with more than {} parts are not built for CUDA",
                       kMostDirectionParts);
  }
  return {};
}

NerfForm::NerfForm(const NeuralField& field)
    : layout(nerf_layout(field.config)),
      encoding(field),
      direction(direction_encoding(*field.config.direction_encoding)),
      density(network_shape(layout.density, blocks_of_inputs(layout.density))),
      color(network_shape(layout.color, blocks_of_inputs(layout.color))),
      lane_density(network_shape(layout.density, encoding.lane_blocks())),
      direction_words(layout.direction_inputs / 2),
      box_min(0.5f - 0.5f * static_cast<float>(field.aabb_scale)),
      box_size(static_cast<float>(field.aabb_scale)),
      light(light_of(field)),
      soft(layout.soft_density
               ? SoftDensity{layout.soft_density->shift, layout.soft_density->cells / box_size}
               : SoftDensity{0, 0}) {
  CHECK(missing_nerf_kernels(field).empty());
}

NerfWeights::NerfWeights(const NerfForm& form, bool with_gradients, cudaStream_t stream)
    : form_(form), stream_(stream), encoding_(form.encoding, stream) {
  density_.resize_discard(network_lanes(form.density));
  color_.resize_discard(network_lanes(form.color));
  lane_density_.resize_discard(network_lanes(form.lane_density));
  if (!with_gradients) return;
  density_transposed_.resize_discard(density_.size());
  color_transposed_.resize_discard(color_.size());
}

void NerfWeights::enqueue(const float* networks) {
  const auto arrange = [&](const NetworkShape& shape, const MlpConfig& network, int grid_features,
                           const float* weights, DeviceBuffer<uint4>& blocks, uint4* transposed) {
    run_network_weights({.shape = shape,
                         .weights = weights,
                         .padded_inputs = mlp_padded(network.inputs),
                         .grid_features = grid_features,
                         .blocks = blocks.data(),
                         .transposed = transposed},
                        stream_);
  };
  const auto data_or_null = [](DeviceBuffer<uint4>& buffer) {
    return buffer.empty() ? nullptr : buffer.data();
  };
  const NerfLayout& layout = form_.layout;
  arrange(form_.density, layout.density, 0, networks, density_, data_or_null(density_transposed_));
  arrange(form_.lane_density, layout.density, form_.encoding.lane_features(), networks,
          lane_density_, nullptr);
  arrange(form_.color, layout.color, 0, networks + layout.color_first, color_,
          data_or_null(color_transposed_));
}

std::size_t NerfWeights::memory_bytes() const {
  return encoding_.memory_bytes() + density_.bytes() + color_.bytes() + lane_density_.bytes() +
         density_transposed_.bytes() + color_transposed_.bytes();
}

RayField ray_field(const NerfForm& form, const NerfTables& tables,
                   const std::uint32_t* directions) {
  return {.first = {.grid = form.encoding.grid(),
                    .levels = tables.weights->encoding().levels(),
                    .table = tables.table,
                    .shape = form.lane_density,
                    .weights = tables.weights->lane_density(),
                    .outputs = kNerfDensityOutputs,
                    .parts = tables.weights->encoding().parts()},
          .color = form.color,
          .color_weights = tables.weights->color(),
          .directions = directions,
          .direction_words = form.direction_words,
          .light = form.light,
          .soft = form.soft};
}

void NerfSamples::begin(std::size_t samples, bool with_gradients) {
  stride_ = field_plane_stride(samples);
  const auto color_planes = static_cast<std::size_t>(kDensityPlanes + form_.direction_words);
  const auto planes = static_cast<std::size_t>(form_.encoding.pairs());
  features_.resize_discard(planes * stride_);
  color_features_.resize_discard(color_planes * stride_);
  density_.resize_discard(kNerfDensityOutputs * stride_);
  colors_.resize_discard(kNerfColors * stride_);
  space_.resize_discard(nerf_space(form_, stride_, with_gradients));
  if (!with_gradients) return;
  d_features_.resize_discard(features_.size());
  d_color_features_.resize_discard(color_features_.size());
  d_density_.resize_discard(stride_);
  d_colors_.resize_discard(kNerfColors * stride_);
  d_outputs_.resize_discard(density_.size());
  parts_.resize_discard(nerf_part_lanes(form_, stride_));
}

SampleValues NerfSamples::values() const {
  return {.light = form_.light,
          .density = density_.data(),
          .colors = colors_.data(),
          .stride = stride_,
          .soft_shift = form_.soft.shift,
          .soft_cells = form_.soft.cells};
}

NetworkArgs NerfSamples::density_args(const NerfTables& tables, const Part& part) {
  return {.shape = form_.density,
          .weights = tables.weights->density(),
          .features = features_.data() + part.first,
          .planes = form_.encoding.pairs(),
          .values = density_.data() + part.first,
          .outputs = kNerfDensityOutputs,
          .count = part.count,
          .stride = stride_,
          .known = part.known,
          .space = space_.data()};
}

NetworkArgs NerfSamples::color_args(const NerfTables& tables, const Part& part) {
  return {.shape = form_.color,
          .weights = tables.weights->color(),
          .features = color_features_.data() + part.first,
          .planes = kDensityPlanes + form_.direction_words,
          .values = colors_.data() + part.first,
          .outputs = kNerfColors,
          .count = part.count,
          .stride = stride_,
          .known = part.known,
          .space = space_.data()};
}

void NerfSamples::enqueue_density(const NerfTables& tables, const float* positions,
                                  const Part& part) {
  run_grid_encoding({.config = form_.encoding.grid(),
                     .levels = tables.weights->encoding().levels(),
                     .table = tables.table,
                     .positions = positions + part.first,
                     .count = part.count,
                     .stride = stride_,
                     .features = features_.data() + part.first,
                     .known = part.known,
                     .parts = tables.weights->encoding().parts()},
                    stream_);
  run_network_forward(density_args(tables, part), stream_);
}

void NerfSamples::enqueue_colors(const NerfTables& tables, const std::uint32_t* rays,
                                 const std::uint32_t* directions, const Part& part) {
  run_color_inputs({.density = density_.data(),
                    .rays = rays,
                    .directions = directions,
                    .direction_words = form_.direction_words,
                    .features = color_features_.data(),
                    .first = part.first,
                    .count = part.count,
                    .stride = stride_,
                    .known = part.known},
                   stream_);
  run_network_forward(color_args(tables, part), stream_);
}

void NerfSamples::enqueue_network_gradients(const NetworkArgs& forward, const uint4* transposed,
                                            const float* d_values, std::uint32_t* d_features,
                                            float loss_scale, int padded_inputs, float* gradients) {
  const unsigned parts = network_gradient_parts(forward.shape, forward.count);
  run_network_gradients({.forward = forward,
                         .transposed = transposed,
                         .d_values = d_values,
                         .loss_scale = loss_scale,
                         .d_features = d_features,
                         .parts = parts_.data(),
                         .part_count = parts},
                        stream_);
  run_weight_gradients({.shape = forward.shape,
                        .parts = parts_.data(),
                        .part_count = parts,
                        .padded_inputs = padded_inputs,
                        .loss_scale = loss_scale,
                        .gradients = gradients},
                       stream_);
}

void NerfSamples::enqueue_gradients(const NerfTables& tables, const float* positions,
                                    const Part& part, float loss_scale,
                                    DeviceOptimizer& parameters) {
  const NerfLayout& layout = form_.layout;
  enqueue_network_gradients(color_args(tables, part), tables.weights->color_transposed(),
                            d_colors_.data(), d_color_features_.data(), loss_scale,
                            mlp_padded(layout.color.inputs),
                            parameters.network_gradients() + layout.color_first);
  run_density_gradients({.d_density = d_density_.data(),
                         .d_features = d_color_features_.data(),
                         .unscaled = 1 / loss_scale,
                         .d_values = d_outputs_.data(),
                         .count = part.count,
                         .stride = stride_,
                         .known = part.known},
                        stream_);
  enqueue_network_gradients(density_args(tables, part), tables.weights->density_transposed(),
                            d_outputs_.data(), d_features_.data(), loss_scale,
                            mlp_padded(layout.density.inputs), parameters.network_gradients());
  run_grid_gradients({.config = form_.encoding.grid(),
                      .levels = tables.weights->encoding().levels(),
                      .positions = positions,
                      .d_features = d_features_.data(),
                      .count = part.count,
                      .stride = stride_,
                      .loss_scale = loss_scale,
                      .sums = parameters.table_sums(),
                      .non_finite = parameters.non_finite(),
                      .known = part.known,
                      .parts = tables.weights->encoding().parts()},
                     parameters.sums_kind(), stream_);
}

std::size_t NerfSamples::memory_bytes() const {
  std::size_t bytes = parts_.bytes() + space_.bytes();
  for (const DeviceBuffer<std::uint32_t>* buffer :
       {&features_, &color_features_, &d_features_, &d_color_features_}) {
    bytes += buffer->bytes();
  }
  for (const DeviceBuffer<float>* buffer :
       {&density_, &colors_, &d_density_, &d_colors_, &d_outputs_}) {
    bytes += buffer->bytes();
  }
  return bytes;
}

std::size_t NerfSamples::bytes_for(const NerfForm& form, std::size_t samples, bool with_gradients) {
  const std::size_t stride = field_plane_stride(samples);
  const auto features =
      static_cast<std::size_t>(form.encoding.pairs() + kDensityPlanes + form.direction_words);
  std::size_t words = features + kNerfDensityOutputs + kNerfColors;
  if (with_gradients) words += features + 1 + kNerfColors + kNerfDensityOutputs;
  return words * stride * 4 + nerf_space(form, stride, with_gradients) * sizeof(uint4) +
         (with_gradients ? nerf_part_lanes(form, stride) * sizeof(float4) : 0);
}

}  // namespace mote::cuda
