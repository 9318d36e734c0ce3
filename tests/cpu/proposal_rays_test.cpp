// The choice of samples along rays by proposals, for each instruction set: gradients of the
// interlevel loss against differences, where samples are, and what must not change them.
#include "cpu/proposal_rays.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "cpu/proposal_trainer.h"
#include "cpu/stored_proposals.h"
#include "fields/proposals/contraction.h"
#include "support/table_sums.h"
#include "support/tiny_proposals.h"
#include "support/usable_isas.h"

namespace mote {
namespace {

constexpr std::size_t kRays = 70;  // more than a task has

NeuralField proposed_field(unsigned seed = 3) {
  NeuralField field;
  field.aabb_scale = 4;
  field.render_box = field_cube(4);
  field.proposals = tiny_proposals(seed);
  return field;
}

class ProposedRays : public testing::TestWithParam<const IsaEntry*> {
 protected:
  static const CpuKernels& kernels() { return *GetParam()->kernels; }

  static void start(ProposalRays& rays) {
    rays.begin(kRays);
    for (std::size_t i = 0; i < kRays; ++i) {
      const float angle = 0.09f * static_cast<float>(i);
      rays.start(i, {0.5f, 0.6f, 0.4f}, {std::cos(angle), std::sin(angle), 0});
    }
  }

  /// The interlevel losses of rays whose samples have the same weights each time.
  static double graded(ProposalRays& rays) {
    rays.begin_gradients();
    double loss = 0;
    for (std::size_t i = 0; i < kRays; ++i) {
      for (std::size_t k = 0; k < rays.samples(i).size(); ++k) {
        const float weight = (i + k) % 3 == 0 ? 0.25f : 0.05f;
        rays.set_weight(i, k, weight, static_cast<std::uint32_t>(k));
      }
      loss += static_cast<double>(rays.grade(i, 1));
    }
    return loss;
  }

  ThreadPool pool_{2};
};

INSTANTIATE_TEST_SUITE_P(On, ProposedRays, testing::ValuesIn(usable_isas()),
                         [](const auto& info) { return std::string(info.param->kernels->name); });

TEST_P(ProposedRays, GradientsOfEachRoundAreThoseOfDifferences) {
  NeuralField field = proposed_field();
  for (ProposalRound& round : field.proposals->rounds) {
    for (float& parameter : round.parameters) parameter *= 0.5f;
  }
  // Even intervals do not move with the parameters.
  const auto loss_of = [&](const NeuralField& at) {
    StoredProposals stored(at, kernels(), pool_);
    start(stored.rays());
    stored.rays().sample(stored.tables(), 0, 5);
    return graded(stored.rays());
  };
  for (std::size_t r = 0; r < 2; ++r) {
    SCOPED_TRACE(r);
    StoredProposals stored(field, kernels(), pool_);
    start(stored.rays());
    stored.rays().sample(stored.tables(), 0, 5);
    ASSERT_GT(graded(stored.rays()), 0.1);
    std::vector<float>& parameters = field.proposals->rounds[r].parameters;
    const std::size_t networks = stored.rays().shape(r).layout.encoding_first;
    std::vector<float> gradient(networks);
    stored.rays().differentiate(r, stored.tables()[r], gradient.data());
    const Buffer<float> of_tables =
        table_sums(stored.rays().table_gradients(r), parameters.size() - networks);
    gradient.insert(gradient.end(), of_tables.data(),
                    of_tables.data() + (parameters.size() - networks));
    double largest = 0;
    for (const float g : gradient) largest = std::max(largest, std::abs(static_cast<double>(g)));
    ASSERT_GT(largest, 1e-2);
    for (std::size_t i = 0; i < parameters.size(); i += 13) {
      const float before = parameters[i];
      const auto slope = [&](float offset) {
        parameters[i] = before + offset;
        const double above = loss_of(field);
        parameters[i] = before - offset;
        return (above - loss_of(field)) / (2 * static_cast<double>(offset));
      };
      const double found = (4 * slope(0x1p-7f) - slope(0x1p-6f)) / 3;
      parameters[i] = before;
      ASSERT_NEAR(gradient[i], found, 1e-2 * largest) << "parameter " << i;
    }
  }
}

TEST_P(ProposedRays, SamplesDivideTheRayInOrder) {
  StoredProposals stored(proposed_field(), kernels(), pool_);
  ProposalRays& rays = stored.rays();
  start(rays);
  rays.sample(stored.tables());
  for (std::size_t i = 0; i < kRays; ++i) {
    ASSERT_EQ(rays.samples(i).size(), 7u);
    float before = 0;
    for (const RaySample& sample : rays.samples(i)) {
      EXPECT_GE(sample.t - 0.5f * sample.dt, before * (1 - 1e-5f));
      before = sample.t + 0.5f * sample.dt;
    }
    EXPECT_LE(before, 1001);
  }
}

TEST_P(ProposedRays, RaysWithoutAPartHaveNoSamples) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  StoredProposals stored(proposed_field(), kernels(), pool_);
  ProposalRays& rays = stored.rays();
  rays.begin(5);
  rays.start(0, {0.5f, 0.5f, 0.5f}, {1, 0, 0}, 2, 1);
  rays.start(1, {kNaN, 0.5f, 0.5f}, {1, 0, 0});
  rays.start(2, {0.5f, 0.5f, 0.5f}, {1, 0, 0}, 1, 2);
  rays.start(3, {0.5f, 0.5f, 0.5f}, {1, 0, 0}, 0, kNaN);
  rays.sample(stored.tables(), 1, 3);
  for (const std::size_t without : {0u, 1u, 3u, 4u}) EXPECT_TRUE(rays.samples(without).empty());
  ASSERT_EQ(rays.samples(2).size(), 7u);
  for (const RaySample& sample : rays.samples(2)) {
    EXPECT_GT(sample.t, 1);
    EXPECT_LT(sample.t, 2);
  }
}

TEST_P(ProposedRays, TheNumberOfThreadsChangesNoSample) {
  StoredProposals one(proposed_field(), kernels(), pool_);
  ThreadPool three(3);
  StoredProposals other(proposed_field(), kernels(), three);
  for (StoredProposals* stored : {&one, &other}) {
    start(stored->rays());
    stored->rays().sample(stored->tables(), 0.7f, 9);
  }
  for (std::size_t i = 0; i < kRays; ++i) {
    for (std::size_t k = 0; k < 7; ++k) {
      ASSERT_EQ(one.rays().samples(i)[k].t, other.rays().samples(i)[k].t);
      ASSERT_EQ(one.rays().samples(i)[k].dt, other.rays().samples(i)[k].dt);
    }
  }
}

TEST_P(ProposedRays, AnotherSeedMovesTheSamples) {
  StoredProposals stored(proposed_field(), kernels(), pool_);
  start(stored.rays());
  stored.rays().sample(stored.tables(), 1, 1);
  const float first = stored.rays().samples(0)[3].t;
  stored.rays().sample(stored.tables(), 1, 2);
  EXPECT_NE(stored.rays().samples(0)[3].t, first);
  stored.rays().sample(stored.tables(), 1, 1);
  EXPECT_EQ(stored.rays().samples(0)[3].t, first);
}

TEST_P(ProposedRays, TrainedProposalsPutTheSamplesWhereTheWeightIs) {
  constexpr float kSurface = 0.8f;  // distance from the origin of the rays
  ProposalTrainer trainer(proposed_field(), kernels(), pool_);
  ProposalRays& rays = trainer.rays();
  const auto near_surface = [&] {
    std::size_t count = 0;
    for (std::size_t i = 0; i < kRays; ++i) {
      for (const RaySample& sample : rays.samples(i)) {
        count += std::abs(sample.t - kSurface) < 0.2f ? 1 : 0;
      }
    }
    return count;
  };
  start(rays);
  trainer.sample(1000, 0);
  const std::size_t before = near_surface();
  for (std::uint64_t step = 0; step < 300; ++step) {
    start(rays);
    trainer.sample(step, step);
    rays.begin_gradients();
    for (std::size_t i = 0; i < kRays; ++i) {
      for (std::size_t k = 0; k < 7; ++k) {
        const RaySample& sample = rays.samples(i)[k];
        const bool hit = std::abs(sample.t - kSurface) <= 0.5f * sample.dt;
        rays.set_weight(i, k, hit ? 1.0f : 0.0f, 0);
      }
      rays.grade(i, 1.0f / kRays);
    }
    trainer.differentiate();
    EXPECT_EQ(trainer.step(1e-2), 0u);
  }
  start(rays);
  trainer.sample(1000, 0);
  EXPECT_GT(near_surface(), 2 * before + kRays);
}

}  // namespace
}  // namespace mote
