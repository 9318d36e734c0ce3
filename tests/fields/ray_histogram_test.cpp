// Losses of histograms along rays against their definitions and differences, and the choice of
// intervals.
#include "fields/proposals/ray_histogram.h"

#include <numeric>

#include "support/gradient_fixture.h"

namespace mote {
namespace {

class RayHistograms : public Gradient {
 protected:
  Values random_edges(std::size_t intervals) {
    Values edges = random(intervals + 1, 0, 1);
    std::ranges::sort(edges);
    return edges;
  }
};

std::span<const double> view(const Values& values) {
  return values;
}

double distortion(const Values& edges, const Values& weights) {
  Values slopes(weights.size());
  return distortion_loss(view(edges), view(weights), std::span(slopes));
}

double interlevel(const Values& own_edges, const Values& own, const Values& edges,
                  const Values& weights) {
  Values slopes(weights.size());
  return interlevel_loss<double>({own_edges, own}, {edges, weights}, slopes);
}

TEST_F(RayHistograms, DistortionHasTheValueOfItsDefinition) {
  for (int trial = 0; trial < 20; ++trial) {
    const Values edges = random_edges(9), weights = random(9, 0, 0.2);
    double expected = 0;
    for (std::size_t i = 0; i < 9; ++i) {
      for (std::size_t j = 0; j < 9; ++j) {
        const double apart = (edges[i] + edges[i + 1] - edges[j] - edges[j + 1]) / 2;
        expected += weights[i] * weights[j] * std::abs(apart);
      }
      expected += weights[i] * weights[i] * (edges[i + 1] - edges[i]) / 3;
    }
    EXPECT_NEAR(distortion(edges, weights), expected, 1e-14);
  }
}

TEST_F(RayHistograms, DistortionHasTheGradientOfDifferences) {
  for (int trial = 0; trial < 20; ++trial) {
    const Values edges = random_edges(9), weights = random(9, 0, 0.2);
    Values slopes(9);
    distortion_loss(view(edges), view(weights), std::span(slopes));
    expect_gradient([&](const Values& at) { return Values{distortion(edges, at)}; }, weights, {1},
                    slopes);
  }
}

TEST_F(RayHistograms, DistortionIsLeastForOneThinInterval) {
  const Values edges{0, 0.4, 0.41, 1};
  EXPECT_LT(distortion(edges, {0, 1, 0}), 0.01);
  EXPECT_GT(distortion(edges, {0.5, 0, 0.5}), 0.1);
}

TEST_F(RayHistograms, InterlevelHasTheValueOfItsDefinition) {
  for (int trial = 0; trial < 50; ++trial) {
    const Values own_edges = random_edges(7), own = random(7, 0, 0.3), edges = random_edges(5),
                 weights = random(5, 0, 0.2);
    double expected = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      double bound = 0;
      for (std::size_t j = 0; j < weights.size(); ++j) {
        if (edges[j] < own_edges[i + 1] && edges[j + 1] > own_edges[i]) bound += weights[j];
      }
      const double missing = std::max(0.0, own[i] - bound);
      expected += missing * missing / (own[i] + static_cast<double>(kInterlevelEpsilon));
    }
    EXPECT_NEAR(interlevel(own_edges, own, edges, weights), expected, 1e-14);
  }
}

TEST_F(RayHistograms, InterlevelHasTheGradientOfDifferencesByTheProposal) {
  int steep = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Values own_edges = random_edges(7), own = random(7, 0, 0.3), edges = random_edges(5),
                 weights = random(5, 0, 0.1);
    Values slopes(5);
    interlevel_loss<double>({own_edges, own}, {edges, weights}, slopes);
    steep += slopes != Values(5) ? 1 : 0;
    expect_gradient([&](const Values& at) { return Values{interlevel(own_edges, own, edges, at)}; },
                    weights, {1}, slopes);
  }
  EXPECT_GT(steep, 40);
}

TEST_F(RayHistograms, AProposalThatBoundsAllWeightsHasNoLoss) {
  const Values edges = random_edges(8);
  const Values coarse{edges[0], edges[3], edges[5], edges[8]};
  const Values own = random(8, 0, 0.1);
  const Values sums{own[0] + own[1] + own[2], own[3] + own[4], own[5] + own[6] + own[7]};
  EXPECT_EQ(interlevel(edges, own, coarse, sums), 0);
  EXPECT_GT(interlevel(edges, own, coarse, {0, sums[1], sums[2]}), 0);
}

TEST_F(RayHistograms, WeightsAreThoseOfCompositingWithTheirGradient) {
  for (int trial = 0; trial < 20; ++trial) {
    const Values thickness = random(8, 0.02, 0.8), d_weights = random(8);
    const auto weights_of = [](const Values& at) {
      Values weights(at.size());
      weights_of_thickness(view(at), std::span(weights));
      return weights;
    };
    const Values weights = weights_of(thickness);
    double light = 1;
    for (std::size_t i = 0; i < thickness.size(); ++i) {
      EXPECT_NEAR(weights[i], light * (1 - std::exp(-thickness[i])), 1e-6);
      light *= std::exp(-thickness[i]);
    }
    Values slopes = d_weights;
    weights_vjp(view(weights), std::span(slopes));
    expect_gradient(weights_of, thickness, d_weights, slopes);
  }
}

Values resampled(const Values& edges, const Values& weights, const Resampling& how,
                 std::size_t count) {
  Values cumulative(edges.size()), chosen(count);
  resample<double>({edges, weights}, how, cumulative, chosen);
  return chosen;
}

TEST_F(RayHistograms, EdgesDivideTheWeightEvenly) {
  const Values edges{0, 0.25, 0.5, 1}, weights{0.1, 0.6, 0.1};
  const Resampling how{.even = 0, .place = 0.5f};
  const Values chosen = resampled(edges, weights, how, 800);
  const auto in_middle =
      std::ranges::count_if(chosen, [](double s) { return s > 0.25 && s < 0.5; });
  EXPECT_NEAR(static_cast<double>(in_middle), 600, 1);
  EXPECT_TRUE(std::ranges::is_sorted(chosen));
}

TEST_F(RayHistograms, SomeEdgesAreInIntervalsWithoutWeight) {
  const Values edges{0, 0.25, 0.5, 0.75, 1}, weights{0, 1, 0, 0};
  const Values chosen = resampled(edges, weights, {}, 1000);
  const auto outside = std::ranges::count_if(chosen, [](double s) { return s < 0.25 || s > 0.5; });
  EXPECT_NEAR(static_cast<double>(outside), 75, 2) << "three quarters of a tenth";
}

TEST_F(RayHistograms, IntervalsAreAlikeWithoutWeightAndWithoutAnneal) {
  const Values edges{0, 0.25, 0.5, 0.75, 1};
  const Values even = resampled(edges, {0, 0, 0, 0}, {}, 8);
  for (std::size_t i = 0; i < even.size(); ++i) {
    EXPECT_NEAR(even[i], (static_cast<double>(i) + 0.5) / 8, 1e-7);
  }
  EXPECT_EQ(resampled(edges, {0, 1, 0, 0.5}, {.anneal = 0}, 8),
            resampled(edges, {1, 1, 1, 1}, {.anneal = 0}, 8));
  const double nan = std::nan("");
  for (const double s : resampled(edges, {0, nan, 0, 0}, {}, 8)) {
    EXPECT_TRUE(s >= 0 && s <= 1) << s;
  }
}

TEST_F(RayHistograms, ThePlaceMovesEdgesInsideTheirShares) {
  const Values edges{0, 1}, weights{1};
  const Values low = resampled(edges, weights, {.place = 0}, 4),
               high = resampled(edges, weights, {.place = 0.999f}, 4);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(low[i], static_cast<double>(i) / 4, 1e-7);
    EXPECT_NEAR(high[i], (static_cast<double>(i) + 0.999) / 4, 1e-6);
  }
}

}  // namespace
}  // namespace mote
