// The estimate of a run's memory: the parts that its moments have, from given sizes.
#include "train/run/run_memory.h"

#include <gtest/gtest.h>

#include "train/fields/field_plan.h"
#include "train/splats/splat_learner.h"

namespace mote {
namespace {

constexpr std::uint64_t kMega = 1'000'000;

/// A run whose largest moment is the last evaluation, since its photographs are large.
RunMemoryFacts facts_of(const ModelMemory& model) {
  RunMemoryFacts facts;
  facts.process_bytes = 60 * kMega;
  facts.photo_bytes = 100 * kMega;
  facts.photo_budget_bytes = 1000 * kMega;
  facts.pixels = 10 * kMega;
  facts.metrics_pixels = facts.pixels / 16;
  facts.width = 4000;
  facts.model_name = "model";
  facts.model = model;
  facts.tested = facts.evaluated = true;
  return facts;
}

MemoryMoment last_evaluation(const RunMemoryFacts& facts) {
  MemoryMoment moment = fullest_moment(facts);
  EXPECT_EQ(moment.name, "the last evaluation is made");
  return moment;
}

TEST(RunMemory, AFitOfAFieldTakesPicturesAndNoParameters) {
  const LearnerMemory held{.state = 200 * kMega, .work = 50 * kMega};
  RunMemoryFacts facts = facts_of({.held = held, .work_name = "samples", .keeps_work = true});
  const MemoryMoment before = last_evaluation(facts);
  EXPECT_EQ(before.model_bytes(), 250 * kMega);
  facts.views_fitted = facts.poses_fitted = true;
  const MemoryMoment fitted = last_evaluation(facts);
  EXPECT_EQ(fitted.model_bytes(), before.model_bytes());
  // A rendering, half a photograph and half a rendering, of 12 bytes a pixel.
  EXPECT_EQ(fitted.bytes() - before.bytes(), 24 * facts.pixels);
  facts.pictures = true;
  EXPECT_EQ(last_evaluation(facts).bytes(), fitted.bytes())
      << "the picture of differences is made after the fit";
  facts.masks = true;
  EXPECT_EQ(last_evaluation(facts).bytes() - fitted.bytes(), 6 * facts.pixels);
}

TEST(RunMemory, AnEvaluationOnATargetTakesItsOwnMemoryAndThatOfAllPositions) {
  const LearnerMemory held{.state = 200 * kMega, .work = 50 * kMega, .view = 20 * kMega};
  RunMemoryFacts facts = facts_of({.held = held, .work_name = "samples", .keeps_work = true});
  facts.pixels = facts.metrics_pixels = facts.width = 0;  // there are no photographs
  facts.tested = false;
  const MemoryMoment before = last_evaluation(facts);
  EXPECT_EQ(before.model_bytes(), 270 * kMega);
  facts.target_bytes = 30 * kMega;
  EXPECT_EQ(last_evaluation(facts).bytes() - before.bytes(), 30 * kMega);
  // The memory of the positions stays until the file is saved.
  facts.model.saved = 200 * kMega;
  const MemoryMoment saved = fullest_moment(facts);
  EXPECT_EQ(saved.name, "the scene is saved");
  facts.evaluated_on_the_way = true;
  EXPECT_EQ(fullest_moment(facts).bytes() - saved.bytes(), 20 * kMega);
}

TEST(RunMemory, AFitOfSplatsTakesGradientsAndTheWorkOfAStepToo) {
  const LearnerMemory held{.state = 200 * kMega, .work = 50 * kMega};
  RunMemoryFacts facts =
      facts_of({.held = held, .work_name = "pairs", .evaluated = 30 * kMega, .fitted = 40 * kMega});
  const MemoryMoment before = last_evaluation(facts);
  EXPECT_EQ(before.model_bytes(), 230 * kMega);
  facts.views_fitted = true;
  EXPECT_EQ(last_evaluation(facts).model_bytes(), before.model_bytes()) << "of exposures alone";
  facts.poses_fitted = true;
  EXPECT_EQ(last_evaluation(facts).model_bytes(), (230 + 40 + 50) * kMega);
}

TEST(RunMemory, OnlySplatsHaveGradientsByParametersInAFit) {
  const LearnerMemory held{.state = 14000, .work = 5000};
  const ModelMemory field = FieldPlan(FieldApplication::nerf, LoopOptions{}, FieldOptions{})
                                .memory(held, 100, 100, false);
  EXPECT_EQ(field.evaluated + field.fitted, 0u);
  EXPECT_TRUE(field.keeps_work);
  const ModelMemory splats = SplatPlan(TrainOptions{}).memory(held, 100, 100, false);
  EXPECT_GT(splats.fitted, 100 * sizeof(float));
  EXPECT_EQ(splats.evaluated, splats.fitted);
  EXPECT_FALSE(splats.keeps_work);
}

TEST(RunMemory, ScoresOfAMovingSceneTakeImagesAndCopiesOfSplats) {
  const LearnerMemory held{.state = 200 * kMega, .work = 50 * kMega};
  RunMemoryFacts facts =
      facts_of({.held = held, .work_name = "pairs", .evaluated = 30 * kMega, .velocities = kMega});
  const MemoryMoment before = last_evaluation(facts);
  facts.dynamic_masks = true;
  const MemoryMoment masked = last_evaluation(facts);
  EXPECT_EQ(masked.bytes() - before.bytes(), 11 * sizeof(float) * facts.pixels);
  EXPECT_EQ(masked.model_bytes(), before.model_bytes());
  facts.velocities = true;
  const MemoryMoment measured = last_evaluation(facts);
  EXPECT_EQ(measured.model_bytes() - masked.model_bytes(), kMega);
  EXPECT_EQ(measured.bytes() - masked.bytes(), kMega + 12 * sizeof(float) * facts.pixels);
  facts.clocks_fitted = true;
  EXPECT_EQ(last_evaluation(facts).bytes() - measured.bytes(), 12 * facts.pixels);
}

TEST(RunMemory, VelocitiesOfSplatsAreMeasuredOnCopies) {
  TrainOptions options;
  options.motion = "life";
  const ModelMemory memory = SplatPlan(options).memory({}, 100, 100, false);
  EXPECT_GT(memory.velocities, memory.evaluated + 3 * 100 * 17 * sizeof(float));
  EXPECT_LT(SplatPlan(options).memory({}, 100, 100, true).velocities, memory.velocities);
}

}  // namespace
}  // namespace mote
