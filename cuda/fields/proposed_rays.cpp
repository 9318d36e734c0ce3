#include "cuda/fields/proposed_rays.h"

#include <algorithm>

#include "fields/planes.h"

namespace mote::cuda {
namespace {

constexpr std::size_t kIntervalPlanes = 5;  // position, distance, length

/// The largest number of edges of a round.
std::size_t most_edges(const ProposalSampler& proposals) {
  int most = 1;
  for (const ProposalRound& round : proposals.rounds) most = std::max(most, round.samples);
  return static_cast<std::size_t>(most) + 1;
}

}  // namespace

void RoundTables::begin(std::size_t round, std::size_t samples) {
  counts_.resize(std::max(counts_.size(), round + 1));
  counts_[round] = static_cast<unsigned>(samples);
  // Rounds use it one after the other.
  if (values_.size() < field_plane_stride(samples)) {
    values_.resize_discard(field_plane_stride(samples));
  }
}

const float* RoundTables::enqueue_values(std::size_t round, const SamplePlanes& samples) {
  run_field_values({.field = tables_[round],
                    .positions = samples.positions,
                    .values = values_.data(),
                    .count = counts_[round],
                    .stride = samples.stride},
                   stream_);
  return values_.data();
}

ProposedRays::ProposedRays(const NeuralField& field, cudaStream_t stream)
    : stream_(stream),
      samples_(field.proposals->samples),
      reach_(inner_reach(field.aabb_scale)),
      box_min_(0.5f - 0.5f * static_cast<float>(field.aabb_scale)),
      box_size_(static_cast<float>(field.aabb_scale)) {
  for (const ProposalRound& round : field.proposals->rounds) {
    rounds_.push_back(std::make_unique<Round>(round.samples));
  }
  cumulative_edges_ = most_edges(*field.proposals);
  host_choice_.resize_discard(1);
  choice_.resize_discard(1);
}

SamplePlanes ProposedRays::Round::planes() {
  return {.positions = floats.data(),
          .t = floats.data() + 3 * stride,
          .dt = floats.data() + 4 * stride,
          .rays = nullptr,
          .stride = stride};
}

void ProposedRays::begin(std::size_t rays, RoundFields& fields) {
  count_ = static_cast<unsigned>(rays);
  ranges_.resize_discard(rays);
  cumulative_.resize_discard(rays * cumulative_edges_);
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    Round& round = *rounds_[r];
    const auto each = static_cast<std::size_t>(round.intervals), all = rays * each;
    round.stride = field_plane_stride(all);
    round.edges.resize_discard(rays * (each + 1));
    round.weights.resize_discard(all);
    round.thickness.resize_discard(all);
    round.floats.resize_discard(kIntervalPlanes * round.stride);
    fields.begin(r, all);
  }
  edges_.resize_discard(rays * (samples() + 1));
  weights_.resize_discard(rays * samples());
}

RayHistograms ProposedRays::histograms(std::size_t round) {
  Round& own = *rounds_[round];
  return {own.edges.data(), own.weights.data(), own.intervals};
}

void ProposedRays::enqueue_edges(std::size_t round, const RayHistograms& to) {
  run_edge_choice({.ranges = ranges_.data(),
                   .from = round == 0 ? RayHistograms{nullptr, nullptr, 0} : histograms(round - 1),
                   .to = to,
                   .choice = choice_.data(),
                   .round = static_cast<unsigned>(round),
                   .rounds = static_cast<unsigned>(rounds_.size()),
                   .cumulative = cumulative_.data(),
                   .count = count_},
                  stream_);
}

void ProposedRays::enqueue_samples(const RayStart* starts, const FieldBox& box,
                                   const SamplePlanes& planes, RoundFields& fields) {
  ProposalStartArgs start{.starts = starts,
                          .box_min = {},
                          .box_max = {},
                          .reach = reach_,
                          .ranges = ranges_.data(),
                          .count = count_};
  for (int axis = 0; axis < 3; ++axis) {
    start.box_min[axis] = box.min[axis];
    start.box_max[axis] = box.max[axis];
  }
  run_proposal_start(start, stream_);
  IntervalArgs intervals{.ranges = ranges_.data(),
                         .starts = starts,
                         .histograms = {},
                         .reach = reach_,
                         .box_min = box_min_,
                         .box_size = box_size_,
                         .samples = {},
                         .count = count_};
  for (std::size_t r = 0; r < rounds_.size(); ++r) {
    Round& round = *rounds_[r];
    enqueue_edges(r, histograms(r));
    intervals.histograms = histograms(r);
    intervals.samples = round.planes();
    run_intervals(intervals, stream_);
    run_interval_weights({.values = fields.enqueue_values(r, intervals.samples),
                          .dt = intervals.samples.dt,
                          .thickness = round.thickness.data(),
                          .histograms = intervals.histograms,
                          .count = count_},
                         stream_);
  }
  enqueue_edges(rounds_.size(), histograms());
  intervals.histograms = histograms();
  intervals.samples = planes;
  run_intervals(intervals, stream_);
}

void ProposedRays::enqueue_segments(const RayStart* starts, WaveSegment* segments, RayState* states,
                                    std::uint32_t* alive) {
  run_proposed_segments({.ranges = ranges_.data(),
                         .starts = starts,
                         .samples = samples_,
                         .segments = segments,
                         .states = states,
                         .alive = alive,
                         .count = count_},
                        stream_);
}

std::size_t ProposedRays::memory_bytes() const {
  std::size_t bytes =
      ranges_.bytes() + edges_.bytes() + weights_.bytes() + cumulative_.bytes() + choice_.bytes();
  for (const auto& round : rounds_) {
    bytes += round->edges.bytes() + round->weights.bytes() + round->thickness.bytes() +
             round->floats.bytes();
  }
  return bytes;
}

std::size_t ProposedRays::bytes_for(const ProposalSampler& proposals, std::size_t rays) {
  const auto samples = static_cast<std::size_t>(proposals.samples);
  std::size_t floats = rays * (most_edges(proposals) + 2 * samples + 1);
  for (const ProposalRound& round : proposals.rounds) {
    const auto each = static_cast<std::size_t>(round.samples);
    floats += rays * (3 * each + 1) + kIntervalPlanes * field_plane_stride(rays * each);
  }
  return floats * sizeof(float) + rays * sizeof(ProposalRange) + sizeof(ProposalChoice);
}

}  // namespace mote::cuda
