// First steps of NeRFs with CUDA: their losses and gradients, beside those of the processor.
#include <cmath>

#include "fields/applications/field_layout.h"
#include "nerf_trainers_fixture.h"
#include "support/relative_distance.h"

namespace mote::cuda {
namespace {

void expect_equal_steps(FieldTrainer& own, FieldTrainer& other, const FieldStepResult& found,
                        const FieldStepResult& expected, std::size_t networks) {
  EXPECT_NEAR(found.loss, expected.loss, 5e-3 * expected.loss);
  EXPECT_NEAR(found.mse, expected.mse, 5e-3 * expected.mse);
  EXPECT_EQ(found.rays, expected.rays);
  EXPECT_NEAR(static_cast<double>(found.samples), static_cast<double>(expected.samples),
              0.01 * static_cast<double>(expected.samples));
  for (std::size_t c = 0; c < 3; ++c) {
    EXPECT_NEAR(found.d_background[c], expected.d_background[c],
                0.02f * std::abs(expected.d_background[c]) + 1e-4f);
  }
  ASSERT_EQ(found.photographs.size(), expected.photographs.size());
  const std::vector<float> a = moments_of(own).front(), b = moments_of(other).front();
  ASSERT_EQ(a.size(), b.size());
  EXPECT_LT(relative_distance(a, b, 0, networks), 0.03);
  EXPECT_LT(relative_distance(a, b, networks, a.size()), 0.05);
}

class FirstSteps : public CudaFieldTrainers {
 protected:
  void expect_equal_first_steps(const NeuralField& field, std::uint64_t rays = 128) const {
    const auto make_one = [&](Backend& backend) {
      return with_few_rays(backend.make_field_trainer(field, kRoomy, cameras_), rays);
    };
    const auto own = make_one(*cuda_), other = make_one(*cpu_);
    const FieldStepResult found = take_step(*own, 1), expected = take_step(*other, 1);
    EXPECT_EQ(expected.rays, rays);
    expect_equal_steps(*own, *other, found, expected, nerf_layout(field.config).encoding_first);
  }
};

TEST_F(FirstSteps, HaveTheLossAndTheGradientsOfTheProcessor) {
  expect_equal_first_steps(new_field(1));
}

TEST_F(FirstSteps, HaveThemWithNetworksOfTwoWidthsToo) {
  cuda_host::machine().check_accesses = false;  // other tests check the same kernels
  NeuralField field = new_field(1);
  field.config.color_network->neurons = 32;
  field.parameters = initial_nerf_parameters(field.config, 1);
  expect_equal_first_steps(field);
}

TEST_F(FirstSteps, HaveThemWithNetworksLayerByLayerToo) {
  cuda_host::machine().check_accesses = false;
  NeuralField field = new_field(1);
  field.config.network->neurons = field.config.color_network->neurons = 144;
  field.parameters = initial_nerf_parameters(field.config, 1);
  expect_equal_first_steps(field, 20);
}

TEST_F(FirstSteps, HaveThemWithEncodingsByPartsToo) {
  cuda_host::machine().check_accesses = false;
  NeuralField field = new_field(1);
  GridConfig single{.levels = 3, .features = 1, .log2_table_size = 10, .base_resolution = 8};
  field.config.encoding->parts.push_back({GridEncoding{single}, 0, 3});
  field.config.encoding->parts.push_back({Frequency{2}, 0, 3});
  field.parameters = initial_nerf_parameters(field.config, 1);
  expect_equal_first_steps(field);
}

TEST_F(FirstSteps, HaveThemWithProposalsToo) {
  NeuralField field = small_proposed_field(1);
  // Rounds that do not bound the weights.
  std::mt19937 random(5);
  for (ProposalRound& round : field.proposals->rounds) {
    round.parameters = random_floats(random, round.parameters.size(), -0.8f, 0.8f);
  }
  const auto own = cuda_->make_field_trainer(field, kSettings, cameras_),
             other = cpu_->make_field_trainer(field, kSettings, cameras_);
  const auto step = [&](FieldTrainer& trainer) {
    return trainer.step({.photographs = photographs_,
                         .random_background = true,
                         .seed = random_bits(1, 1),
                         .distortion_weight = 0.5f});
  };
  const FieldStepResult found = step(*own), expected = step(*other);
  EXPECT_EQ(found.rays, expected.rays);
  EXPECT_NEAR(found.loss, expected.loss, 5e-3 * expected.loss);
  EXPECT_NEAR(found.mse, expected.mse, 5e-3 * expected.mse);
  EXPECT_GT(expected.distortion, 0);
  EXPECT_NEAR(found.distortion, expected.distortion, 0.01 * expected.distortion);
  EXPECT_GT(expected.interlevel, 0);
  EXPECT_NEAR(found.interlevel, expected.interlevel, 0.02 * expected.interlevel);
  EXPECT_NEAR(static_cast<double>(found.samples), static_cast<double>(expected.samples),
              0.01 * static_cast<double>(expected.samples));
  EXPECT_EQ(own->parameters(), all_parameters(field));
  const auto a = moments_of(*own, 2), b = moments_of(*other, 2);
  const std::size_t firsts[] = {
      nerf_layout(field.config).encoding_first,
      simple_field_layout(FieldApplication::sdf, field.proposals->rounds[0].config).encoding_first,
      simple_field_layout(FieldApplication::sdf, field.proposals->rounds[1].config).encoding_first};
  for (std::size_t i = 0; i < a.size(); ++i) {
    SCOPED_TRACE(i);
    ASSERT_EQ(a[i].size(), b[i].size());
    EXPECT_LT(relative_distance(a[i], b[i], 0, firsts[i]), 0.05);
    EXPECT_LT(relative_distance(a[i], b[i], firsts[i], a[i].size()), 0.08);
  }
}

}  // namespace
}  // namespace mote::cuda
