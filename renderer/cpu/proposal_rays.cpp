#include "cpu/proposal_rays.h"

#include <algorithm>
#include <cmath>

#include "cpu/for_each_part.h"
#include "fields/proposals/proposal_layout.h"

namespace mote {
namespace {

constexpr std::uint32_t kNowhere = 0xffffffff;
constexpr float kWholeWeight[] = {1};
/// Rays of a task: each has some hundred intervals.
constexpr std::size_t kProposalRaysOfPart = 64;

}  // namespace

PlainShape ProposalRays::Round::proposal_shape(const ProposalRound& round) {
  ProposalRound facts;
  facts.config = round.config;
  return PlainShape(proposal_field(facts));
}

ProposalRays::ProposalRays(const NeuralField& field, const CpuKernels& kernels, ThreadPool& pool)
    : pool_(pool),
      reach_(inner_reach(field.aabb_scale)),
      samples_per_ray_(static_cast<std::size_t>(field.proposals->samples)) {
  for (const ProposalRound& round : field.proposals->rounds) {
    rounds_.push_back(std::make_unique<Round>(round, kernels, pool));
  }
}

void ProposalRays::begin(std::size_t rays) {
  rays_.assign(rays, Ray{});
  for (const auto& round : rounds_) {
    round->edges.resize_discard(rays * (round->samples + 1));
    round->thickness.resize_discard(rays * round->samples);
    round->weights.resize_discard(rays * round->samples);
    round->field.begin(rays * round->samples);
  }
  edges_.resize_discard(rays * (samples_per_ray_ + 1));
  samples_.resize_discard(rays * samples_per_ray_);
  weights_.resize_discard(rays * samples_per_ray_);
  places_.resize_discard(rays * samples_per_ray_);
  std::ranges::fill(weights_.span(), 0.0f);
  std::ranges::fill(places_.span(), kNowhere);
}

void ProposalRays::start(std::size_t ray, const glm::vec3& origin, const glm::vec3& direction,
                         float t, float t_end) {
  Ray& own = rays_[ray];
  own = {origin, direction,
         proposal_range({origin.x, origin.y, origin.z}, {direction.x, direction.y, direction.z}, t,
                        t_end, reach_)};
}

std::span<const RaySample> ProposalRays::samples(std::size_t ray) const {
  return {samples_.data() + ray * samples_per_ray_, is_alive(rays_[ray]) ? samples_per_ray_ : 0};
}

RayHistogram<float> ProposalRays::histogram(std::size_t round, std::size_t ray) const {
  if (round == 0) return {rays_[ray].range.edges, kWholeWeight};
  const Round& before = *rounds_[round - 1];
  const std::size_t count = before.samples;
  return {{before.edges.data() + ray * (count + 1), count + 1},
          {before.weights.data() + ray * count, count}};
}

/// The edges of a round, or of the samples behind the last round.
void ProposalRays::choose(std::size_t round, std::size_t ray, const Choice& choice,
                          std::vector<float>& cumulative, std::span<float> edges) const {
  const RayHistogram<float> from = histogram(round, ray);
  Resampling how{.anneal = choice.anneal};
  if (choice.seed) how.place = random_edge_place(*choice.seed, ray, rounds(), round);
  cumulative.resize(from.edges.size());
  resample(from, how, std::span(cumulative), edges);
}

RaySample ProposalRays::interval(std::span<const float> edges, std::size_t i) const {
  return interval_sample(edges[i], edges[i + 1], reach_);
}

/// The positions at which a round is evaluated, from 0 to 1 in the contracted cube.
void ProposalRays::place(Round& round, std::size_t ray) const {
  const Ray& own = rays_[ray];
  const float side = 4 * reach_, least = 0.5f - 0.5f * side;
  const Vec3<float> origin{own.origin.x, own.origin.y, own.origin.z},
      direction{own.direction.x, own.direction.y, own.direction.z};
  const std::span<const float> edges{round.edges.data() + ray * (round.samples + 1),
                                     round.samples + 1};
  float* positions = round.field.positions();
  const std::size_t stride = round.field.stride();
  for (std::size_t i = 0; i < round.samples; ++i) {
    const std::size_t at = ray * round.samples + i;
    Vec3<float> place{0.5f, 0.5f, 0.5f};
    if (is_alive(own)) {
      const RaySample sample = interval(edges, i);
      round.thickness[at] = sample.dt;  // until the density is known
      place = contracted_place(origin + direction * sample.t, reach_);
    }
    const float inverse = 1 / side;
    positions[at] = (place.x - least) * inverse;
    positions[stride + at] = (place.y - least) * inverse;
    positions[2 * stride + at] = (place.z - least) * inverse;
  }
}

void ProposalRays::weigh(Round& round, std::size_t ray) const {
  if (!is_alive(rays_[ray])) return;
  const std::size_t first = ray * round.samples;
  const std::span<float> thickness{round.thickness.data() + first, round.samples};
  for (std::size_t i = 0; i < round.samples; ++i) {
    thickness[i] = optical_thickness(round.field.values()[first + i], thickness[i]);
  }
  weights_of_thickness(std::span<const float>(thickness),
                       std::span(round.weights.data() + first, round.samples));
}

void ProposalRays::place_samples(std::size_t ray) {
  const std::span<const float> edges{edges_.data() + ray * (samples_per_ray_ + 1),
                                     samples_per_ray_ + 1};
  for (std::size_t i = 0; i < samples_per_ray_; ++i) {
    samples_[ray * samples_per_ray_ + i] = interval(edges, i);
  }
}

void ProposalRays::sample(std::span<const FieldParameters> tables, float anneal,
                          std::optional<std::uint64_t> seed) {
  const std::size_t rays = rays_.size();
  const Choice choice{anneal, seed};
  for (std::size_t r = 0; r < rounds(); ++r) {
    Round& round = *rounds_[r];
    const std::size_t edges = round.samples + 1;
    for_each_part(pool_, 0, rays, kProposalRaysOfPart, [&](std::size_t from, std::size_t to) {
      std::vector<float> cumulative;
      for (std::size_t ray = from; ray < to; ++ray) {
        if (is_alive(rays_[ray])) {
          choose(r, ray, choice, cumulative, {round.edges.data() + ray * edges, edges});
        }
        place(round, ray);
      }
    });
    round.field.evaluate(tables[r], rays * round.samples);
    for_each_part(pool_, 0, rays, kProposalRaysOfPart, [&](std::size_t from, std::size_t to) {
      for (std::size_t ray = from; ray < to; ++ray) weigh(round, ray);
    });
  }
  const std::size_t edges = samples_per_ray_ + 1;
  for_each_part(pool_, 0, rays, kProposalRaysOfPart, [&](std::size_t from, std::size_t to) {
    std::vector<float> cumulative;
    for (std::size_t ray = from; ray < to; ++ray) {
      if (!is_alive(rays_[ray])) continue;
      choose(rounds(), ray, choice, cumulative, {edges_.data() + ray * edges, edges});
      place_samples(ray);
    }
  });
}

void ProposalRays::set_weight(std::size_t ray, std::size_t sample, float weight,
                              std::uint32_t place) {
  weights_[ray * samples_per_ray_ + sample] = weight;
  places_[ray * samples_per_ray_ + sample] = place;
}

ProposalRays::Distortion ProposalRays::distortion(std::size_t ray,
                                                  std::span<ThicknessSlope> to) const {
  if (!is_alive(rays_[ray])) return {0, 0};
  const std::size_t first = ray * samples_per_ray_;
  const std::span<const float> weights{weights_.data() + first, samples_per_ray_};
  std::vector<float> slopes(samples_per_ray_);
  Distortion found{
      distortion_loss({edges_.data() + ray * (samples_per_ray_ + 1), samples_per_ray_ + 1}, weights,
                      std::span(slopes)),
      0};
  weights_vjp(weights, std::span(slopes));
  for (std::size_t i = 0; i < samples_per_ray_; ++i) {
    if (places_[first + i] == kNowhere) continue;
    to[found.count++] = {places_[first + i], slopes[i]};
  }
  return found;
}

void ProposalRays::begin_gradients() {
  for (const auto& round : rounds_) {
    round->field.begin_gradients();
    const std::size_t count = rays_.size() * round->samples;
    float* slopes = round->field.d_values();
    std::fill(slopes, slopes + field_plane_stride(count), 0.0f);
  }
}

float ProposalRays::grade(std::size_t ray, float scale) {
  if (!is_alive(rays_[ray])) return 0;
  const std::size_t own_edges = samples_per_ray_ + 1;
  const RayHistogram<float> own{{edges_.data() + ray * own_edges, own_edges},
                                {weights_.data() + ray * samples_per_ray_, samples_per_ray_}};
  float loss = 0;
  for (std::size_t r = 0; r < rounds(); ++r) {
    Round& round = *rounds_[r];
    const std::span<float> slopes{round.field.d_values() + ray * round.samples, round.samples};
    const RayHistogram<float> proposal = histogram(r + 1, ray);
    loss += interlevel_loss(own, proposal, slopes);
    weights_vjp(proposal.weights, slopes);
    for (std::size_t i = 0; i < round.samples; ++i) {
      slopes[i] *= scale * round.thickness[ray * round.samples + i];
    }
  }
  return loss;
}

void ProposalRays::differentiate(std::size_t round, FieldParameters tables, float* d_network) {
  rounds_[round]->field.differentiate(tables, d_network, rays_.size() * rounds_[round]->samples);
}

TableGradients ProposalRays::table_gradients(std::size_t round) {
  return rounds_[round]->field.table_gradients(rays_.size() * rounds_[round]->samples);
}

std::size_t ProposalRays::memory_bytes() const {
  std::size_t bytes = rays_.capacity() * sizeof(Ray) + samples_.size() * sizeof(RaySample) +
                      (edges_.size() + weights_.size() + places_.size()) * sizeof(float);
  for (const auto& round : rounds_) {
    bytes +=
        (round->edges.size() + round->thickness.size() + round->weights.size()) * sizeof(float) +
        round->field.memory_bytes();
  }
  return bytes;
}

}  // namespace mote
