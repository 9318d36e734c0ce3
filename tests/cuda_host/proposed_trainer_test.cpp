// Training and drawing of NeRFs with proposals with CUDA, beside the processor.
#include <numeric>

#include "cuda/fields/proposal_training.h"
#include "cuda/fields/step_rays.h"
#include "fields/training_schedule.h"
#include "nerf_trainers_fixture.h"

namespace mote::cuda {
namespace {

class ProposedTrainers : public CudaFieldTrainers {
 protected:
  std::unique_ptr<FieldTrainer> make_proposed(Backend& backend, std::uint64_t seed = 1) const {
    return backend.make_field_trainer(small_proposed_field(seed), kSettings, cameras_);
  }
};

TEST_F(ProposedTrainers, ResumeBitForBitInAnyOrderAndContinueStatesOfTheProcessor) {
  cuda_host::machine().check_accesses = false;  // another test checks the same kernels
  const auto first = make_proposed(*cpu_);
  const std::vector<double> of_processor = train(*first, 1, 30);
  MemoryBytes before;
  first->save(before);
  MemoryBytes again = before;
  const auto whole = make_proposed(*cuda_, 2);
  whole->restore(before);
  EXPECT_EQ(before.left(), 0u);
  const std::vector<double> losses = train(*whole, 30, 31);
  const std::vector<double> expected = train(*first, 30, 31);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    EXPECT_NEAR(losses[i], expected[i], 0.05 * expected[i]);
    EXPECT_LT(losses[i], 0.9 * of_processor.front());
  }
  MemoryBytes after;
  whole->save(after);
  const std::vector<double> rest = train(*whole, 31, 32);

  cuda_host::machine().schedule_seed = 3;
  cuda_host::machine().multiprocessors = 7;
  const auto other = make_proposed(*cuda_, 3);
  other->restore(again);
  EXPECT_EQ(train(*other, 30, 31), losses);
  const auto resumed = make_proposed(*cuda_, 4);
  resumed->restore(after);
  EXPECT_EQ(after.left(), 0u);
  EXPECT_EQ(train(*resumed, 31, 32), rest);
  MemoryBytes a, b;
  resumed->save(a);
  whole->save(b);
  EXPECT_EQ(a.bytes, b.bytes);
}

TEST_F(ProposedTrainers, DrawTheFieldAndItsPartsAsTheProcessorDoes) {
  const auto trained = make_proposed(*cpu_);
  train(*trained, 1, 120);
  const NeuralField field = trained->field();
  RenderSettings settings;
  settings.background = {0.25f, 0.5f, 0.75f};
  settings.outputs = {.alpha = true, .depth = true, .overdraw = true};
  Frame found, expected;
  const auto own = cuda_->upload_field(field), other = cpu_->upload_field(field);
  EXPECT_GT(own->render(small_camera(1), settings, found).evaluations, 1000u);
  other->render(small_camera(1), settings, expected);
  expect_equal_pictures(found, expected, 20);
  expect_equal_parts(*own, *other, cameras_[0], 0.05);

  cuda_host::machine().check_accesses = false;  // the same kernels come again
  NeuralField cropped = field;
  cropped.crops.push_back({.center = {0.5, 0.5, 0.5}, .half_size = {0.3, 0.5, 0.5}});
  cropped.render_box.min.z = 0.1f;
  cuda_->upload_field(cropped)->render(small_camera(1), settings, found);
  cpu_->upload_field(cropped)->render(small_camera(1), settings, expected);
  expect_equal_pictures(found, expected, 0);
  const auto light = [](const Frame& frame) {
    const std::span<const float> alpha = frame.alpha.pixels.span();
    return std::accumulate(alpha.begin(), alpha.end(), 0.0);
  };
  EXPECT_GT(light(expected), 3);
  EXPECT_NEAR(light(found), light(expected), 0.02 * light(expected));

  // A trainer shows the averages of its field and of its rounds.
  MemoryBytes state;
  trained->save(state);
  const auto trainer = make_proposed(*cuda_, 2);
  trainer->restore(state);
  trainer->render(small_camera(1), settings, found);
  trained->render(small_camera(1), settings, expected);
  expect_equal_pictures(found, expected, 20);
}

TEST_F(ProposedTrainers, TakeTheMemoryThatTheyArePricedAt) {
  const NeuralField field = small_proposed_field(1);
  const std::size_t rays = StepRays::space_for(proposed_rays(kSettings.batch, 32));
  ProposalTraining training(field, GradientSums::fixed_point, nullptr);
  const std::size_t before = cuda_host::memory_use().bytes;
  training.begin_rays(rays);
  EXPECT_EQ(cuda_host::memory_use().bytes - before + sizeof(ProposalChoice),
            ProposalTraining::step_bytes_for(field, rays));
  const auto priced = cuda_->memory_for_field(field, kSettings.batch, false);
  ASSERT_TRUE(priced);
  EXPECT_GT(priced->each.pixel * kSettings.batch, ProposalTraining::step_bytes_for(field, rays));
}

}  // namespace
}  // namespace mote::cuda
