#pragma once

// A ray's light as a histogram: intervals of spaced distance (contraction.h) with the weights of
// compositing. Losses on histograms with their derivatives by the weights (mip-NeRF 360, Barron et
// al. 2022: distortion, equation 15; interlevel, equation 13), and the choice of the intervals of
// the next round.

#include <cmath>
#include <cstddef>
#include <span>

#include "fields/applications/shading.h"

namespace mote {

/// The weights of intervals of these optical thicknesses.
template <class F>
MOTE_LANE void weights_of_thickness(std::span<const F> thickness, std::span<F> weights) {
  F transmittance(1.0f);
  for (std::size_t i = 0; i < thickness.size(); ++i) {
    const F opacity = opacity_of_thickness(thickness[i]);
    weights[i] = transmittance * opacity;
    transmittance *= F(1.0f) - opacity;
  }
}

/// The derivatives by the thicknesses, in place of those by the weights.
template <class F>
MOTE_LANE void weights_vjp(std::span<const F> weights, std::span<F> slopes) {
  F left(1.0f);
  for (std::size_t i = 0; i < weights.size(); ++i) left -= weights[i];
  // From the back, so that no difference of large sums is taken for thin intervals.
  F rest(0.0f), transmittance = max(left, F(0.0f));
  for (std::size_t i = weights.size(); i-- > 0;) {
    const F own = slopes[i];
    slopes[i] = own * transmittance - rest;
    rest += own * weights[i];
    transmittance += weights[i];
  }
}

/// sum_ij w_i w_j |m_i - m_j| + 1/3 sum_i w_i^2 (e_i+1 - e_i), where m_i is the middle of interval
/// i between the edges e. `slopes`: its derivatives by the weights.
template <class F>
MOTE_LANE F distortion_loss(std::span<const F> edges, std::span<const F> weights,
                            std::span<F> slopes) {
  const auto middle = [&](std::size_t i) { return F(0.5f) * (edges[i] + edges[i + 1]); };
  F total(0.0f), total_moment(0.0f);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    total += weights[i];
    total_moment += weights[i] * middle(i);
  }
  F loss(0.0f), before(0.0f), moment(0.0f);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const F w = weights[i], m = middle(i), own = w * (edges[i + 1] - edges[i]) / F(3.0f);
    const F after = total - before - w, moment_after = total_moment - moment - w * m;
    const F apart = (m * before - moment) + (moment_after - m * after);
    loss += w * (apart + own);
    slopes[i] = F(2.0f) * (apart + own);
    before += w;
    moment += w * m;
  }
  return loss;
}

/// Edges and weights of a histogram: one more edge than weights, in ascending order.
template <class F>
struct RayHistogram {
  std::span<const F> edges, weights;
};

inline constexpr float kInterlevelEpsilon = 1e-7f;

/// sum_i max(0, w_i - b_i)^2 / (w_i + epsilon), where b_i is the sum of a proposal's weights over
/// its intervals that overlap interval i. `slopes`: derivatives by the proposal's weights. The
/// weights of the field itself are constants.
template <class F>
MOTE_LANE F interlevel_loss(const RayHistogram<F>& own, const RayHistogram<F>& proposal,
                            std::span<F> slopes) {
  const std::size_t count = proposal.weights.size();
  for (std::size_t j = 0; j < slopes.size(); ++j) slopes[j] = F(0.0f);
  F loss(0.0f);
  std::size_t first = 0;
  for (std::size_t i = 0; i < own.weights.size(); ++i) {
    while (first < count && !(proposal.edges[first + 1] > own.edges[i])) ++first;
    F bound(0.0f);
    std::size_t end = first;
    while (end < count && proposal.edges[end] < own.edges[i + 1]) bound += proposal.weights[end++];
    const F missing = own.weights[i] - bound;
    if (!(missing > F(0.0f))) continue;
    const F share = missing / (own.weights[i] + F(kInterlevelEpsilon));
    loss += share * missing;
    for (std::size_t j = first; j < end; ++j) slopes[j] -= F(2.0f) * share;
  }
  return loss;
}

/// How the intervals of the next round are chosen.
struct Resampling {
  float anneal = 1;    // power of the weights, from 0 (all intervals alike) to 1
  float even = 0.1f;   // part of the intervals that is chosen without regard to the weights
  float place = 0.5f;  // of the edges in their shares, from 0 to 1: random in training
};

/// Chooses edges so that each interval between them has the same part of the histogram's weight.
/// A histogram without weight counts as even in its intervals. `cumulative`: scratch memory, one
/// more than there are weights.
template <class F>
MOTE_LANE void resample(const RayHistogram<F>& from, const Resampling& how, std::span<F> cumulative,
                        std::span<F> edges) {
  const std::size_t count = from.weights.size();
  cumulative[0] = F(0.0f);
  for (std::size_t i = 0; i < count; ++i) {
    const F weight = max(from.weights[i], F(0.0f));
    const F powered = how.anneal == 1 ? weight : F(std::pow(weight, F(how.anneal)));
    cumulative[i + 1] = cumulative[i] + powered;
  }
  const F sum = cumulative[count];
  // A sum that is not a number leaves the even part alone.
  const F share = sum > F(1e-20f) ? F(1 - how.even) / sum : F(0.0f);
  const F even = (share > F(0.0f) ? F(how.even) : F(1.0f)) / static_cast<F>(count);
  for (std::size_t i = 1; i <= count; ++i) {
    const F weighted = share > F(0.0f) ? share * cumulative[i] : F(0.0f);
    cumulative[i] = weighted + even * static_cast<F>(i);
  }
  std::size_t i = 0;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const F wanted =
        cumulative[count] * (static_cast<F>(k) + F(how.place)) / static_cast<F>(edges.size());
    while (i + 1 < count && cumulative[i + 1] < wanted) ++i;
    const F width = cumulative[i + 1] - cumulative[i];
    const F along = width > F(0.0f) ? (wanted - cumulative[i]) / width : F(0.5f);
    edges[k] =
        from.edges[i] + min(max(along, F(0.0f)), F(1.0f)) * (from.edges[i + 1] - from.edges[i]);
  }
}

}  // namespace mote
